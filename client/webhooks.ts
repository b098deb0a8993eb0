/**
 * For programs that receive webhooks: checks that a delivery comes from the subscription whose secret
 * you hold, is not old, and is whole. Needs nothing but Node; any Standard Webhooks library does the
 * same.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

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

const TOLERANCE_SECONDS = 300

/**
 * Returns the event, or throws a `WebhookError`. During a rotation give both secrets; each may have
 * the prefix `whsec_`.
 */
export function verifyWebhook<Data = Readonly<Record<string, unknown>>>(
  request: WebhookRequest,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, nowMs = Date.now() }: VerifyOptions = {},
): WebhookEvent<Data> {
  const id = headerOf(request, 'webhook-id')
  const timestamp = headerOf(request, 'webhook-timestamp')
  const signature = headerOf(request, 'webhook-signature')
  if (!id || !timestamp || !signature) throw new WebhookError('missing_header')
  const sentSeconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  if (!(Math.abs(nowMs / 1000 - sentSeconds) <= toleranceSeconds)) {
    throw new WebhookError('timestamp_out_of_range')
  }
  const given = signature.split(' ')
  const signs = (secret: string) =>
    given.some((one) => isSame(one, sign(secret, id, timestamp, request)))
  if (![secrets].flat().some(signs)) throw new WebhookError('no_matching_signature')
  return parse<Data>(request)
}

function headerOf({ headers }: WebhookRequest, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)
  return [found?.[1]].flat()[0]
}

function sign(secret: string, id: string, timestamp: string, { body }: WebhookRequest): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const hash = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
  return `v1,${hash.digest('base64')}`
}

/** Takes the same time wherever the two differ. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function parse<Data>({ body }: WebhookRequest): WebhookEvent<Data> {
  try {
    return JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString())
  } catch {
    throw new WebhookError('invalid_body')
  }
}
