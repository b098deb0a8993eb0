import { type Kysely, sql } from 'kysely'
import type { Database } from '#db'
import type { ContentTables } from '../tables.ts'

interface Deps {
  readonly db: Database
  keptRevisions(): number
}

/** Entries that are looked at in one plan. */
const AT_ONCE = 200

/**
 * Removes revisions that are too many. Those of entries that were changed are marked as fresh, so that nobody has to
 * look through all of them; only when fewer are to be kept than before every entry is looked at.
 */
export function createPruning({ db, keptRevisions }: Deps) {
  const reader: Kysely<ContentTables> = db.main.reader
  let before = 0
  return { prune }

  async function prune(signal: AbortSignal): Promise<void> {
    const most = keptRevisions()
    const isFewer = most < before || most === 0
    before = most
    for (let last = 0; !signal.aborted; ) {
      const nos = await findEntries(last, isFewer)
      const end = nos.at(-1)
      if (end === undefined) return
      await pruneEntries(nos, most)
      last = end
    }
  }

  async function findEntries(after: number, isAll: boolean): Promise<number[]> {
    const rows = await reader
      .selectFrom('content_revisions')
      .select('entry_no')
      .distinct()
      .where('entry_no', '>', after)
      .$if(!isAll, (query) => query.where('fresh', '=', sql.lit(1)))
      .orderBy('entry_no')
      .limit(AT_ONCE)
      .execute()
    return rows.map((row) => row.entry_no)
  }

  async function pruneEntries(nos: readonly number[], most: number): Promise<void> {
    const ranked = sql`select revision_id, row_number() over (partition by entry_no order by revision_id desc) as n
      from content_revisions where entry_no in (${sql.join(nos)})`
    const tooOld = sql`delete from content_revisions where revision_id in (
      select r.revision_id from (${ranked}) as r where r.n > ${most})`
    const seen = sql`update content_revisions set fresh = 0
      where entry_no in (${sql.join(nos)}) and fresh = 1`
    const steps = [tooOld, seen].map((step) => ({ query: { compile: () => step.compile(reader) } }))
    await db.main.carryOut(steps)
  }
}
