import type { Coding } from './accept-encoding.ts'
import { compress } from './compression.ts'
import { weakEtag } from './etag.ts'
import { MIN_COMPRESSED_BYTES } from './finish.ts'
import type { Replay } from './replay.ts'

/** An answer of which others of its size differ in body, tag and length alone. */
interface Sample {
  readonly headers: readonly string[]
  readonly coding: Coding | undefined
  readonly route: string
}

/** Only what is large enough to be compressed says that it depends on what the client accepts. */
export interface Samples {
  readonly large?: Sample
  readonly small?: Sample
}

const OWN = new Set(['etag', 'content-length'])

/** Undefined when other answers may have other headers than this one. */
export function toSample({ headers, route }: Replay): Samples | undefined {
  const pairs = pairsOf(headers)
  const headerOf = (wanted: string) => pairs.find(([name]) => name === wanted)?.[1]
  if (!headerOf('etag')?.startsWith('W/')) return undefined
  const coding = headerOf('content-encoding')
  if (coding !== undefined && coding !== 'br' && coding !== 'gzip') return undefined
  const sample: Sample = { headers: pairs.filter(([name]) => !OWN.has(name)).flat(), coding, route }
  const isLarge = /accept-encoding/i.test(headerOf('vary') ?? '')
  return isLarge ? { large: sample } : { small: sample }
}

/**
 * An answer with this text and these headers of its own, at once where nothing is compressed.
 * Undefined when none of its size is known.
 */
export function toReplay(
  { large, small }: Samples,
  text: string,
  ownHeaders: Readonly<Record<string, string>> = {},
): Replay | undefined | Promise<Replay | undefined> {
  const length = Buffer.byteLength(text)
  const sample = length < MIN_COMPRESSED_BYTES ? small : large
  if (!sample) return undefined
  const { headers, coding, route } = sample
  const more = Object.entries(ownHeaders).flat()
  const own = [...headers, ...more, 'etag', weakEtag(text), 'content-length']
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
