import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import type { Key, Plan } from '../records.ts'
import type { AccessTables, KeyStatus } from '../tables.ts'
import { toEndpoints, toLimit } from './plans.ts'

type Db = Kysely<AccessTables>
type Row = Selectable<AccessTables['access_keys']> & { last_used_at: number | null }

export interface KeyFilter {
  readonly userId?: number | undefined
  readonly planId?: number | undefined
  readonly status?: KeyStatus | undefined
  readonly prefix?: string | undefined
}

export const KEY_SORTS = [
  'id',
  'user_id',
  'plan_id',
  'name',
  'access',
  'created_at',
  'expires_at',
  'last_used_at',
] as const

const COLUMNS = {
  ...Object.fromEntries(KEY_SORTS.map((name) => [name, `access_keys.${name}`])),
  last_used_at: 'access_key_uses.last_used_at',
}

export async function findKey(db: Db, id: number): Promise<Key | undefined> {
  const row = await keys(db)
    .selectAll('access_keys')
    .select('access_key_uses.last_used_at')
    .where('access_keys.id', '=', id)
    .executeTakeFirst()
  return row && toKey(row)
}

/** `nowMs` decides which keys count as expired before their stored status says so. */
export async function findKeys(
  db: Db,
  filter: KeyFilter,
  list: ListQuery,
  nowMs: number,
): Promise<FoundPage<Key>> {
  const { userId, planId, prefix } = filter
  let filtered = withStatus(keys(db), filter.status, nowMs)
  if (userId !== undefined) filtered = filtered.where('access_keys.user_id', '=', userId)
  if (planId !== undefined) filtered = filtered.where('access_keys.plan_id', '=', planId)
  if (prefix !== undefined) filtered = filtered.where('access_keys.key_prefix', '=', prefix)
  const page = await findPage(
    filtered,
    (query) => query.selectAll('access_keys').select('access_key_uses.last_used_at'),
    list,
    COLUMNS,
  )
  return { ...page, rows: page.rows.map(toKey) }
}

export async function countActiveKeys(
  db: Db,
  { userId, planId }: { userId: number; planId: number },
  nowMs: number,
): Promise<number> {
  const { total } = await withStatus(keys(db), 'active', nowMs)
    .where('access_keys.user_id', '=', userId)
    .where('access_keys.plan_id', '=', planId)
    .where('access_keys.kind', '=', 'key')
    .select((query) => query.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

export async function hasActiveKeysOfPlan(db: Db, planId: number, nowMs: number) {
  const row = await withStatus(keys(db), 'active', nowMs)
    .select('access_keys.id')
    .where('access_keys.plan_id', '=', planId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** One that works, `besides` the key of that id: the owner must be an active admin too. */
export async function hasActiveAdminKey(db: Db, nowMs: number, besides?: number): Promise<boolean> {
  const row = await activeAdminKeys(db, nowMs, besides)
    .select('access_keys.id')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The plan of one of these, unless it is among `except`. */
export async function findAdminPlan(
  db: Db,
  nowMs: number,
  { besides, except }: { besides: number | undefined; except: readonly number[] },
): Promise<Pick<Plan, 'id' | 'endpoints' | 'requestsPerMonth'> | undefined> {
  const row = await activeAdminKeys(db, nowMs, besides)
    .innerJoin('access_plans', 'access_plans.id', 'access_keys.plan_id')
    .select(['access_plans.id', 'endpoints', 'requests_per_month'])
    .$if(except.length > 0, (query) => query.where('access_plans.id', 'not in', except))
    .limit(1)
    .executeTakeFirst()
  if (!row) return undefined
  const { id, endpoints, requests_per_month } = row
  return {
    ...{ id, endpoints: toEndpoints(endpoints) },
    requestsPerMonth: toLimit(requests_per_month),
  }
}

function activeAdminKeys(db: Db, nowMs: number, besides: number | undefined) {
  return withStatus(keys(db), 'active', nowMs)
    .innerJoin('access_users', 'access_users.id', 'access_keys.user_id')
    .where('access_keys.kind', '=', 'key')
    .where('access_keys.access', '=', 'admin')
    .$if(besides !== undefined, (query) => query.where('access_keys.id', '<>', besides ?? 0))
    .where('access_users.access', '=', 'admin')
    .where('access_users.status', '=', 'active')
}

export async function findUnrevokedKeysOf(db: Db, userId: number): Promise<Key[]> {
  const rows = await keys(db)
    .selectAll('access_keys')
    .select('access_key_uses.last_used_at')
    .where('access_keys.user_id', '=', userId)
    .where('access_keys.status', '<>', 'revoked')
    .orderBy('access_keys.id')
    .execute()
  return rows.map(toKey)
}

/** Active keys whose time has come, the longest overdue first. */
export async function findOverdueKeys(db: Db, nowMs: number, limit: number): Promise<Key[]> {
  const rows = await keys(db)
    .selectAll('access_keys')
    .select('access_key_uses.last_used_at')
    .where('access_keys.status', '=', 'active')
    .where('access_keys.expires_at', '<=', nowMs)
    .orderBy('access_keys.expires_at')
    .limit(limit)
    .execute()
  return rows.map(toKey)
}

export async function insertKey(
  db: Db,
  row: Insertable<AccessTables['access_keys']>,
): Promise<Key> {
  const inserted = await db
    .insertInto('access_keys')
    .values(row)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toKey({ ...inserted, last_used_at: null })
}

export async function updateKeys(
  db: Db,
  ids: readonly number[],
  change: Updateable<AccessTables['access_keys']>,
): Promise<void> {
  if (ids.length === 0) return
  await db.updateTable('access_keys').set(change).where('id', 'in', ids).execute()
}

function keys(db: Db) {
  return db
    .selectFrom('access_keys')
    .leftJoin('access_key_uses', 'access_key_uses.key_id', 'access_keys.id')
}

function withStatus(query: ReturnType<typeof keys>, status: KeyStatus | undefined, nowMs: number) {
  if (status === undefined) return query
  if (status === 'revoked') return query.where('access_keys.status', '=', 'revoked')
  if (status === 'active') {
    return query
      .where('access_keys.status', '=', 'active')
      .where((where) =>
        where.or([
          where('access_keys.expires_at', 'is', null),
          where('access_keys.expires_at', '>', nowMs),
        ]),
      )
  }
  return query.where((where) =>
    where.or([
      where('access_keys.status', '=', 'expired'),
      where.and([
        where('access_keys.status', '=', 'active'),
        where('access_keys.expires_at', '<=', nowMs),
      ]),
    ]),
  )
}

function toKey(row: Row): Key {
  return {
    id: row.id,
    userId: row.user_id,
    planId: row.plan_id,
    kind: row.kind,
    name: row.name,
    prefix: row.key_prefix,
    access: row.access,
    status: row.status,
    expiresAtMs: row.expires_at,
    createdAtMs: row.created_at,
    lastUsedAtMs: row.last_used_at,
    rotatedAtMs: row.rotated_at,
    previousPrefix: row.previous_key_prefix,
    previousValidUntilMs: row.previous_valid_until,
  }
}
