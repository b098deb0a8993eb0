import type { Kysely } from 'kysely'
import { type AnyTables, createCountersTable, type SqlDialect } from '#kernel'

/** A database of one process needs none: its counters are in the memory of that process. */
export async function up(db: Kysely<AnyTables>, { singleProcess }: SqlDialect): Promise<void> {
  if (!singleProcess) await createCountersTable(db)
}
