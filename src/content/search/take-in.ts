import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Database } from '#db'
import type { ContentModel } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { followAnew } from './follow.ts'
import { INDEX } from './indexed.ts'
import { findFollowedAsBefore } from './store.ts'

interface Deps {
  readonly db: Database
  model(): ContentModel
}

/** Every search reads the texts that wait, so of more than these some are taken in whoever else writes. */
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

export async function countWaiting({ main, dialect }: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (${dialect.textIndex.waiting(INDEX)}) as w`.execute(main.reader)
  return Number(rows[0]?.count ?? 0)
}

/** Makes the trigrams of what was written, in steps that hold up nobody. */
export function createWaitingTexts({ db, model }: Deps) {
  const reader: Kysely<ContentTables> = db.main.reader
  let lastSeen = 0
  let mayMerge = true
  return { takeIn, followTypes }

  /** True: there may be more to do at once. */
  async function takeIn(signal: AbortSignal): Promise<boolean> {
    const { count, fresh } = await look()
    if (count === 0) return mergeOn()
    const areMany = count >= MANY
    if (fresh > AN_IMPORT && !areMany) return false
    const steps = stepsOf(Math.max(1, Math.min(LARGEST, Math.floor(count / MANY))))
    for (let step = 0; step < STEPS && !signal.aborted; step++) {
      const startedMs = performance.now()
      if (!(await db.main.carryOut(steps))) return mergeOn()
      mayMerge = await tidyIndex(db, performance.now() - startedMs)
      const pauseMs = areMany ? 0 : (performance.now() - startedMs) * PASSING
      await delay(pauseMs, undefined, { signal }).catch(() => {})
    }
    return true
  }

  /** What the last steps left, once nothing waits; the rest of it the next time. */
  async function mergeOn(): Promise<false> {
    if (mayMerge) mayMerge = await tidyIndex(db, IDLE_MS)
    return false
  }

  function stepsOf(times: number) {
    return db.dialect.textIndex.takeInWaiting(INDEX, times).map((step, at, all) => ({
      query: { compile: () => step.compile(reader) },
      mustChange: at === all.length - 1,
    }))
  }

  async function look() {
    const waiting = db.dialect.textIndex.waiting(INDEX)
    const { rows } = await sql<{ count: number; fresh: number; last: number }>`
      select count(*) as count, count(case when no > ${lastSeen} then 1 end) as fresh, max(no) as last
      from (${waiting}) as w`.execute(reader)
    const { count = 0, fresh = 0, last } = rows[0] ?? {}
    lastSeen = Math.max(lastSeen, Number(last ?? 0))
    return { count: Number(count), fresh: Number(fresh) }
  }

  /** Types that were followed by a program which made trigrams in the transaction of a write. */
  async function followTypes(): Promise<void> {
    for (const typeNo of await findFollowedAsBefore(reader)) {
      const type = model().typeByNo(typeNo)
      if (!type) continue
      await db.main.transaction(undefined, (tx) =>
        followAnew(tx.as<ContentTables>(), db.dialect, type),
      )
    }
  }
}
