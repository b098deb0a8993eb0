export interface HashedName {
  /** Never both zero, so that zero can mark a place that was never used. */
  readonly low: number
  readonly high: number
}

const FINAL_ROUNDS = 3

/**
 * HalfSipHash-1-3 with a 64-bit result, over UTF-16 code units. Counter names contain what clients
 * send (addresses, header values), so the hash is keyed: without the key nobody can find names
 * that share a bucket. The faster hashes that are merely seeded do not give that.
 */
export function hashName(name: string, key0: number, key1: number): HashedName {
  let v0 = key0
  let v1 = key1 ^ 0xee
  let v2 = 0x6c796765 ^ key0
  let v3 = 0x74656462 ^ key1
  let low = 0
  const words = (name.length >>> 1) + 1
  // One loop for input and final rounds (whose word is 0): the round stands here once, inlined.
  for (let at = 0; at < words + 2 * FINAL_ROUNDS; at++) {
    const word = at < words ? wordAt(name, at) : 0
    if (at === words) v2 ^= 0xee
    if (at === words + FINAL_ROUNDS) {
      low = v1 ^ v3
      v1 ^= 0xdd
    }
    v3 ^= word
    v0 = (v0 + v1) | 0
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
    v0 = (v0 << 16) | (v0 >>> 16)
    v2 = (v2 + v3) | 0
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
    v0 = (v0 + v3) | 0
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
    v2 = (v2 + v1) | 0
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
    v2 = (v2 << 16) | (v2 >>> 16)
    v0 ^= word
  }
  const high = v1 ^ v3
  return { low: (low === 0 && high === 0 ? 1 : low) >>> 0, high: high >>> 0 }
}

/** Two code units; the last word carries the length and, when that is odd, the last unit. */
function wordAt(name: string, at: number): number {
  const { length } = name
  const first = 2 * at
  if (first + 1 < length) return name.charCodeAt(first) | (name.charCodeAt(first + 1) << 16)
  return (length << 24) | (first < length ? name.charCodeAt(first) : 0)
}
