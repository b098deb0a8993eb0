/** Tokens that clients bring along: who signed them, for whom, for how long (contract §7.8). */
import { createHash, createPublicKey } from 'node:crypto'
import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { createLru, isObject } from '#kernel'
import type { Context } from '../../plane/context.ts'
import type { PluginAnswer, PluginDeps } from '../../plane/plugin.ts'
import { headersOf } from '../../plane/server/headers-of.ts'
import { type KeySet, type Provider, ProviderAway, RELOAD_KEYS_MS } from './provider.ts'
import { ALGORITHMS, type Settings } from './settings.ts'

export type Claims = Readonly<Record<string, unknown>>

interface Known {
  readonly claims: Claims
  readonly untilMs: number
  /** Null where the provider was asked for the token itself. */
  readonly keys: KeySet | null
}

const MAX_KNOWN = 10_000

export function createBearer(
  conf: Settings,
  provider: Provider,
  { clock }: Pick<PluginDeps, 'clock'>,
) {
  const algorithms = conf.token_signing_alg_values_expected
    ? [conf.token_signing_alg_values_expected]
    : [...ALGORITHMS]
  const publicKey = conf.public_key === undefined ? null : createPublicKey(conf.public_key)
  const own: KeySet | null = publicKey && { find: async () => publicKey }
  const known = createLru<string, Known>(MAX_KNOWN)
  const remembers = !conf.jwt_verification_cache_ignore
  return { verify }

  /** The claims of a good token, at once when it was seen before; null of another. */
  function verify(ctx: Context, token: string): Claims | null | Promise<Claims | null> {
    const found = known.find(digestOf(token))
    return found && isCurrent(found) ? found.claims : verifyNew(ctx, token)
  }

  function isCurrent({ claims, untilMs, keys }: Known): boolean {
    if (clock.now() >= untilMs) return false
    // A clock that was set back makes a token early again.
    if (typeof claims['nbf'] === 'number' && claims['nbf'] * 1000 > clock.now()) return false
    return keys === null || keys === own || keys === provider.youngKeys()
  }

  async function verifyNew(ctx: Context, token: string): Promise<Claims | null> {
    if (own) return verifySigned(token, own)
    if (conf.use_jwks) return verifyByKeys(token)
    const url =
      conf.introspection_endpoint ?? (await provider.metadata()).introspection_endpoint ?? null
    return url === null ? verifyByKeys(token) : introspect(ctx, url, token)
  }

  async function verifyByKeys(token: string): Promise<Claims | null> {
    const keys = await provider.keySet()
    try {
      return await verifySigned(token, keys)
    } catch (error) {
      if (!(error instanceof UnknownKey)) throw error
    }
    const newer = await provider.keySet(RELOAD_KEYS_MS)
    return newer === keys ? null : verifySigned(token, newer).catch(nullOfUnknown)
  }

  async function verifySigned(token: string, keys: KeySet): Promise<Claims | null> {
    const issuer = await issuersOf()
    const { errors, jwtVerify } = await import('jose')
    const find: JWTVerifyGetKey = async (header, input) => keys.find(header, input)
    const options = { algorithms, issuer: [...issuer], currentDate: new Date(clock.now()) }
    try {
      const { payload } = await jwtVerify(token, find, options)
      remember(token, payload, keys)
      return payload
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) throw new UnknownKey()
      // Whatever else a stranger's token makes the verification throw, the token is not good.
      return null
    }
  }

  function remember(token: string, payload: JWTPayload, keys: KeySet) {
    if (!remembers || payload.exp === undefined) return
    known.keep(digestOf(token), { claims: payload, untilMs: payload.exp * 1000, keys })
  }

  /** What a token is worth is asked anew for every request, unless an interval is permitted. */
  async function introspect(ctx: Context, url: string, token: string): Promise<Claims | null> {
    const form = new URLSearchParams({ token, token_type_hint: 'access_token' })
    const headers: Record<string, string> = {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    }
    for (const name of conf.introspection_addon_headers ?? []) {
      const value = headersOf(ctx.request)[name.toLowerCase()]
      if (value !== undefined) headers[name.toLowerCase()] = value
    }
    if (conf.introspection_endpoint_auth_method === 'client_secret_post') {
      form.set('client_id', conf.client_id)
      form.set('client_secret', conf.client_secret)
    } else headers['authorization'] = basicOf(conf.client_id, conf.client_secret)
    const about = { url, method: 'POST', headers, body: form.toString(), maxAgeMs: 0 } as const
    const answer = await provider.send(about)
    if (!answer.ok || answer.status !== 200) throw new ProviderAway('the token cannot be looked up')
    const claims = parseClaims(answer.body)
    if (!claims) throw new ProviderAway('the provider did not answer with JSON')
    return (await isActive(claims)) ? rememberFor(token, claims) : null
  }

  async function isActive(claims: Claims): Promise<boolean> {
    if (claims['active'] !== true) return false
    const untilMs = expiryOf(claims)
    if (untilMs !== null && !(untilMs > clock.now())) return false
    const { nbf, iss } = claims
    if (nbf !== undefined && !(typeof nbf === 'number' && nbf * 1000 <= clock.now())) return false
    return iss === undefined || (typeof iss === 'string' && (await issuersOf()).includes(iss))
  }

  function rememberFor(token: string, claims: Claims): Claims {
    const forMs = (conf.introspection_interval ?? 0) * 1000
    if (forMs > 0 && remembers) {
      const untilMs = Math.min(clock.now() + forMs, expiryOf(claims) ?? Number.POSITIVE_INFINITY)
      known.keep(digestOf(token), { claims, untilMs, keys: null })
    }
    return claims
  }

  /** Null: the token does not end by itself. */
  function expiryOf(claims: Claims): number | null {
    const name = conf.introspection_expiry_claim ?? 'exp'
    const given = Object.hasOwn(claims, name) ? claims[name] : undefined
    return given === undefined ? null : Number(given) * 1000
  }

  async function issuersOf(): Promise<readonly string[]> {
    const given = conf.claim_validator?.issuer?.valid_issuers
    return given?.length ? given : [(await provider.metadata()).issuer]
  }
}

class UnknownKey extends Error {}

function nullOfUnknown(error: unknown): null {
  if (error instanceof UnknownKey) return null
  throw error
}

/** Contract §7.8: for whom the token is, and what it permits; undefined when all is well. */
export function findLack(conf: Settings, claims: Claims): PluginAnswer | undefined {
  const wanted = conf.claim_validator?.audience
  const name = wanted?.claim ?? 'aud'
  const audience = Object.hasOwn(claims, name) ? claims[name] : undefined
  if (wanted?.required && audience === undefined) return forbidden('required audience not present')
  const audiences = Array.isArray(audience) ? audience : [audience]
  if (wanted?.match_with_client_id && !audiences.includes(conf.client_id)) {
    return forbidden('the token is not for this audience')
  }
  return findMissingScopes(conf, claims['scope'] ?? claims['scp'])
}

export function findMissingScopes(conf: Settings, given: unknown): PluginAnswer | undefined {
  const scopes = Array.isArray(given) ? given : String(given ?? '').split(' ')
  const missing = (conf.required_scopes ?? []).filter((scope) => !scopes.includes(scope))
  if (missing.length === 0) return undefined
  return forbidden(`required scopes ${missing.join(', ')} not present`)
}

function forbidden(error: string): PluginAnswer {
  return { status: 403, body: { error } }
}

/** RFC 6749 §2.3.1: both are encoded as in a form before they are put together. */
function basicOf(id: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`
}

function parseClaims(text: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
