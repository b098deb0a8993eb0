import { randomBytes, randomFillSync, randomUUID } from 'node:crypto'

/** Cryptographic randomness, passed in so that nobody reaches for `Math.random`. */
export interface Random {
  bytes(length: number): Buffer
  /** Characters drawn uniformly from `A-Z a-z 0-9`. */
  text(length: number): string
  /** UUID version 4 (RFC 9562): tells nothing, not even when it was made. */
  uuid(): string
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
// Bytes at or above this would make the first letters of the alphabet more likely.
const FAIR_BYTES = 256 - (256 % ALPHABET.length)
const POOL_BYTES = 8192
const LARGEST_FROM_POOL = 64

export const random: Random = createRandom()

/** Asking the system costs 10 us a time whatever the length, so short demands share one answer. */
function createRandom(): Random {
  const pool = Buffer.allocUnsafeSlow(POOL_BYTES)
  let used = POOL_BYTES
  return { bytes, text, uuid: () => randomUUID() }

  function bytes(length: number): Buffer {
    if (length > LARGEST_FROM_POOL) return randomBytes(length)
    if (used + length > POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    const taken = Buffer.from(pool.subarray(used, used + length))
    // What was handed out must not be found in memory later.
    pool.fill(0, used, used + length)
    used += length
    return taken
  }

  function text(length: number): string {
    let out = ''
    while (out.length < length) {
      for (const byte of bytes((length - out.length) * 2)) {
        if (byte < FAIR_BYTES && out.length < length) out += ALPHABET[byte % ALPHABET.length]
      }
    }
    return out
  }
}
