import type { Coding } from './accept-encoding.ts'
import { compress } from './compression.ts'
import { weakEtag } from './etag.ts'
import { MIN_COMPRESSED_BYTES } from './finish.ts'
import type { Replay } from './replay.ts'

/** An answer of which others differ in body, tag and length alone. */
export interface Sample {
  readonly headers: readonly string[]
  readonly coding: Coding | undefined
  readonly route: string
}

const OWN = new Set(['etag', 'content-length'])

/** Undefined when other answers may have other headers than this one. */
export function toSample({ headers, route }: Replay): Sample | undefined {
  const pairs = pairsOf(headers)
  const headerOf = (wanted: string) => pairs.find(([name]) => name === wanted)?.[1]
  // Only answers large enough to be compressed say that they depend on what the client accepts.
  const isLarge = /accept-encoding/i.test(headerOf('vary') ?? '')
  if (!isLarge || !headerOf('etag')?.startsWith('W/')) return undefined
  const coding = headerOf('content-encoding')
  if (coding !== undefined && coding !== 'br' && coding !== 'gzip') return undefined
  return { headers: pairs.filter(([name]) => !OWN.has(name)).flat(), coding, route }
}

/** Undefined for an answer so small that its headers would be others; at once where nothing is compressed. */
export function toReplay(
  sample: Sample,
  text: string,
): Replay | undefined | Promise<Replay | undefined> {
  const length = Buffer.byteLength(text)
  if (length < MIN_COMPRESSED_BYTES) return undefined
  const { headers, coding, route } = sample
  const own = [...headers, 'etag', weakEtag(text), 'content-length']
  if (coding === undefined) {
    // Text of one byte each needs no other form.
    const body = length === text.length ? text : Buffer.from(text).toString('latin1')
    return { body, headers: [...own, String(length)], route }
  }
  return new Promise((resolve) => {
    compress(text, coding, (compressed) => {
      if (!compressed) return resolve(undefined)
      const ended = [...own, String(compressed.length)]
      resolve({ body: compressed.toString('latin1'), headers: ended, route })
    })
  })
}

function pairsOf(flat: readonly string[]): (readonly [string, string])[] {
  return Array.from({ length: flat.length / 2 }, (_, at) => [
    flat[at * 2] ?? '',
    flat[at * 2 + 1] ?? '',
  ])
}
