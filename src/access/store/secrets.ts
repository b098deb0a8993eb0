import type { Kysely } from 'kysely'
import type { AccessLevel } from '#kernel'
import type { AccessTables, KeyStatus } from '../tables.ts'
import { toEndpoints, toLimit } from './plans.ts'

type Db = Kysely<AccessTables>

/** A key with its owner and plan, as authentication needs it. */
export interface StoredKey {
  readonly id: number
  readonly access: AccessLevel
  readonly status: KeyStatus
  readonly expiresAtMs: number | null
  readonly user: {
    readonly id: number
    readonly uuid: string
    readonly access: AccessLevel
    readonly isActive: boolean
  }
  readonly plan: {
    readonly id: number
    readonly name: string
    readonly requestsPerMonth: number | null
    readonly requestsPerMinute: number | null
    readonly endpoints: readonly string[]
    readonly revision: number
  }
}

export interface StoredSecret {
  readonly prefix: string
  readonly hash: string
  readonly key: StoredKey
  /** Set for a secret that was rotated out: how long it still works. */
  readonly validUntilMs: number | null
}

/** Every secret that begins with one of these, of keys in any state, current or rotated out. */
export async function findSecrets(db: Db, prefixes: readonly string[]): Promise<StoredSecret[]> {
  const [current, old] = await Promise.all([
    whole(db)
      .select(['access_keys.key_hash as hash', 'access_keys.key_prefix as prefix'])
      .where('access_keys.key_prefix', 'in', prefixes)
      .execute(),
    whole(db)
      .innerJoin('access_old_secrets', 'access_old_secrets.key_id', 'access_keys.id')
      .select([
        'access_old_secrets.key_hash as hash',
        'access_old_secrets.key_prefix as prefix',
        'access_old_secrets.valid_until',
      ])
      .where('access_old_secrets.key_prefix', 'in', prefixes)
      .execute(),
  ])
  return [
    ...current.flatMap(({ hash, prefix, ...row }) =>
      hash === null || prefix === null
        ? []
        : [{ hash, prefix, key: toStoredKey(row), validUntilMs: null }],
    ),
    ...old.map(({ hash, prefix, valid_until, ...row }) => ({
      hash,
      prefix,
      key: toStoredKey(row),
      validUntilMs: valid_until,
    })),
  ]
}

export async function findStoredKey(db: Db, id: number): Promise<StoredKey | undefined> {
  const row = await whole(db).where('access_keys.id', '=', id).executeTakeFirst()
  return row && toStoredKey(row)
}

/** Whether the secret belongs or belonged to any key. */
export async function isKnownSecret(db: Db, hash: string): Promise<boolean> {
  const current = await db
    .selectFrom('access_keys')
    .select('id')
    .where('key_hash', '=', hash)
    .executeTakeFirst()
  if (current) return true
  const old = await db
    .selectFrom('access_old_secrets')
    .select('key_id')
    .where('key_hash', '=', hash)
    .executeTakeFirst()
  return old !== undefined
}

/** Ends what is left of the time of earlier secrets: at most two secrets of a key ever work. */
export async function retireSecret(
  db: Db,
  secret: AccessTables['access_old_secrets'],
  nowMs: number,
): Promise<void> {
  await db
    .updateTable('access_old_secrets')
    .set({ valid_until: nowMs })
    .where('key_id', '=', secret.key_id)
    .where('valid_until', '>', nowMs)
    .execute()
  await db.insertInto('access_old_secrets').values(secret).execute()
}

export async function findSecretOf(db: Db, keyId: number) {
  const row = await db
    .selectFrom('access_keys')
    .select(['key_hash', 'key_prefix'])
    .where('id', '=', keyId)
    .executeTakeFirst()
  const { key_hash: hash, key_prefix: prefix } = row ?? {}
  return hash && prefix ? { hash, prefix } : undefined
}

function whole(db: Db) {
  return db
    .selectFrom('access_keys')
    .innerJoin('access_users', 'access_users.id', 'access_keys.user_id')
    .innerJoin('access_plans', 'access_plans.id', 'access_keys.plan_id')
    .select([
      'access_keys.id',
      'access_keys.access',
      'access_keys.status',
      'access_keys.expires_at',
      'access_users.id as user_id',
      'access_users.uuid as user_uuid',
      'access_users.access as user_access',
      'access_users.status as user_status',
      'access_users.deleted_at as user_deleted_at',
      'access_plans.id as plan_id',
      'access_plans.name as plan_name',
      'access_plans.requests_per_month',
      'access_plans.requests_per_minute',
      'access_plans.endpoints',
      'access_plans.revision as plan_revision',
    ])
}

type WholeRow = Awaited<ReturnType<ReturnType<typeof whole>['executeTakeFirstOrThrow']>>

function toStoredKey(row: WholeRow): StoredKey {
  return {
    id: row.id,
    access: row.access,
    status: row.status,
    expiresAtMs: row.expires_at,
    user: {
      id: row.user_id,
      uuid: row.user_uuid,
      access: row.user_access,
      isActive: row.user_status === 'active' && row.user_deleted_at === null,
    },
    plan: {
      id: row.plan_id,
      name: row.plan_name,
      requestsPerMonth: toLimit(row.requests_per_month),
      requestsPerMinute: toLimit(row.requests_per_minute),
      endpoints: toEndpoints(row.endpoints),
      revision: row.plan_revision,
    },
  }
}
