import { hash } from 'node:crypto'
import type { Random } from '#kernel'

const RAW_KEY = /^sk_[A-Za-z0-9]{48}$/
const PREFIX_LENGTH = 8

export function isRawKey(text: string): boolean {
  return RAW_KEY.test(text)
}

/** Doc 2 §2.2: the literal prefix and 48 random characters. */
export function createRawKey(random: Random): string {
  return `sk_${random.text(48)}`
}

export function prefixOf(rawKey: string): string {
  return rawKey.slice(0, PREFIX_LENGTH)
}

/**
 * What is stored of a secret of ours. They have about 285 random bits (tickets 190), so a slow hash
 * would add no safety, only a way to keep the server busy (access contract §2.2).
 */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'hex')
}
