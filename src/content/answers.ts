import type { Freshness } from './freshness.ts'

interface Deps {
  readonly freshness: Pick<Freshness, 'now' | 'isUnchanged'>
  /** Where other processes write too, an answer is kept no longer than their notices may take. */
  readonly maxAgeMs: number
  /** 0: no answer is kept. */
  readonly maxBytes: number
}

/** A whole answer, ready to be sent again. */
export interface Answer {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}

/** Taken before the store is asked: a change that commits in between makes the answer unfit. */
export interface Asked {
  readonly since: number
  readonly atMs: number
}

interface Kept extends Asked {
  readonly answer: Answer
  readonly typeNos: readonly number[]
  readonly bytes: number
}

/** Larger answers would push out many that are asked more often. */
const MAX_SHARE = 32
const OVERHEAD_BYTES = 512

/**
 * Answers to reads, kept until a type they were made from changes. The key must hold everything the
 * answer depends on besides the store: the whole query, the form, and who may see what.
 */
export function createAnswers({ freshness, maxAgeMs, maxBytes }: Deps) {
  const kept = new Map<string, Kept>()
  let usedBytes = 0
  return { find, ask, keep }

  function find(key: string): Answer | undefined {
    const found = kept.get(key)
    if (!found) return undefined
    const isFresh =
      performance.now() - found.atMs <= maxAgeMs &&
      freshness.isUnchanged(found.since, found.typeNos)
    kept.delete(key)
    if (!isFresh) {
      usedBytes -= found.bytes
      return undefined
    }
    // Last in the order of the map is the one used last.
    kept.set(key, found)
    return found.answer
  }

  function ask(): Asked {
    return { since: freshness.now(), atMs: performance.now() }
  }

  /** Does nothing when one of the types has changed since the question, or the answer is too large. */
  function keep(key: string, asked: Asked, typeNos: readonly number[], answer: Answer): void {
    const bytes = answer.body.length + key.length * 2 + OVERHEAD_BYTES
    if (bytes > maxBytes / MAX_SHARE || !freshness.isUnchanged(asked.since, typeNos)) return
    drop(key)
    kept.set(key, { ...asked, answer, typeNos, bytes })
    usedBytes += bytes
    for (const oldest of kept.keys()) {
      if (usedBytes <= maxBytes) return
      drop(oldest)
    }
  }

  function drop(key: string) {
    const found = kept.get(key)
    if (!found) return
    kept.delete(key)
    usedBytes -= found.bytes
  }
}

export type Answers = ReturnType<typeof createAnswers>
