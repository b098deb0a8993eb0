import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'

/** The largest body that is changed as a whole, coded or not. */
export const MAX_HELD_BYTES = 1024 * 1024

const LIMIT = { maxOutputLength: MAX_HELD_BYTES }

const CODINGS: ReadonlyMap<string, (body: Buffer) => Buffer> = new Map([
  ['gzip', (body: Buffer) => gunzipSync(body, LIMIT)],
  ['x-gzip', (body: Buffer) => gunzipSync(body, LIMIT)],
  ['deflate', (body: Buffer) => inflateSync(body, LIMIT)],
  ['br', (body: Buffer) => brotliDecompressSync(body, LIMIT)],
  ['zstd', (body: Buffer) => zstdDecompressSync(body, LIMIT)],
  ['identity', (body: Buffer) => body],
])

/** A body without its content codings (RFC 9110 §8.4); undefined when they cannot be taken off. */
export function decodeBody(body: Buffer, codings = 'identity'): Buffer | undefined {
  // Many servers name a coding of what turns out to be nothing.
  if (body.length === 0) return body
  let plain: Buffer | undefined = body
  try {
    // In the order in which they were put on.
    for (const coding of codings.split(',').reverse()) {
      const decode = CODINGS.get(coding.trim().toLowerCase())
      plain = plain && decode?.(plain)
    }
    return plain
  } catch {
    return undefined
  }
}
