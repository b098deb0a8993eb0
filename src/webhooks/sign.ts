import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secrets } from './records.ts'

export interface Signed {
  readonly id: string
  readonly timestampSeconds: number
  readonly body: string
}

/** How far the clock of a request may be off (Standard Webhooks 1.0). */
const TOLERANCE_SECONDS = 300
const VERSION = 'v1,'

/**
 * The value of `webhook-signature` (webhooks contract §8): for each valid secret one signature with
 * the key that its base64 form stands for, which Standard Webhooks libraries use, and one with its
 * characters themselves. The current secret comes first.
 */
export function sign(signed: Signed, { current, previous }: Secrets): string {
  const secrets = previous === null ? [current] : [current, previous]
  return secrets.flatMap((secret) => signaturesOf(signed, secret)).join(' ')
}

export type Verdict =
  | { readonly valid: true; readonly matched: 'current' | 'previous' }
  | {
      readonly valid: false
      readonly reason: 'no_matching_signature' | 'timestamp_out_of_range' | 'missing_header'
    }

export interface Presented {
  readonly id: string | undefined
  readonly timestamp: string | undefined
  readonly signature: string | undefined
  readonly body: string
}

/** Doc 1 §4.2: against the new secret first, then the old one. */
export function verify(presented: Presented, secrets: Secrets, nowMs: number): Verdict {
  const { id, timestamp, signature, body } = presented
  if (!id || !timestamp || !signature) return { valid: false, reason: 'missing_header' }
  const timestampSeconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  if (!(Math.abs(nowMs / 1000 - timestampSeconds) <= TOLERANCE_SECONDS)) {
    return { valid: false, reason: 'timestamp_out_of_range' }
  }
  const given = signature.split(' ')
  const signed = { id, timestampSeconds, body }
  if (matches(given, signaturesOf(signed, secrets.current))) {
    return { valid: true, matched: 'current' }
  }
  if (secrets.previous !== null && matches(given, signaturesOf(signed, secrets.previous))) {
    return { valid: true, matched: 'previous' }
  }
  return { valid: false, reason: 'no_matching_signature' }
}

/** Every secret of our own making is base64; one that was given need not be. */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** What is no base64 would be a key of few bytes or none, with which anybody could sign. */
function keysOf(secret: string): Buffer[] {
  const raw = Buffer.from(secret)
  return BASE64.test(secret) ? [Buffer.from(secret, 'base64'), raw] : [raw]
}

function signaturesOf({ id, timestampSeconds, body }: Signed, secret: string): string[] {
  const content = `${id}.${timestampSeconds}.${body}`
  return keysOf(secret).map(
    (key) => VERSION + createHmac('sha256', key).update(content).digest('base64'),
  )
}

function matches(given: readonly string[], expected: readonly string[]): boolean {
  return expected.some((one) => given.some((other) => isEqual(one, other)))
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
