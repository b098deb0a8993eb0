import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { ContentModel, ContentType } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { INDEX, indexedOf, sourceOf } from './indexed.ts'
import { countWaiting, isSource } from './store.ts'

interface Deps {
  readonly db: Database
  model(): ContentModel
}

/** How quickly what waits is taken in. */
interface Pace {
  readonly areMany: boolean
  readonly times: number
  /** Steps until it is looked again how many wait. */
  readonly most: number
}

/** Every search reads the copies that wait, so of more than these some are taken in whoever else writes. */
const MANY = 20_000
/** A step becomes larger with every `MANY` that wait, so that it has a larger share of the writer, up to so many times. */
const LARGEST = 8
/** So many that came since the last look are an import, which is let pass. */
const AN_IMPORT = 300
/** Otherwise others have the writer for so many times as long as a step. */
const PASSING = 3
/** Until it is looked again how many wait. */
const STEPS = 20

/** Segments of the index are merged for at most so many times as long as a step took, so that they never become many. */
const MERGING = 4
/** Taken for the length of a step when nothing waits. */
const IDLE_MS = 20
/** Whoever is quicker had nothing to merge. */
const NOTHING_MS = 1

/**
 * After each step of whoever takes texts in, which took so long. Every merge is a plan of its own, so that others write
 * in between. False: nothing is left to be merged.
 */
export async function tidyIndex({ main, dialect }: Database, tookMs: number): Promise<boolean> {
  const steps = dialect.textIndex
    .tidy(INDEX)
    .map((step) => ({ query: { compile: () => step.compile(main.reader) } }))
  if (steps.length === 0) return false
  const endMs = performance.now() + tookMs * MERGING
  for (let startedMs = performance.now(); startedMs < endMs; ) {
    await main.carryOut(steps)
    const doneMs = performance.now()
    if (doneMs - startedMs < NOTHING_MS) return false
    startedMs = doneMs
  }
  return true
}

export async function countWaitingTexts({ main }: Database): Promise<number> {
  return sumOf(await countWaiting(main.reader), 'count')
}

function sumOf<Name extends string>(all: readonly Record<Name, number>[], name: Name): number {
  return all.reduce((sum, each) => sum + each[name], 0)
}

/** Makes the texts of what was written and their trigrams, in steps that hold up nobody. */
export function createWaitingTexts({ db, model }: Deps) {
  const reader: Kysely<ContentTables> = db.main.reader
  let lastSeen = 0
  let mayMerge = true
  return { takeIn }

  /** True: there may be more to do at once. */
  async function takeIn(signal: AbortSignal): Promise<boolean> {
    const waiting = await countWaiting(reader, lastSeen)
    const count = sumOf(waiting, 'count')
    lastSeen = Math.max(lastSeen, ...waiting.map(({ last }) => last))
    if (count === 0) return mergeOn()
    const areMany = count >= MANY
    if (sumOf(waiting, 'fresh') > AN_IMPORT && !areMany) return false
    const times = Math.max(1, Math.min(LARGEST, Math.floor(count / MANY)))
    let left = STEPS
    for (const { typeNo } of waiting) {
      const type = model().typeByNo(typeNo)
      // Of a type that is gone all copies are on their way out.
      if (type) left = await takeInType(type, { areMany, times, most: left }, signal)
      if (left === 0 || signal.aborted) return true
    }
    return mergeOn()
  }

  /** How many steps of all are left: none while the type may have more. */
  async function takeInType(
    type: ContentType,
    { areMany, times, most }: Pace,
    signal: AbortSignal,
  ) {
    const steps = stepsOf(type, times)
    for (let left = most; left > 0 && !signal.aborted; left--) {
      const startedMs = performance.now()
      if (!(await db.main.carryOut(steps))) return left
      mayMerge = await tidyIndex(db, performance.now() - startedMs)
      const pauseMs = areMany ? 0 : (performance.now() - startedMs) * PASSING
      await delay(pauseMs, undefined, { signal }).catch(() => {})
    }
    return 0
  }

  /** What the last steps left, once nothing waits; the rest of it the next time. */
  async function mergeOn(): Promise<false> {
    if (mayMerge) mayMerge = await tidyIndex(db, IDLE_MS)
    return false
  }

  /** Nothing happens while the model of this thread is not the one that was written: texts may be private by now. */
  function stepsOf(type: ContentType, times: number) {
    const indexed = indexedOf(type)
    const steps = db.dialect.textIndex.takeInWaiting(INDEX, indexed, times)
    return [
      { query: isSource(reader, db.dialect, type.no, sourceOf(indexed)), mustChange: true },
      ...steps.map((step, at) => ({
        query: { compile: () => step.compile(reader) },
        mustChange: at === steps.length - 1,
      })),
    ]
  }
}
