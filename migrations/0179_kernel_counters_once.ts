import type { Kysely } from 'kysely'
import { createCountersTable } from '#counters-sql'
import type { AnyTables, SqlDialect } from '#db'

/** Decisions read and write each counter once; the functions anew. */
export async function up(db: Kysely<AnyTables>, { singleProcess }: SqlDialect): Promise<void> {
  if (!singleProcess) await createCountersTable(db)
}
