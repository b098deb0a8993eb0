import type { Kysely } from 'kysely'
import { againAfterDeadlock, type Database, type Tx } from '#db'
import type { ContentModel, ContentType } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { toType } from './build.ts'
import { dropValuesTable } from './ddl.ts'
import type { StoredType } from './definition.ts'
import { eventsAbout, type TellingDeps } from './entry-events.ts'
import { eraseEntries, findEntries } from './erase-store.ts'
import { findTidying, forgetTidying, type Tidying, tidyNext } from './removed-values.ts'

interface Deps extends TellingDeps {
  readonly db: Database
  model(): ContentModel
}

const ENTRIES_PER_STEP = 25

/**
 * Finishes what a change of a type has left, in steps that hold up nobody. It may run on several
 * nodes at once and again after a crash: every step finds only what is still to be done.
 */
export function createTidier({ db, model, appendEvents, publicUrl }: Deps) {
  const reader: Kysely<ContentTables> = db.main.reader
  const writer: Kysely<ContentTables> = db.main.writer
  return { tidy }

  async function tidy(table: Tidying['table'], signal?: AbortSignal): Promise<void> {
    for (;;) {
      const tidying = await findTidying(writer, table)
      if (!tidying || signal?.aborted) return
      if (tidying.drop) return dropType(tidying, tidying.drop, signal)
      if (!(await tidyAll(tidying, signal))) return
      // What was noted meanwhile is another round.
      if (await forgetTidying(writer, tidying)) return
    }
  }

  /** False when it was interrupted. */
  async function tidyAll(tidying: Tidying, signal?: AbortSignal): Promise<boolean> {
    let last: number | null = 0
    while (last !== null) {
      if (signal?.aborted) return false
      const current = model()
      const sets = [...current.types, ...current.components]
      const set = sets.find(({ table }) => table === tidying.table)
      if (!set) return true
      const step = { dialect: db.dialect, reader, writer, model: current, set }
      last = await tidyNext(step, tidying, last)
    }
    return true
  }

  async function dropType(tidying: Tidying, dropped: StoredType, signal?: AbortSignal) {
    const type = toType(dropped)
    for (let isEmpty = false; !isEmpty; ) {
      if (signal?.aborted) return
      isEmpty = await inStep(tidying, (tx) => dropNext(tx, type))
    }
    await inStep(tidying, (tx) => dropTable(tx, tidying, type))
  }

  /** Another node may be at it: each waits for the other's step, and one of them drops the table. */
  function inStep(tidying: Tidying, work: (tx: Tx) => Promise<boolean>): Promise<boolean> {
    const { dialect, main } = db
    const lock = dialect.rowLocks
    return againAfterDeadlock(dialect, () =>
      main.transaction(undefined, async (tx) => {
        const isOpen = await findTidying(tx.as<ContentTables>(), tidying.table, { lock })
        return isOpen ? work(tx) : true
      }),
    )
  }

  /** The next entries, each told as every other deletion is; true when nothing is left. */
  async function dropNext(tx: Tx, type: ContentType): Promise<boolean> {
    const trx = tx.as<ContentTables>()
    const entries = await findEntries(trx, type.no, ENTRIES_PER_STEP)
    const told = { type, model: model(), action: 'deleted', publicUrl } as const
    const events = await eventsAbout(trx, entries, told)
    await orphan(
      trx,
      entries.map((entry) => entry.document_id),
    )
    const numbers = entries.map((entry) => entry.no)
    const parts = model().components.map((component) => component.no)
    await eraseEntries(trx, type.table, numbers, parts)
    if (events.length > 0) await appendEvents(tx, events)
    return entries.length < ENTRIES_PER_STEP
  }

  async function dropTable(tx: Tx, tidying: Tidying, type: ContentType): Promise<boolean> {
    const trx = tx.as<ContentTables>()
    await db.dialect.lockTable(type.table, 'all').execute(trx)
    await dropValuesTable(trx, db.dialect, type.no)
    return forgetTidying(trx, tidying)
  }
}

export type Tidier = ReturnType<typeof createTidier>

/** Children of other types stay, without a parent. */
async function orphan(db: Kysely<ContentTables>, documents: readonly string[]) {
  if (documents.length === 0) return
  await db
    .updateTable('content_entries')
    .set({ parent: null, ancestors_live: 1 })
    .where('parent', 'in', documents)
    .execute()
  await db.deleteFrom('content_links').where('target', 'in', documents).execute()
}
