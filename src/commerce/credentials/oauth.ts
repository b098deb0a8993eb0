import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Principal } from '#access'
import { type AccessLevel, type Clock, DomainError } from '#kernel'
import { encode, findSigned, normalized, READINGS, type Signed } from './oauth-parameters.ts'

/** A request as it was sent, before any rewriting. */
export interface SentRequest {
  readonly method: string
  /** Path and query, not decoded. */
  readonly url: string
  readonly authorization: string | undefined
  /** Scheme, host and prefix of the path under which clients may have addressed us. */
  readonly origins: readonly string[]
}

/** What a signature is verified with. */
export interface Verifiable {
  readonly id: number
  readonly keyId: number
  readonly access: AccessLevel
  readonly isRevoked: boolean
  readonly tokenHash: string
  readonly consumerSecret: string
  readonly tokenSecret: string
}

interface Deps {
  readonly clock: Clock
  readonly allowSha1: boolean
  findIntegration(consumerKey: string): Promise<Verifiable | undefined>
  /** False when it was used before; durable when it answers. */
  useNonce(used: string, expiresAtMs: number): Promise<boolean>
  checkRecord(keyId: number, access: AccessLevel): Promise<Principal>
}

type Problem =
  | ('parameter_absent' | 'version_rejected' | 'signature_method_rejected' | 'timestamp_refused')
  | ('nonce_used' | 'consumer_key_unknown' | 'token_rejected' | 'token_revoked')
  | 'signature_invalid'

const WINDOW_SECONDS = 600
const MAX_NONCE = 64
const ALGORITHMS: Readonly<Record<string, string>> = {
  'HMAC-SHA256': 'sha256',
  'HMAC-SHA1': 'sha1',
}
const MESSAGES: Readonly<Partial<Record<Problem, string>>> = {
  parameter_absent: 'The request is signed, but parameters of OAuth are absent or unusable.',
  version_rejected: 'Only version 1.0 of OAuth is supported here.',
  signature_method_rejected: 'Sign requests with HMAC-SHA256 or, where allowed, HMAC-SHA1.',
  timestamp_refused: 'The timestamp is not within ten minutes of the time here.',
  nonce_used: 'The nonce was used before.',
  token_revoked: 'The integration is revoked.',
}

/** Requests signed by integrations (contract §3.3, RFC 5849). */
export function createOAuthCheck(deps: Deps) {
  const { clock, allowSha1, findIntegration, useNonce, checkRecord } = deps
  return check

  /** Undefined when the request is not signed; a signed one is never taken for anonymous. */
  function check(sent: SentRequest): Promise<Principal> | undefined {
    const signed = findSigned(sent.authorization, queryOf(sent.url))
    if (signed === undefined) return undefined
    return signed === null ? Promise.reject(refusal('parameter_absent')) : verify(sent, signed)
  }

  async function verify(sent: SentRequest, signed: Signed): Promise<Principal> {
    const algorithm = ALGORITHMS[signed.method]
    if (signed.version !== undefined && signed.version !== '1.0') throw refusal('version_rejected')
    if (!algorithm || (algorithm === 'sha1' && !allowSha1)) {
      throw refusal('signature_method_rejected')
    }
    refuseTime(signed.timestamp)
    if (signed.nonce.length > MAX_NONCE) throw refusal('parameter_absent')
    const found = await findIntegration(signed.consumerKey)
    if (!found) throw refusal('consumer_key_unknown')
    if (!isSame(hash('sha256', signed.token, 'hex'), found.tokenHash))
      throw refusal('token_rejected')
    const key = `${encode(found.consumerSecret)}&${encode(found.tokenSecret)}`
    if (!isSigned(sent, signed, algorithm, key)) throw refusal('signature_invalid')
    if (found.isRevoked) throw refusal('token_revoked')
    const used = [found.id, signed.token, signed.timestamp, signed.nonce].join(' ')
    const expiresAtMs = (Number(signed.timestamp) + WINDOW_SECONDS + 1) * 1000
    if (!(await useNonce(hash('sha256', used, 'hex'), expiresAtMs))) throw refusal('nonce_used')
    return checkRecord(found.keyId, found.access).catch(asProblem)
  }

  function refuseTime(timestamp: string) {
    const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
    const nowSeconds = Math.floor(clock.now() / 1000)
    if (!(Math.abs(seconds - nowSeconds) <= WINDOW_SECONDS)) throw refusal('timestamp_refused')
  }
}

/** Under any address clients may have used, and as any of the known signers reads a query. */
function isSigned(
  { method, url, origins }: SentRequest,
  { inHeader, signature }: Signed,
  algorithm: string,
  key: string,
): boolean {
  const query = queryOf(url)
  const path = url.slice(0, url.length - (url.includes('?') ? query.length + 1 : 0))
  const texts = new Set(READINGS.map((reading) => normalized(query, inHeader, reading)))
  return origins.some((origin) =>
    [...texts].some((parameters) => {
      const base = [method.toUpperCase(), encode(`${origin}${path}`), encode(parameters)].join('&')
      return isSame(createHmac(algorithm, key).update(base).digest('base64'), signature)
    }),
  )
}

function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

/** In constant time for texts of one length, which is no secret. */
function isSame(own: string, given: string): boolean {
  const [one, other] = [Buffer.from(own), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** The record of the integration is ended, or its owner. */
function asProblem(error: unknown): never {
  if (!(error instanceof DomainError)) throw error
  throw refusal(error.code === 'key_revoked' ? 'token_revoked' : 'token_rejected')
}

/** Whether key, token or signature are wrong is told in the header alone. */
function refusal(problem: Problem): DomainError {
  const message = MESSAGES[problem] ?? 'The consumer key, the token or the signature is not valid.'
  return new DomainError('unauthenticated', problem, message, {
    headers: { 'www-authenticate': `OAuth realm="Entrepot", oauth_problem="${problem}"` },
  })
}
