import type { Kysely } from 'kysely'
import type { AccessTables } from '../tables.ts'
import type { KeyInfo } from '../usage/index.ts'
import { toLimit } from './plans.ts'

type Db = Kysely<AccessTables>

export async function findKeyInfo(db: Db, id: number): Promise<KeyInfo | undefined> {
  const row = await keyInfos(db).where('access_keys.id', '=', id).executeTakeFirst()
  return row && toKeyInfo(row)
}

export async function findKeyInfosOf(db: Db, userId: number): Promise<KeyInfo[]> {
  const rows = await keyInfos(db)
    .where('access_keys.user_id', '=', userId)
    .orderBy('access_keys.id')
    .execute()
  return rows.map(toKeyInfo)
}

export async function hasUser(db: Db, id: number): Promise<boolean> {
  const row = await db
    .selectFrom('access_users')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

/** Users and plans are never removed from their tables, so nothing is lost by the joins. */
function keyInfos(db: Db) {
  return db
    .selectFrom('access_keys')
    .innerJoin('access_users', 'access_users.id', 'access_keys.user_id')
    .innerJoin('access_plans', 'access_plans.id', 'access_keys.plan_id')
    .select([
      'access_keys.id',
      'access_keys.user_id',
      'access_users.uuid',
      'access_keys.status',
      'access_keys.created_at',
      'access_keys.expires_at',
      'access_plans.id as plan_id',
      'access_plans.name as plan_name',
      'access_plans.requests_per_month',
      'access_plans.requests_per_minute',
      'access_plans.price_cents',
      'access_plans.currency',
    ])
}

type Row = Awaited<ReturnType<ReturnType<typeof keyInfos>['executeTakeFirstOrThrow']>>

function toKeyInfo(row: Row): KeyInfo {
  return {
    id: row.id,
    userId: row.user_id,
    consumerId: row.uuid,
    status: row.status,
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
    plan: {
      id: row.plan_id,
      name: row.plan_name,
      requestsPerMonth: toLimit(row.requests_per_month),
      requestsPerMinute: toLimit(row.requests_per_minute),
      priceCents: row.price_cents,
      currency: row.currency,
    },
  }
}
