import type { Kysely } from 'kysely'
import type { Database } from '#kernel'
import type { ContentModel } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { dropValuesTable } from './ddl.ts'
import { eraseEntries, findEntries } from './erase-store.ts'
import { tidyNext } from './tidy-store.ts'
import { findTidying, forgetTidying, type Tidying } from './tidying.ts'

interface Deps {
  readonly db: Database
  model(): ContentModel
}

const ENTRIES_PER_STEP = 50

/**
 * Finishes what a change of a type has left, in steps that hold up nobody. It may run on several
 * nodes at once and again after a crash: every step finds only what is still to be done.
 */
export function createTidier({ db, model }: Deps) {
  const reader: Kysely<ContentTables> = db.main.reader
  const writer: Kysely<ContentTables> = db.main.writer
  return { tidy }

  async function tidy(table: Tidying['table'], signal?: AbortSignal): Promise<void> {
    for (;;) {
      const tidying = await findTidying(writer, table)
      if (!tidying || signal?.aborted) return
      if (tidying.drop) return dropType(table, signal)
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

  async function dropType(table: Tidying['table'], signal?: AbortSignal): Promise<void> {
    const no = Number(table.replace('content_v', ''))
    while (!signal?.aborted) {
      const isDone = await db.main.transaction(undefined, async (tx) => {
        const trx = tx.as<ContentTables>()
        // Another node may be at it: each waits for the other's step, the last one drops the table.
        const lock = db.dialect.rowLocks
        if (!(await findTidying(trx, table, { lock }))) return true
        const entries = await findEntries(trx, no, ENTRIES_PER_STEP)
        const numbers = entries.map((entry) => entry.no)
        await orphan(
          trx,
          entries.map((entry) => entry.document_id),
        )
        const parts = model().components.map((component) => component.no)
        await eraseEntries(trx, `content_v${no}`, numbers, parts)
        if (entries.length === ENTRIES_PER_STEP) return false
        await dropValuesTable(trx, db.dialect, no)
        await forgetTidying(trx, { table, columns: [], attributeNos: [], drop: true })
        return true
      })
      if (isDone) return
    }
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
