import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/**
 * What a key's plan and a plan's price were until they changed, for invoices that cover the time
 * before. Whoever is not named here has had the present ones all along.
 */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('access_former_plans')
    .addColumn('id', types.serial)
    .addColumn('key_id', types.bigint, (column) => column.notNull())
    .addColumn('plan_id', types.bigint, (column) => column.notNull())
    .addColumn('until', types.bigint, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('access_former_plans_key')
    .on('access_former_plans')
    .columns(['key_id', 'until'])
    .execute()
  await db.schema
    .createTable('access_former_prices')
    .addColumn('id', types.serial)
    .addColumn('plan_id', types.bigint, (column) => column.notNull())
    .addColumn('price_cents', types.bigint, (column) => column.notNull())
    .addColumn('currency', types.text, (column) => column.notNull())
    .addColumn('until', types.bigint, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('access_former_prices_plan')
    .on('access_former_prices')
    .columns(['plan_id', 'until'])
    .execute()
}
