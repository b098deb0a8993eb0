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

/** A body without its content coding (RFC 9110 §8.4); undefined when it cannot be taken off. */
export function decodeBody(body: Buffer, coding = 'identity'): Buffer | undefined {
  const decode = CODINGS.get(coding.trim().toLowerCase())
  try {
    return decode?.(body)
  } catch {
    return undefined
  }
}
