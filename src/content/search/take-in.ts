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
/** So many that came since the last look are an import, which is let pass. */
const AN_IMPORT = 300
/** Otherwise others have the writer for so many times as long as a step. */
const PASSING = 3
/** Until it is looked again how many wait. */
const STEPS = 20

/** After each step of whoever takes texts in. */
export async function tidyIndex({ main, dialect }: Database): Promise<void> {
  const steps = dialect.textIndex.tidy(INDEX)
  if (steps.length === 0) return
  await main.carryOut(
    steps.map((step) => ({ query: { compile: () => step.compile(main.reader) } })),
  )
}

/** Makes the trigrams of what was written, in steps that hold up nobody. */
export function createWaitingTexts({ db, model }: Deps) {
  const reader: Kysely<ContentTables> = db.main.reader
  const steps = db.dialect.textIndex.takeInWaiting(INDEX).map((step, at, all) => ({
    query: { compile: () => step.compile(reader) },
    mustChange: at === all.length - 1,
  }))
  let lastSeen = 0
  return { takeIn, followTypes }

  /** True: there may be more to do at once. */
  async function takeIn(signal: AbortSignal): Promise<boolean> {
    const { count, fresh } = await look()
    const areMany = count >= MANY
    if (fresh > AN_IMPORT && !areMany) return false
    for (let step = 0; step < STEPS && !signal.aborted; step++) {
      const startedMs = performance.now()
      if (!(await db.main.carryOut(steps))) return false
      await tidyIndex(db)
      const pauseMs = areMany ? 0 : (performance.now() - startedMs) * PASSING
      await delay(pauseMs, undefined, { signal }).catch(() => {})
    }
    return true
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
