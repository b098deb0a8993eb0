import type { Kysely } from 'kysely'
import { type AnyTables, createCountersTable, type SqlDialect } from '#kernel'

/** Counts carry the epoch of their seed; the table and its functions anew. */
export async function up(db: Kysely<AnyTables>, { singleProcess }: SqlDialect): Promise<void> {
  if (!singleProcess) await createCountersTable(db)
}
