import { createLru } from '#kernel'
import type { Purge } from '../protocol.ts'

/** An answer of an upstream, as it came. */
export interface CachedAnswer {
  readonly status: number
  /** Names and values in turn, without what the gateway adds. */
  readonly headers: readonly string[]
  readonly body: Buffer
  readonly storedAtMs: number
  /** How old the answer was when it came (RFC 9111 §4.2.3). */
  readonly ageMs: number
  readonly freshMs: number
  /** Where it was asked for: `host/path`. */
  readonly resource: string
  readonly tags: readonly string[]
  /** The route it was asked for on. */
  readonly owner: string
}

/** What the answers of one route take; the last one was used last. */
interface Share {
  readonly keys: Set<string>
  bytes: number
}

/** What an entry takes beside its body and headers. */
const ENTRY_BYTES = 512
const MAX_NAMES = 10_000
/** So large a part makes room at once, as in `createLru`: to find its first key, a Set passes over those deleted before it. */
const ROOM_SHARE = 64
/** No single answer drives out all the others. */
const LARGEST_SHARE = 4

/**
 * Answers kept by one gateway thread: bounded in bytes, the ones used last stay. Room is made by the
 * route that takes most of it, so that one with many answers does not drive out those of the others.
 */
export function createAnswerCache(maxBytes: number) {
  const entries = new Map<string, CachedAnswer>()
  const shares = new Map<string, Share>()
  /** By the key before variants: which request headers decide (RFC 9111 §4.1). */
  const variants = createLru<string, readonly string[]>(MAX_NAMES)
  let bytes = 0
  const fills = new Set<Fill>()
  return {
    find,
    keep,
    purge,
    variesBy: variants.find,
    setVariesBy,
    watch,
    largestBody: Math.floor(maxBytes / LARGEST_SHARE),
  }

  function find(key: string): CachedAnswer | undefined {
    const found = entries.get(key)
    const keys = found && shares.get(found.owner)?.keys
    keys?.delete(key)
    keys?.add(key)
    return found
  }

  function keep(key: string, answer: CachedAnswer): void {
    drop(key)
    const size = sizeOf(key, answer)
    if (size > maxBytes) return
    entries.set(key, answer)
    const share = shares.get(answer.owner) ?? { keys: new Set(), bytes: 0 }
    shares.set(answer.owner, share)
    share.keys.add(key)
    share.bytes += size
    bytes += size
    if (bytes > maxBytes) makeRoom()
  }

  /** Little by little, so that no route gives up more than it takes beyond the others. */
  function makeRoom(): void {
    const little = maxBytes / ROOM_SHARE
    while (bytes > maxBytes - little) {
      const enough = bytes - little
      for (const oldest of largestShare()?.keys ?? []) {
        drop(oldest)
        if (bytes <= enough) break
      }
    }
  }

  function largestShare(): Share | undefined {
    let largest: Share | undefined
    for (const share of shares.values()) {
      if (!largest || share.bytes > largest.bytes) largest = share
    }
    return largest
  }

  function setVariesBy(key: string, names: readonly string[]): void {
    if (names.length === 0) variants.drop(key)
    else variants.keep(key, names)
  }

  function drop(key: string): void {
    const found = entries.get(key)
    if (!found) return
    entries.delete(key)
    const size = sizeOf(key, found)
    bytes -= size
    const share = shares.get(found.owner)
    if (!share) return
    share.keys.delete(key)
    share.bytes -= size
    if (share.keys.size === 0) shares.delete(found.owner)
  }

  /** An answer on its way, until `end`: what was asked for before a purge is not kept after it. */
  function watch(resource: string): Fill {
    const fill = { resource, isSpoiled: false, end: () => void fills.delete(fill) }
    fills.add(fill)
    return fill
  }

  /** Returns how many were dropped. */
  function purge(purge: Purge): number {
    for (const fill of fills) {
      // Its tags are not known yet.
      if (purge.by === 'tag' || isMeant(purge, fill)) fill.isSpoiled = true
    }
    let count = 0
    for (const [key, answer] of entries) {
      if (!isMeant(purge, answer)) continue
      drop(key)
      count++
    }
    return count
  }
}

export type AnswerCache = ReturnType<typeof createAnswerCache>

interface Fill {
  readonly resource: string
  readonly tags?: readonly string[]
  isSpoiled: boolean
  end(): void
}

function isMeant(purge: Purge, { resource, tags }: Pick<Fill, 'resource' | 'tags'>): boolean {
  switch (purge.by) {
    case 'all':
      return true
    case 'tag':
      return tags?.includes(purge.text) ?? false
    case 'resource':
      return resource === purge.text
    case 'prefix': {
      const isPath = purge.text.startsWith('/')
      return (isPath ? resource.slice(resource.indexOf('/')) : resource).startsWith(purge.text)
    }
  }
}

function sizeOf(key: string, { headers, body }: CachedAnswer): number {
  const texts = headers.reduce((sum, text) => sum + text.length, key.length)
  return ENTRY_BYTES + texts + body.length
}
