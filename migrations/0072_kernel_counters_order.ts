import type { Kysely } from 'kysely'
import { createCountersTable } from '#counters-sql'
import type { AnyTables, SqlDialect } from '#db'

/** Batches that began counters in different orders could wait for each other; the functions anew. */
export async function up(db: Kysely<AnyTables>, { singleProcess }: SqlDialect): Promise<void> {
  if (!singleProcess) await createCountersTable(db)
}
