import type { Database } from './database.ts'

/** Where plans depend on how many rows tables have: has those counted that have grown much since. */
export async function countTables(
  { dialect, main }: Pick<Database, 'dialect' | 'main'>,
  signal: AbortSignal,
): Promise<void> {
  if (!dialect.counts) return
  const { rows } = await dialect.counts.grown.execute(main.reader)
  for (const { table } of rows) {
    if (signal.aborted) return
    await dialect.counts.count(table).execute(main.writer)
  }
}
