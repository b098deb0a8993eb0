import { randomBytes } from 'node:crypto'

/** Cryptographic randomness, passed in so that nobody reaches for `Math.random`. */
export interface Random {
  bytes(length: number): Buffer
  /** Characters drawn uniformly from `A-Z a-z 0-9`. */
  text(length: number): string
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
// Bytes at or above this would make the first letters of the alphabet more likely.
const FAIR_BYTES = 256 - (256 % ALPHABET.length)

export const random: Random = { bytes: randomBytes, text }

function text(length: number): string {
  let out = ''
  while (out.length < length) {
    for (const byte of randomBytes((length - out.length) * 2)) {
      if (byte < FAIR_BYTES && out.length < length) out += ALPHABET[byte % ALPHABET.length]
    }
  }
  return out
}
