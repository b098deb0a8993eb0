import { type Kysely, sql } from 'kysely'
import type { ContentType } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import type { StoredValue } from './words.ts'

type Db = Kysely<ContentTables>

/** A copy that modules have not been asked about as it is now. */
export interface WaitingCopy {
  readonly copy_no: number
  readonly id: number
  readonly live: number
}

/** A copy, as what it was when modules were asked about it. */
export interface RecordedCopy {
  readonly copyNo: number
  readonly revisionId: number
  readonly updatedAtMs: number
  /** By the key of the field. */
  readonly values: ReadonlyMap<string, readonly StoredValue[]>
}

/** `sinceMs`: only of those that were written after it; null: of all. */
export async function findWaiting(
  db: Db,
  type: ContentType,
  registration: string,
  sinceMs: number | null,
  most: number,
): Promise<readonly WaitingCopy[]> {
  const isRecent = sinceMs === null ? sql`1 = 1` : sql`v.updated_at >= ${sinceMs}`
  const isShown = type.draftAndPublish ? sql`(v.live = 1 or v.work = 1)` : sql`v.live = 1`
  const { rows } = await sql<WaitingCopy>`
    select v.copy_no, v.id, v.live from ${sql.table(type.table)} as v
    left join content_index_copies as c on c.registration = ${registration} and c.copy_no = v.copy_no
    where ${isRecent} and ${isShown}
      and (c.copy_no is null or c.revision_id <> v.revision_id or c.updated_at <> v.updated_at
        or c.shape <> ${type.shape})
    order by v.copy_no limit ${most}`.execute(db)
  return rows
}

/** Whoever records the same copy at the same time waits for the row of it, so that the last one counts whole. */
export async function saveRecorded(
  trx: Db,
  type: ContentType,
  registration: string,
  copies: readonly RecordedCopy[],
): Promise<void> {
  const own = copies.map(({ copyNo, revisionId, updatedAtMs }) => ({
    ...{ registration, copy_no: copyNo, type_no: type.no, shape: type.shape },
    ...{ revision_id: revisionId, updated_at: updatedAtMs },
  }))
  await trx
    .insertInto('content_index_copies')
    .values(own)
    .onConflict((conflict) =>
      conflict.columns(['registration', 'copy_no']).doUpdateSet((row) => ({
        shape: row.ref('excluded.shape'),
        revision_id: row.ref('excluded.revision_id'),
        updated_at: row.ref('excluded.updated_at'),
      })),
    )
    .execute()
  const numbers = copies.map(({ copyNo }) => copyNo)
  await trx
    .deleteFrom('content_index_values')
    .where('copy_no', 'in', numbers)
    .where('field', 'like', `${registration}:%`)
    .execute()
  const values = copies.flatMap(({ copyNo, values: said }) =>
    [...said].flatMap(([field, list]) =>
      list.map((value, position) => ({ field, copy_no: copyNo, position, ...value })),
    ),
  )
  for (let at = 0; at < values.length; at += ROWS_AT_ONCE) {
    const some = values.slice(at, at + ROWS_AT_ONCE)
    await trx.insertInto('content_index_values').values(some).execute()
  }
}

const ROWS_AT_ONCE = 500

/** What was said of copies of this type that are gone. */
export async function forgetGone(db: Db, { no, table }: ContentType): Promise<void> {
  const gone = sql<number>`select c.copy_no from content_index_copies as c where c.type_no = ${no}
    and not exists (select 1 from ${sql.table(table)} as v where v.copy_no = c.copy_no)`
  await sql`delete from content_index_values where copy_no in (${gone})`.execute(db)
  await sql`delete from content_index_copies where copy_no in (${gone})`.execute(db)
}

/** What other modules said, and what was said of types that are gone. */
export async function forgetOthers(
  db: Db,
  registration: string,
  types: readonly ContentType[],
): Promise<void> {
  const numbers = types.map(({ no }) => no)
  const isGone = numbers.length === 0 ? sql`1 = 1` : sql`c.type_no not in (${sql.join(numbers)})`
  await sql`delete from content_index_values where field not like ${`${registration}:%`}`.execute(
    db,
  )
  await sql`delete from content_index_values where copy_no in (
    select c.copy_no from content_index_copies as c where ${isGone})`.execute(db)
  await sql`delete from content_index_copies as c where c.registration <> ${registration} or ${isGone}`.execute(
    db,
  )
}
