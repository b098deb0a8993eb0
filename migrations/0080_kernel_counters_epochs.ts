import type { Kysely } from 'kysely'
import { createCountersTable } from '#counters-sql'
import type { AnyTables, SqlDialect } from '#db'

/** Counts carry the epoch of their seed; the table and its functions anew. */
export async function up(db: Kysely<AnyTables>, { singleProcess }: SqlDialect): Promise<void> {
  if (!singleProcess) await createCountersTable(db)
}
