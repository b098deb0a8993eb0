import type { Kysely } from 'kysely'
import type { AccessTables } from '../tables.ts'
import type { KeyInfo } from '../usage/index.ts'
import { toLimit } from './plans.ts'

type Db = Kysely<AccessTables>

export async function findKeyInfo(db: Db, id: number): Promise<KeyInfo | undefined> {
  const row = await keyInfos(db).where('access_keys.id', '=', id).executeTakeFirst()
  return row && toKeyInfo(row)
}

interface Owner {
  readonly userId?: number
  readonly planId?: number
}

/** In the order of their ids; all keys when nothing is asked for. */
export async function findKeyInfos(db: Db, { userId, planId }: Owner): Promise<KeyInfo[]> {
  let asked = keyInfos(db)
  if (userId !== undefined) asked = asked.where('access_keys.user_id', '=', userId)
  if (planId !== undefined) asked = asked.where('access_keys.plan_id', '=', planId)
  return (await asked.orderBy('access_keys.id').execute()).map(toKeyInfo)
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
      'access_keys.revoked_at',
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
    revokedAtMs: row.revoked_at,
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
