import type { Kysely } from 'kysely'
import { createCountersTable } from '#counters-sql'
import type { AnyTables, SqlDialect } from '#db'

/** A database of one process needs none: its counters are in the memory of that process. */
export async function up(db: Kysely<AnyTables>, { singleProcess }: SqlDialect): Promise<void> {
  if (!singleProcess) await createCountersTable(db)
}
