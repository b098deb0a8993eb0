import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { SqlDialect } from '#db'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import { foldEmail, foldName, type User } from '../records.ts'
import type { AccessTables, UserStatus } from '../tables.ts'

type Db = Kysely<AccessTables>
type Row = Selectable<AccessTables['access_users']>

export interface UserWithPassword {
  readonly user: User
  readonly passwordHash: string | null
}

export interface UserFilter {
  readonly status?: UserStatus | undefined
  readonly email?: string | undefined
  readonly createdFromMs?: number | undefined
  /** A part of the e-mail address or the name, in any case. */
  readonly search?: string | undefined
}

export const USER_SORTS = [
  'id',
  'email',
  'name',
  'access',
  'status',
  'created_at',
  'updated_at',
] as const

const COLUMNS = Object.fromEntries(USER_SORTS.map((name) => [name, name]))

/** Deleted users are found by none of these. */
export async function findUser(db: Db, id: number): Promise<User | undefined> {
  const row = await present(db).selectAll().where('id', '=', id).executeTakeFirst()
  return row && toUser(row)
}

export async function findUsersOf(db: Db, ids: readonly number[]): Promise<Map<number, User>> {
  if (ids.length === 0) return new Map()
  const rows = await present(db).selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, toUser(row)]))
}

export async function findUserByEmail(
  db: Db,
  email: string,
): Promise<UserWithPassword | undefined> {
  const row = await present(db)
    .selectAll()
    .where('email_folded', '=', foldEmail(email))
    .executeTakeFirst()
  return row && { user: toUser(row), passwordHash: row.password_hash }
}

export async function findUserWithPassword(
  db: Db,
  id: number,
): Promise<UserWithPassword | undefined> {
  const row = await present(db).selectAll().where('id', '=', id).executeTakeFirst()
  return row && { user: toUser(row), passwordHash: row.password_hash }
}

/** The one who was there first. */
export async function findActiveAdmin(db: Db): Promise<User | undefined> {
  const row = await activeAdmins(db).selectAll().orderBy('id').limit(1).executeTakeFirst()
  return row && toUser(row)
}

export async function hasActiveAdmin(db: Db): Promise<boolean> {
  return (await activeAdmins(db).select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Whether anybody ever was here, deleted ones included. */
export async function hasUsers(db: Db): Promise<boolean> {
  const row = await db.selectFrom('access_users').select('id').limit(1).executeTakeFirst()
  return row !== undefined
}

export function findUsers(
  db: Db,
  { contains }: Pick<SqlDialect, 'contains'>,
  { status, email, createdFromMs, search }: UserFilter,
  list: ListQuery,
): Promise<FoundPage<User>> {
  let filtered = present(db)
  if (status !== undefined) filtered = filtered.where('status', '=', status)
  if (email !== undefined) filtered = filtered.where('email_folded', '=', foldEmail(email))
  if (createdFromMs !== undefined) filtered = filtered.where('created_at', '>=', createdFromMs)
  if (search !== undefined) {
    const part = sql`${foldName(search) ?? ''}`
    filtered = filtered.where(({ or, ref }) =>
      or([contains(ref('email_folded'), part), contains(ref('name_folded'), part)]),
    )
  }
  return findPage(filtered, (query) => query.selectAll(), list, COLUMNS).then((page) => ({
    ...page,
    rows: page.rows.map(toUser),
  }))
}

export async function insertUser(
  db: Db,
  row: Insertable<AccessTables['access_users']>,
): Promise<User> {
  return toUser(
    await db.insertInto('access_users').values(row).returningAll().executeTakeFirstOrThrow(),
  )
}

export async function updateUser(
  db: Db,
  id: number,
  change: Updateable<AccessTables['access_users']>,
): Promise<User> {
  return toUser(
    await db
      .updateTable('access_users')
      .set(change)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}

function present(db: Db) {
  return db.selectFrom('access_users').where('deleted_at', 'is', null)
}

function activeAdmins(db: Db) {
  return present(db).where('access', '=', 'admin').where('status', '=', 'active')
}

function toUser(row: Row): User {
  return {
    id: row.id,
    uuid: row.uuid,
    email: row.email ?? '',
    name: row.name,
    access: row.access,
    status: row.status,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  }
}
