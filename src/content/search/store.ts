import { type Kysely, sql } from 'kysely'
import type { SqlDialect } from '#db'
import type { ContentTables } from '../tables.ts'
import type { IndexSource } from './indexed.ts'

type Db = Kysely<ContentTables>

/** How far the index is with a type. */
export interface IndexState {
  readonly typeNo: number
  /** What it was last told to hold; null: nothing yet. */
  readonly source: IndexSource | null
  /** The last copy that was taken in of those that were there before. */
  readonly indexedTo: number
  /** Nothing is missing. */
  readonly ready: boolean
}

export async function findIndexState(db: Db, typeNo: number): Promise<IndexState | undefined> {
  const row = await db
    .selectFrom('content_search_types')
    .selectAll()
    .where('type_no', '=', typeNo)
    .executeTakeFirst()
  return row && toState(row)
}

/** Types whose older copies are still to be taken in. */
export async function findUnready(db: Db): Promise<IndexState[]> {
  const rows = await db
    .selectFrom('content_search_types')
    .selectAll()
    .where('ready', '=', 0)
    .orderBy('type_no')
    .execute()
  return rows.map(toState)
}

function toState(row: {
  type_no: number
  source: string
  indexed_to: number
  ready: number
}): IndexState {
  const source: IndexSource | null = row.source === '' ? null : JSON.parse(row.source)
  return { typeNo: row.type_no, source, indexedTo: row.indexed_to, ready: row.ready === 1 }
}

/** Copies of a type whose texts are still to be made. */
interface Waiting {
  readonly typeNo: number
  readonly count: number
  readonly fresh: number
  readonly last: number
}

/** After its triggers were made. */
export async function saveIndexState(
  db: Db,
  { typeNo, source, indexedTo, ready }: IndexState,
): Promise<void> {
  const row = {
    source: source ? JSON.stringify(source) : '',
    indexed_to: indexedTo,
    ready: ready ? 1 : 0,
  }
  await db
    .insertInto('content_search_types')
    .values({ type_no: typeNo, ...row })
    .onConflict((conflict) => conflict.column('type_no').doUpdateSet(row))
    .execute()
}

/** How many copies of each type wait, and how many of these are newer than a copy. */
export async function countWaiting(db: Db, newerThan = 0): Promise<readonly Waiting[]> {
  const rows = await db
    .selectFrom('content_search_waiting')
    .select(({ fn, case: when }) => [
      'table_no',
      fn.countAll<number>().as('count'),
      fn.count<number>(when().when('no', '>', newerThan).then(1).end()).as('fresh'),
      fn.max('no').as('last'),
    ])
    .groupBy('table_no')
    .orderBy(({ fn }) => fn.min('no'))
    .execute()
  return rows.map(({ table_no, count, fresh, last }) => ({
    typeNo: table_no,
    count: Number(count),
    fresh: Number(fresh),
    last: Number(last),
  }))
}

/** The types of which copies wait. */
export async function findWaitingTypes(db: Db): Promise<ReadonlySet<number>> {
  const rows = await db.selectFrom('content_search_waiting').select('table_no').distinct().execute()
  return new Set(rows.map((row) => row.table_no))
}

/** Finds a row while the index is to hold this of the type; in a transaction it stays so until its end. */
export function isSource(db: Db, { rowLocks }: SqlDialect, typeNo: number, source: IndexSource) {
  return db
    .selectFrom('content_search_types')
    .select('type_no')
    .where('type_no', '=', typeNo)
    .where('source', '=', JSON.stringify(source))
    .$if(rowLocks, (query) => query.forShare())
}

/** False: what it is to hold has changed meanwhile, or the type is gone. */
export async function noteIndexed(
  db: Db,
  { typeNo, source }: IndexState,
  progress: { readonly indexedTo: number } | 'ready',
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('content_search_types')
    .set(progress === 'ready' ? { ready: 1 } : { indexed_to: progress.indexedTo })
    .where('type_no', '=', typeNo)
    .where('source', '=', JSON.stringify(source))
    .where('ready', '=', 0)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function forgetIndexState(db: Db, typeNo: number): Promise<void> {
  await db.deleteFrom('content_search_types').where('type_no', '=', typeNo).execute()
}

/** An estimate of how many copies there are: some numbers may be missing or belong to other types. */
export async function lastCopyOf(db: Db, table: string): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`
    select max(copy_no) as last from ${sql.table(table)}`.execute(db)
  return rows[0]?.last ?? 0
}
