import type { Kysely } from 'kysely'
import { againAfterDeadlock, type Database, type Tx } from '#db'
import type { Clock } from '#kernel'
import type { ContentModel, ContentType } from '../model.ts'
import { forgetIndexState } from '../search/store.ts'
import type { ContentTables } from '../tables.ts'
import { toType } from './build.ts'
import { dropPartsTable, dropValuesTable } from './ddl.ts'
import type { StoredType } from './definition.ts'
import { eventsAbout, type TellingDeps } from './entry-events.ts'
import { eraseEntries, findEntries } from './erase-store.ts'
import { forgetIndexesOf } from './index-store.ts'
import {
  clearNext,
  findLeftover,
  forgetLeftover,
  type Leftover,
  LONGEST_REQUEST_MS,
  noteLeftover,
} from './removed-values.ts'
import { deleteType } from './store.ts'

interface Deps extends TellingDeps {
  readonly db: Database
  readonly clock: Clock
  model(): ContentModel
}

const ENTRIES_PER_STEP = 25

/**
 * Finishes what a change of a type has left, in steps that hold up nobody. It may run on several
 * nodes at once and again after a crash: every step finds only what is still to be done.
 */
export function createCleanup({ db, clock, model, appendEvents, publicUrl }: Deps) {
  const reader: Kysely<ContentTables> = db.main.reader
  const writer: Kysely<ContentTables> = db.main.writer
  return { run }

  async function run(table: Leftover['table'], signal?: AbortSignal): Promise<void> {
    for (;;) {
      const leftover = await findLeftover(writer, table)
      if (!leftover || signal?.aborted) return
      if (leftover.emptied) return void (await inStep(leftover, (tx) => dropParts(tx, leftover)))
      if (leftover.drop) return dropType(leftover, leftover.drop, signal)
      if (!(await clearAll(leftover, signal))) return
      // What was noted meanwhile is another round.
      if (await forgetLeftover(writer, leftover)) return
    }
  }

  /** False when it was interrupted. */
  async function clearAll(leftover: Leftover, signal?: AbortSignal): Promise<boolean> {
    let last: number | null = 0
    while (last !== null) {
      if (signal?.aborted) return false
      const current = model()
      const sets = [...current.types, ...current.components]
      const set = sets.find(({ table }) => table === leftover.table)
      if (!set) return true
      const step = { dialect: db.dialect, main: db.main, reader, writer, model: current, set }
      last = await clearNext(step, leftover, last)
    }
    return true
  }

  async function dropType(leftover: Leftover, dropped: StoredType, signal?: AbortSignal) {
    const type = toType(dropped)
    for (let isEmpty = false; !isEmpty; ) {
      if (signal?.aborted) return
      isEmpty = await inStep(leftover, (tx) => dropNext(tx, type))
    }
    // Of a type that was never finished nobody has known.
    const isKnown = leftover.notBeforeMs === undefined
    if (isKnown) return void (await inStep(leftover, (tx) => keepForNow(tx, leftover)))
    await inStep(leftover, (tx) => dropTable(tx, leftover, type))
  }

  /** Requests that began before the type was removed find nothing in it, and the worker drops it later. */
  async function keepForNow(tx: Tx, leftover: Leftover): Promise<boolean> {
    const notBeforeMs = clock.now() + LONGEST_REQUEST_MS
    await noteLeftover(tx.as<ContentTables>(), { ...leftover, notBeforeMs })
    return true
  }

  /** Another node may be at it: each waits for the other's step, and one of them drops the table. */
  function inStep(leftover: Leftover, work: (tx: Tx) => Promise<boolean>): Promise<boolean> {
    const { dialect, main } = db
    const lock = dialect.rowLocks
    return againAfterDeadlock(dialect, () =>
      main.transaction(undefined, async (tx) => {
        const isOpen = await findLeftover(tx.as<ContentTables>(), leftover.table, { lock })
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

  async function dropParts(tx: Tx, leftover: Leftover): Promise<boolean> {
    const trx = tx.as<ContentTables>()
    await db.dialect.lockTable(leftover.table, 'all').execute(trx)
    await dropPartsTable(trx, Number(leftover.table.slice('content_c'.length)))
    return forgetLeftover(trx, leftover)
  }

  async function dropTable(tx: Tx, leftover: Leftover, type: ContentType): Promise<boolean> {
    const trx = tx.as<ContentTables>()
    await db.dialect.lockTable(type.table, 'all').execute(trx)
    await dropValuesTable(trx, db.dialect, type.no)
    // All that follows is there still when the type was never finished.
    await deleteType(trx, type.no)
    const isForgotten = await forgetLeftover(trx, leftover)
    await forgetIndexesOf(trx, type.table)
    await forgetIndexState(trx, type.no)
    return isForgotten
  }
}

export type Cleanup = ReturnType<typeof createCleanup>

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
