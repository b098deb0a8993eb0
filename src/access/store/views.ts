import type { Kysely, Selectable } from 'kysely'
import { isObject, parseExactJson } from '#kernel'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import type { AccessTables } from '../tables.ts'

type Db = Kysely<AccessTables>
type Row = Selectable<AccessTables['access_views']>

type Query = Readonly<Record<string, unknown>>

export interface View {
  readonly id: number
  readonly userId: number | null
  readonly area: string
  readonly name: string
  readonly query: Query
  readonly isShared: boolean
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

export interface ViewFigures {
  readonly area: string
  readonly name: string
  readonly query: Query
  readonly isShared: boolean
}

export const VIEW_SORTS = ['id', 'name', 'area', 'created_at', 'updated_at'] as const
const COLUMNS = Object.fromEntries(VIEW_SORTS.map((name) => [name, name]))

export async function findView(db: Db, id: number): Promise<View | undefined> {
  const row = await db
    .selectFrom('access_views')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toView(row)
}

/** Own ones and those that others share. */
export async function findViews(
  db: Db,
  { userId, area }: { readonly userId: number; readonly area: string | undefined },
  list: ListQuery,
): Promise<FoundPage<View>> {
  const visible = db
    .selectFrom('access_views')
    .where((row) => row.or([row('user_id', '=', userId), row('is_shared', '=', 1)]))
    .$if(area !== undefined, (query) => query.where('area', '=', area ?? ''))
  const page = await findPage(visible, (query) => query.selectAll(), list, COLUMNS)
  return { ...page, rows: page.rows.map(toView) }
}

export async function countViewsOf(db: Db, userId: number): Promise<number> {
  const { found } = await db
    .selectFrom('access_views')
    .select((row) => row.fn.countAll<number | string>().as('found'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(found)
}

export async function insertView(
  db: Db,
  figures: ViewFigures,
  { userId, nowMs }: { readonly userId: number; readonly nowMs: number },
): Promise<View> {
  const row = await db
    .insertInto('access_views')
    .values({ ...toRow(figures), user_id: userId, created_at: nowMs, updated_at: nowMs })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toView(row)
}

export async function updateView(
  db: Db,
  id: number,
  figures: ViewFigures,
  nowMs: number,
): Promise<View | undefined> {
  const row = await db
    .updateTable('access_views')
    .set({ ...toRow(figures), updated_at: nowMs })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row && toView(row)
}

export async function deleteView(db: Db, id: number): Promise<void> {
  await db.deleteFrom('access_views').where('id', '=', id).execute()
}

/** Of a user who is deleted: colleagues keep what was shared with them. */
export async function leaveViewsOf(db: Db, userId: number): Promise<void> {
  await db
    .deleteFrom('access_views')
    .where('user_id', '=', userId)
    .where('is_shared', '=', 0)
    .execute()
  await db
    .updateTable('access_views')
    .set({ user_id: null })
    .where('user_id', '=', userId)
    .execute()
}

function toRow({ area, name, query, isShared }: ViewFigures) {
  return { area, name, query: JSON.stringify(query), is_shared: isShared ? 1 : 0 }
}

function toView(row: Row): View {
  return {
    id: row.id,
    userId: row.user_id,
    area: row.area,
    name: row.name,
    query: toQuery(row.query),
    isShared: row.is_shared === 1,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  }
}

/** With numbers as they were saved: a filter by a long id shall find the same tomorrow. */
function toQuery(text: string): Query {
  const query = parseExactJson(text)
  return isObject(query) ? query : {}
}
