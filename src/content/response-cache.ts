import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CachedResponse, ResponseCache } from '#http'
import { createAskedAgain, weakEtag } from '#http-text'
import type { Freshness } from './freshness.ts'

interface Deps {
  readonly freshness: Pick<Freshness, 'now' | 'isUnchanged'>
  /** Where other processes write too, a response is kept no longer than their notices may take. */
  readonly maxAgeMs: number
  /** 0: no response is kept. */
  readonly maxBytes: number
}

/** What a read answers, and the types it was made from; null: it depends on more than entries. */
export interface Read {
  readonly text: string
  readonly typeNos: readonly number[] | null
  /** Those that belong to it; a weak tag is made unless one is here or set. */
  readonly headers?: Readonly<Record<string, string>>
}

interface Entry {
  readonly since: number
  readonly atMs: number
  readonly typeNos: readonly number[]
  readonly response: CachedResponse
  readonly bytes: number
}

/** Larger responses would push out many that are asked for more often. */
const MAX_SHARE = 32
/** So large a part makes room at once, as in `createLru`: to find its first key, a Map passes over those deleted before it. */
const ROOM_SHARE = 64
const OVERHEAD_BYTES = 1024
const KEYS_NOTED = 2 ** 16

/**
 * The one cache of responses to reads: each stays until a type it was made from changes. The least
 * recently used make room, and only for what was asked before: whoever asks a hundred thousand different
 * questions pushes out nothing.
 */
export function createResponseCache({ freshness, maxAgeMs, maxBytes }: Deps) {
  const entries = new Map<string, Entry>()
  const isNoted = createAskedAgain(KEYS_NOTED)
  let usedBytes = 0
  let lastUsed: string | undefined
  let hits = 0
  return { find, isAskedAgain, begin, keep, hits: () => hits } satisfies ResponseCache & {
    hits(): number
  }

  function find(key: string): CachedResponse | undefined {
    const found = entries.get(key)
    if (!found) return undefined
    const isFresh =
      performance.now() - found.atMs <= maxAgeMs &&
      freshness.isUnchanged(found.since, found.typeNos)
    if (!isFresh) {
      drop(key)
      return undefined
    }
    if (key !== lastUsed) use(key, found)
    hits++
    return found.response
  }

  function isAskedAgain(key: string): boolean {
    return maxBytes > 0 && isNoted(key)
  }

  function begin() {
    return { since: freshness.now(), atMs: performance.now() }
  }

  /** Does nothing when one of the types has changed since the beginning, or the response is too large. */
  function keep(
    key: string,
    { since, atMs }: ReturnType<typeof begin>,
    typeNos: readonly number[],
    response: CachedResponse,
  ): void {
    const bytes = (response.body?.length ?? 0) + key.length + OVERHEAD_BYTES
    if (bytes > maxBytes / MAX_SHARE || !freshness.isUnchanged(since, typeNos)) return
    drop(key)
    use(key, { since, atMs, typeNos, response, bytes })
    usedBytes += bytes
    if (usedBytes > maxBytes) makeRoom()
  }

  function makeRoom() {
    for (const oldest of entries.keys()) {
      if (usedBytes <= maxBytes - maxBytes / ROOM_SHARE) return
      drop(oldest)
    }
  }

  /** Last in the order of the map is the one used last. */
  function use(key: string, found: Entry) {
    entries.delete(key)
    entries.set(key, found)
    lastUsed = key
  }

  function drop(key: string) {
    const found = entries.get(key)
    if (!found) return
    entries.delete(key)
    usedBytes -= found.bytes
  }
}

/** The body of a read with the headers that belong to it; the cache is told what it was made from. */
export function sendRead(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, typeNos, headers = {} }: Read,
): Buffer {
  const body = Buffer.from(text)
  reply.headers(headers)
  if (!reply.hasHeader('etag')) reply.header('etag', weakEtag(body))
  request.madeFrom = typeNos
  return body
}
