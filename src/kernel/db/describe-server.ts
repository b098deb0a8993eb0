import { sql } from 'kysely'
import type { Database } from './database.ts'

/** Which version answers, and what time it is there. */
export async function describeServer({ main, dialect }: Database) {
  const { rows } = await sql<{ version: string; now_ms: number }>`
    select ${dialect.version} as version, ${dialect.nowMs()} as now_ms`.execute(main.reader)
  const [row] = rows
  if (!row) throw new Error('the database answered nothing')
  return { version: row.version, nowMs: row.now_ms }
}
