import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** Who could read types that are gone; until there were permissions every key could. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .alterTable('content_former_types')
    .addColumn('read_level', types.text, (column) => column.notNull().defaultTo('read'))
    .execute()
}
