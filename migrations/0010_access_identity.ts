import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** Users, plans, keys and the other credentials (access contract §1, §2). */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await createUsers(db, types)
  await createPlans(db, types)
  await createKeys(db, types)
  await createKeyParts(db, types)
  await createPassing(db, types)
}

type Types = SqlDialect['types']

async function createUsers(db: Kysely<AnyTables>, types: Types) {
  await db.schema
    .createTable('access_users')
    .addColumn('id', types.serial)
    .addColumn('uuid', types.text, (column) => column.notNull().unique())
    .addColumn('email', types.text)
    // What makes addresses the same whatever their case; null once the user is deleted.
    .addColumn('email_folded', types.text, (column) => column.unique())
    .addColumn('name', types.text)
    .addColumn('access', types.text, (column) => column.notNull())
    .addColumn('status', types.text, (column) => column.notNull())
    .addColumn('password_hash', types.text)
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .addColumn('deleted_at', types.bigint)
    .addColumn('revision', types.bigint, (column) => column.notNull())
    .execute()
  await index(db, 'access_users', 'revision')
}

async function createPlans(db: Kysely<AnyTables>, types: Types) {
  await db.schema
    .createTable('access_plans')
    .addColumn('id', types.serial)
    .addColumn('name', types.text, (column) => column.notNull())
    // -1 is unlimited (Doc 2 §2.1).
    .addColumn('requests_per_month', types.bigint, (column) => column.notNull())
    .addColumn('requests_per_minute', types.bigint, (column) => column.notNull())
    .addColumn('endpoints', types.text, (column) => column.notNull())
    .addColumn('price_cents', types.bigint, (column) => column.notNull())
    .addColumn('currency', types.text, (column) => column.notNull())
    .addColumn('keys_per_user', types.bigint, (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .addColumn('deleted_at', types.bigint)
    .addColumn('revision', types.bigint, (column) => column.notNull())
    .execute()
  await index(db, 'access_plans', 'revision')
}

async function createKeys(db: Kysely<AnyTables>, types: Types) {
  await db.schema
    .createTable('access_keys')
    .addColumn('id', types.serial)
    .addColumn('user_id', types.bigint, (column) => column.notNull().references('access_users.id'))
    .addColumn('plan_id', types.bigint, (column) => column.notNull().references('access_plans.id'))
    // Only `key` has a secret; the others are records that an OAuth client or integration owns.
    .addColumn('kind', types.text, (column) => column.notNull())
    .addColumn('name', types.text)
    .addColumn('key_hash', types.text, (column) => column.unique())
    .addColumn('key_prefix', types.text)
    .addColumn('access', types.text, (column) => column.notNull())
    .addColumn('status', types.text, (column) => column.notNull())
    .addColumn('expires_at', types.bigint)
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('rotated_at', types.bigint)
    .addColumn('previous_key_prefix', types.text)
    .addColumn('previous_valid_until', types.bigint)
    .addColumn('revoked_at', types.bigint)
    .addColumn('revoke_reason', types.text)
    .addColumn('revision', types.bigint, (column) => column.notNull())
    .execute()
  // Five random characters collide among many keys, so it is not unique (access contract §2.2).
  await index(db, 'access_keys', 'key_prefix')
  await index(db, 'access_keys', 'user_id')
  await index(db, 'access_keys', 'plan_id')
  await index(db, 'access_keys', 'revision')
  await db.schema
    .createIndex('access_keys_expiring')
    .on('access_keys')
    .column('expires_at')
    .where(sql.ref('status'), '=', sql.lit('active'))
    .execute()
  await db.schema
    .createIndex('access_keys_admin')
    .on('access_keys')
    .column('user_id')
    .where(sql.ref('access'), '=', sql.lit('admin'))
    .execute()
}

async function createKeyParts(db: Kysely<AnyTables>, types: Types) {
  await db.schema
    .createTable('access_old_secrets')
    .addColumn('key_hash', types.text, (column) => column.primaryKey())
    .addColumn('key_prefix', types.text, (column) => column.notNull())
    .addColumn('key_id', types.bigint, (column) => column.notNull().references('access_keys.id'))
    .addColumn('valid_until', types.bigint, (column) => column.notNull())
    .execute()
  await index(db, 'access_old_secrets', 'key_prefix')
  await index(db, 'access_old_secrets', 'key_id')

  // Apart from the keys, so that writing down their use never waits for a change of them.
  await db.schema
    .createTable('access_key_uses')
    .addColumn('key_id', types.bigint, (column) => column.primaryKey())
    .addColumn('last_used_at', types.bigint, (column) => column.notNull())
    .execute()
}

async function createPassing(db: Kysely<AnyTables>, types: Types) {
  await db.schema
    .createTable('access_sign_ins')
    .addColumn('token_hash', types.text, (column) => column.primaryKey())
    .addColumn('user_id', types.bigint, (column) => column.notNull().references('access_users.id'))
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('expires_at', types.bigint, (column) => column.notNull())
    .execute()
  await index(db, 'access_sign_ins', 'user_id')
  await index(db, 'access_sign_ins', 'expires_at')

  await db.schema
    .createTable('access_tickets')
    .addColumn('ticket_hash', types.text, (column) => column.primaryKey())
    .addColumn('user_id', types.bigint, (column) => column.notNull())
    .addColumn('api_key_id', types.bigint)
    .addColumn('access', types.text, (column) => column.notNull())
    .addColumn('asked_by', types.text, (column) => column.notNull())
    .addColumn('expires_at', types.bigint, (column) => column.notNull())
    .execute()
  await index(db, 'access_tickets', 'expires_at')
}

async function index(db: Kysely<AnyTables>, table: string, column: string) {
  await db.schema.createIndex(`${table}_${column}`).on(table).column(column).execute()
}
