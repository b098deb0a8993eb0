import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** A write knows the number of its entry before it begins: every row that names it can travel with it. */
export async function up(
  db: Kysely<AnyTables>,
  { sequences, giveKeys }: SqlDialect,
): Promise<void> {
  await sequences.create(db, 'content_entry')
  const { rows } = await sql<{
    last: number | null
  }>`select max(no) as last from content_entries`.execute(db)
  const last = rows[0]?.last ?? 0
  if (last > 0) await sequences.skipTo(db, 'content_entry', last)
  await giveKeys('content_entries', 'no', 'content_entry').execute(db)
}
