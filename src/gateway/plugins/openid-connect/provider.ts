import type { JWTVerifyGetKey } from 'jose'
import type { ServerMetadata } from 'openid-client'
import type { PluginDeps } from '../../plane/plugin.ts'
import type { CallAnswer } from '../../protocol.ts'
import type { Settings } from './settings.ts'

/** The provider gave no usable answer in time. */
export class ProviderAway extends Error {}

/** Keys of the provider at one moment; another object when they have changed. */
export interface KeySet {
  readonly find: JWTVerifyGetKey
}

interface Document<T> {
  readonly value: T
  readonly text: string
  readonly atMs: number
}

const DISCOVERY_MS = 3_600_000
const KEYS_SECONDS = 86_400
/** An unknown key is looked for no more often than this, whatever tokens come. */
export const RELOAD_KEYS_MS = 30_000
const TIMEOUT_SECONDS = 3

/** What the provider says of itself; documents are fetched once for all threads of the process. */
export function createProvider(
  conf: Settings,
  { call, clock }: Pick<PluginDeps, 'call' | 'clock'>,
) {
  const timeoutMs = Math.round((conf.timeout ?? TIMEOUT_SECONDS) * 1000)
  const verifyTls = conf.ssl_verify ?? true
  const keysMs = (conf.jwk_expires_in ?? KEYS_SECONDS) * 1000
  let described: Document<ServerMetadata> | undefined
  let keys: Document<KeySet> | undefined
  return { metadata, keySet, youngKeys, send }

  /** At once while the description is young enough. */
  function metadata(): ServerMetadata | Promise<ServerMetadata> {
    if (described && clock.now() - described.atMs <= DISCOVERY_MS) return described.value
    return fetchMetadata()
  }

  async function fetchMetadata(): Promise<ServerMetadata> {
    const { text, atMs } = await fetchDocument(conf.discovery, DISCOVERY_MS)
    if (described?.text !== text) described = { value: parseMetadata(text), text, atMs }
    else described = { ...described, atMs }
    return described.value
  }

  function keySet(maxAgeMs = keysMs): KeySet | Promise<KeySet> {
    return youngKeys(maxAgeMs) ?? fetchKeys(maxAgeMs)
  }

  /** Null when they would have to be fetched. */
  function youngKeys(maxAgeMs = keysMs): KeySet | null {
    return keys && clock.now() - keys.atMs <= Math.min(maxAgeMs, keysMs) ? keys.value : null
  }

  async function fetchKeys(maxAgeMs: number): Promise<KeySet> {
    const { jwks_uri: url } = await metadata()
    if (url === undefined) throw new ProviderAway('the provider names no keys')
    const { text, atMs } = await fetchDocument(url, maxAgeMs)
    if (keys?.text === text) keys = { ...keys, atMs }
    else keys = { value: { find: await parseKeys(text) }, text, atMs }
    return keys.value
  }

  async function fetchDocument(url: string, maxAgeMs: number) {
    const headers = { accept: 'application/json' }
    const about = { url, method: 'GET', headers, body: null, maxAgeMs, mayBeStale: true } as const
    const answer = await call({ ...about, timeoutMs, verifyTls })
    if (!answer.ok || answer.status !== 200) throw new ProviderAway(`no answer of ${url}`)
    return { text: answer.body, atMs: answer.atMs }
  }

  /** A form; equal ones within `maxAgeMs` are sent once. */
  function send(request: {
    readonly url: string
    readonly method: 'GET' | 'POST'
    readonly headers: Readonly<Record<string, string>>
    readonly body: string | null
    readonly maxAgeMs: number
  }): Promise<CallAnswer> {
    return call({ ...request, timeoutMs, verifyTls, mayBeStale: false })
  }
}

export type Provider = ReturnType<typeof createProvider>

function parseMetadata(text: string): ServerMetadata {
  const value = parseObject(text)
  if (!isMetadata(value)) throw new ProviderAway('the description of the provider has no issuer')
  return value
}

function isMetadata(value: object): value is ServerMetadata {
  return 'issuer' in value && typeof value.issuer === 'string'
}

async function parseKeys(text: string): Promise<JWTVerifyGetKey> {
  const value = parseObject(text)
  if (!isKeys(value)) throw new ProviderAway('the keys of the provider cannot be read')
  const { createLocalJWKSet } = await import('jose')
  return createLocalJWKSet(value)
}

function isKeys(value: object): value is { keys: { kty: string }[] } {
  return 'keys' in value && Array.isArray(value.keys)
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Said below.
  }
  throw new ProviderAway('the provider did not answer with JSON')
}
