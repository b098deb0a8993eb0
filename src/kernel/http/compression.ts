import { pipeline, type Readable } from 'node:stream'
import {
  type BrotliOptions,
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type ZlibOptions,
} from 'node:zlib'
import type { Coding } from './accept-encoding.ts'

// The level at which both take about as long as writing the JSON; more costs more than it saves.
const BROTLI_QUALITY = 4
const GZIP: ZlibOptions = { level: 5 }

const COMPRESSIBLE =
  /^(text\/|application\/(json|javascript|xml|yaml|x-ndjson|graphql|wasm|manifest\+json|rss|atom)|image\/svg\+xml|[\w.-]+\/[\w.-]+\+(json|xml|text))/i
const NEVER = /^text\/event-stream/i

export function isCompressible(contentType: string): boolean {
  return COMPRESSIBLE.test(contentType) && !NEVER.test(contentType)
}

/** Off the main thread. Undefined when it failed: the caller still has the bytes as they are. */
export function compress(
  body: string | Buffer,
  coding: Coding,
  done: (compressed: Buffer | undefined) => void,
): void {
  const finish = (error: Error | null, compressed: Buffer) => done(error ? undefined : compressed)
  if (coding === 'gzip') gzip(body, GZIP, finish)
  else brotliCompress(body, brotliOptions(Buffer.byteLength(body)), finish)
}

/** A failing source cuts the answer off, so that nobody takes half of it for the whole. */
export function compressStream(source: Readable, coding: Coding): Readable {
  const target = coding === 'gzip' ? createGzip(GZIP) : createBrotliCompress(brotliOptions(0))
  // `pipeline` destroys both ends on failure; the framework sees it on the stream it sends.
  return pipeline(source, target, () => {})
}

function brotliOptions(size: number): BrotliOptions {
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: size,
    },
  }
}
