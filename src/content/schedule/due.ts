import { type Kysely, sql } from 'kysely'
import type { Database } from '#db'
import { anyOf, type Question } from '#jobs'
import type { ContentTables } from '../tables.ts'

/** An entry whose time has come. */
export interface DueEntry {
  readonly type_no: number
  readonly id: number
}

/** Others have their turn after so many. */
export const DUE_AT_ONCE = 100

const TIMES = ['publish_at', 'unpublish_at'] as const

/** Whether there is one. */
export function isAnyDue(db: Kysely<ContentTables>): Question {
  return (nowMs) => {
    const any = TIMES.map((column) =>
      anyOf(db.selectFrom('content_entries').where(column, '<=', nowMs), column),
    )
    return sql`coalesce(${sql.join(any)})`
  }
}

/** Entries that are due; few of all have a time, and only these are in the indexes. */
export async function findDue(db: Pick<Database, 'main'>, nowMs: number): Promise<DueEntry[]> {
  const reader: Kysely<ContentTables> = db.main.reader
  const due: DueEntry[] = []
  for (const column of TIMES) {
    const rows = await reader
      .selectFrom('content_entries')
      .select(['type_no', 'id'])
      .where(column, '<=', nowMs)
      .orderBy(column)
      .limit(DUE_AT_ONCE)
      .execute()
    due.push(...rows)
  }
  return due
}
