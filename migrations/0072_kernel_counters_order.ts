import type { Kysely } from 'kysely'
import { type AnyTables, createCountersTable, type SqlDialect } from '#kernel'

/** Batches that began counters in different orders could wait for each other; the functions anew. */
export async function up(db: Kysely<AnyTables>, { singleProcess }: SqlDialect): Promise<void> {
  if (!singleProcess) await createCountersTable(db)
}
