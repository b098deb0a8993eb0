import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Actor } from '#kernel'

/** What our own gateway says of a request that it hands to the main API. */
export interface Forwarded {
  /** The address of the client, as the gateway sees it. */
  readonly address: string
  /** Who calls, when the gateway has sold the request; null: the API finds out as always. */
  readonly actor: Actor | null
  /** How the client reached the gateway: URLs in answers begin so. */
  readonly scheme: 'http' | 'https'
  /** With its port; absent when the client named none. */
  readonly host: string | undefined
}

interface Message {
  readonly method: string
  /** Path and query as they are in the request line. */
  readonly target: string
  readonly nowMs: number
}

/** Never passed on by the gateway, and believed by the API only with the right signature. */
export const FORWARDED_HEADER = 'x-entrepot-forwarded'

/** Clocks of two nodes may differ; longer than this a copied header is worth nothing. */
const VALID_MS = 300_000

/** Bound to method and target, so that a copied header opens nothing else. */
export function signForwarded(secret: string, forwarded: Forwarded, message: Message): string {
  const claim = JSON.stringify({ ...forwarded, at: message.nowMs })
  const text = Buffer.from(claim).toString('base64url')
  return `${text}.${sealOf(secret, text, message).toString('base64url')}`
}

/** Null unless it was signed with one of the secrets, for this request and just now. */
export function verifyForwarded(
  secrets: readonly string[],
  header: string,
  message: Message,
): Forwarded | null {
  const [text = '', given = '', ...rest] = header.split('.')
  const seal = Buffer.from(given, 'base64url')
  const isSealed = secrets.some((secret) => {
    const expected = sealOf(secret, text, message)
    return expected.length === seal.length && timingSafeEqual(expected, seal)
  })
  if (!isSealed || rest.length > 0) return null
  // Whoever has the secret is one of us, so its form need not be checked.
  const claim: Forwarded & { at: number } = JSON.parse(Buffer.from(text, 'base64url').toString())
  return Math.abs(message.nowMs - claim.at) <= VALID_MS ? claim : null
}

function sealOf(secret: string, text: string, { method, target }: Message): Buffer {
  return createHmac('sha256', secret).update(`${text}\n${method}\n${target}`).digest()
}
