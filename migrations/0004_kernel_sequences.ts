import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

export async function up(db: Kysely<AnyTables>, { sequences }: SqlDialect): Promise<void> {
  await sequences.prepare(db)
}
