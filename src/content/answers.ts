import type { Freshness } from './freshness.ts'

interface Deps {
  readonly freshness: Pick<Freshness, 'now' | 'isUnchanged'>
  /** Where other processes write too, an answer is kept no longer than their notices may take. */
  readonly maxAgeMs: number
  /** 0: no answer is kept. */
  readonly maxBytes: number
}

/** Taken before the store is asked: a change that commits in between makes the answer unfit. */
export interface Asked {
  readonly since: number
  readonly atMs: number
}

/** An answer and what it was made from. */
export interface Kept<Answer> extends Asked {
  readonly answer: Answer
  readonly typeNos: readonly number[]
}

interface Weighed<Answer> extends Kept<Answer> {
  readonly bytes: number
}

/** Larger answers would push out many that are asked more often. */
const MAX_SHARE = 32
const OVERHEAD_BYTES = 512

/**
 * Answers to reads, kept until a type they were made from changes. The key must hold everything the
 * answer depends on besides the store: the whole query, the form, and who may see what.
 */
export function createAnswers<Answer extends { readonly body: string | Buffer }>({
  freshness,
  maxAgeMs,
  maxBytes,
}: Deps) {
  const all = new Map<string, Weighed<Answer>>()
  let usedBytes = 0
  let lastUsed: string | undefined
  return { find, ask, keep }

  function find(key: string): Kept<Answer> | undefined {
    const found = all.get(key)
    if (!found) return undefined
    const isFresh =
      performance.now() - found.atMs <= maxAgeMs &&
      freshness.isUnchanged(found.since, found.typeNos)
    if (!isFresh) {
      drop(key)
      return undefined
    }
    if (key !== lastUsed) use(key, found)
    return found
  }

  function ask(): Asked {
    return { since: freshness.now(), atMs: performance.now() }
  }

  /** Does nothing when one of the types has changed since the question, or the answer is too large. */
  function keep(key: string, { since, atMs, typeNos, answer }: Kept<Answer>): void {
    if (answer.body.length > maxBytes / MAX_SHARE) return
    const bytes = Buffer.byteLength(answer.body) + key.length * 2 + OVERHEAD_BYTES
    if (bytes > maxBytes / MAX_SHARE || !freshness.isUnchanged(since, typeNos)) return
    drop(key)
    use(key, { since, atMs, answer, typeNos, bytes })
    usedBytes += bytes
    for (const oldest of all.keys()) {
      if (usedBytes <= maxBytes) return
      drop(oldest)
    }
  }

  /** Last in the order of the map is the one used last. */
  function use(key: string, found: Weighed<Answer>) {
    all.delete(key)
    all.set(key, found)
    lastUsed = key
  }

  function drop(key: string) {
    const found = all.get(key)
    if (!found) return
    all.delete(key)
    usedBytes -= found.bytes
  }
}

export type Answers<Answer extends { readonly body: string | Buffer }> = ReturnType<
  typeof createAnswers<Answer>
>
