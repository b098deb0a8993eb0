/**
 * For programs that receive webhooks: checks that a delivery comes from the subscription whose secret
 * you hold, is not old, and is whole. Any Standard Webhooks library does the same.
 */

/** The body of a delivery. */
export interface WebhookEvent<Data = Readonly<Record<string, unknown>>> {
  /** The same on every attempt: whoever stores it can tell repetitions. */
  readonly id: string
  readonly type: string
  /** When it happened. */
  readonly timestamp: string
  /** 1, 2, 3, … of the subscription without gaps; null for tests. */
  readonly sequence: number | null
  readonly data: Data
}

export interface WebhookRequest {
  /** As Node, Express, Fastify or `fetch` give them. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The bytes as they arrived: parsing and rendering JSON again would change them. */
  readonly body: string | Uint8Array
}

export interface VerifyOptions {
  /** How far the clocks may be apart; 300 when absent. */
  readonly toleranceSeconds?: number
  /** Milliseconds since 1970; the clock of this machine when absent. */
  readonly nowMs?: number
}

type Reason = 'missing_header' | 'timestamp_out_of_range' | 'no_matching_signature' | 'invalid_body'

/** A delivery that must not be believed; answer it with 400. */
export class WebhookError extends Error {
  readonly reason: Reason

  constructor(reason: Reason) {
    super(`The webhook cannot be verified: ${reason}`)
    this.name = 'WebhookError'
    this.reason = reason
  }
}

type Bytes = Uint8Array<ArrayBuffer>

const TOLERANCE_SECONDS = 300
const VERSION = 'v1,'
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/**
 * Resolves with the event, or rejects with a `WebhookError`. During a rotation give both secrets; each may have
 * the prefix `whsec_`.
 */
export async function verifyWebhook<Data = Readonly<Record<string, unknown>>>(
  request: WebhookRequest,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, nowMs = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent<Data>> {
  const id = headerOf(request, 'webhook-id')
  const timestamp = headerOf(request, 'webhook-timestamp')
  const signature = headerOf(request, 'webhook-signature')
  if (!id || !timestamp || !signature) throw new WebhookError('missing_header')
  const sentSeconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  if (!(Math.abs(nowMs / 1000 - sentSeconds) <= toleranceSeconds)) {
    throw new WebhookError('timestamp_out_of_range')
  }
  const body = bytesOf(request.body)
  const signed = concat(bytesOf(`${id}.${timestamp}.`), body)
  const given = signature.split(' ').filter((one) => one.startsWith(VERSION))
  const keys = [secrets].flat().flatMap(keysOf)
  const verdicts = await Promise.all(
    keys.flatMap((key) => given.map((one) => isSignedBy(key, one, signed))),
  )
  if (!verdicts.includes(true)) throw new WebhookError('no_matching_signature')
  return parse<Data>(body)
}

function headerOf({ headers }: WebhookRequest, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)
  return [found?.[1]].flat()[0]
}

/** What is no base64 would be a key of few bytes or none, with which anybody could sign. */
function keysOf(secret: string): Bytes[] {
  const text = secret.replace(/^whsec_/, '')
  const raw = bytesOf(text)
  return (BASE64.test(text) ? [fromBase64(text), raw] : [raw]).filter((key) => key.length > 0)
}

/** WebCrypto compares in a time that does not depend on where two signatures differ. */
async function isSignedBy(key: Bytes, signature: string, signed: Bytes): Promise<boolean> {
  const given = signature.slice(VERSION.length)
  if (!BASE64.test(given)) return false
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, hmac, false, ['verify'])
  return crypto.subtle.verify('HMAC', imported, fromBase64(given), signed)
}

function fromBase64(text: string): Bytes {
  const unpadded = text.replace(/=+$/, '')
  // A last character alone stands for no byte.
  const whole = unpadded.length % 4 === 1 ? unpadded.slice(0, -1) : unpadded
  return Uint8Array.from(atob(whole), (character) => character.charCodeAt(0))
}

function bytesOf(body: string | Uint8Array): Bytes {
  return typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
}

function concat(one: Bytes, other: Bytes): Bytes {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

function parse<Data>(body: Bytes): WebhookEvent<Data> {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    throw new WebhookError('invalid_body')
  }
}
