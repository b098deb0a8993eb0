import type { Generated } from 'kysely'
import type { Database } from '#db'
import type { ClaimOptions } from '../../../src/kernel/jobs/claim.ts'

/** A table such as a module has: rows that are due at a time and worked on by one holder. */
export interface JobTables {
  jobs: {
    id: number
    due_at: number
    runs: Generated<number>
    lease_owner: string | null
    lease_until: number | null
  }
}

export async function createJobs({ main, dialect: { types } }: Database) {
  await main.writer.schema
    .createTable('jobs')
    .addColumn('id', types.bigint, (column) => column.primaryKey())
    .addColumn('due_at', types.bigint, (column) => column.notNull())
    .addColumn('runs', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('lease_owner', types.text)
    .addColumn('lease_until', types.bigint)
    .execute()
}

export async function addJobs({ main }: Database, from: number, count: number, dueAt = 0) {
  for (let at = from; at < from + count; at += 500) {
    const size = Math.min(500, from + count - at)
    const rows = Array.from({ length: size }, (_, i) => ({ id: at + i, due_at: dueAt + at + i }))
    await main.writer.insertInto('jobs').values(rows).execute()
  }
}

export function nextJobs(size: {
  limit: number
  leaseMs: number
}): ClaimOptions<JobTables, 'jobs', 'id'> {
  return {
    ...size,
    table: 'jobs',
    key: 'id',
    due: (query, nowMs) => query.where('due_at', '<=', nowMs),
    order: ['due_at', 'id'],
  }
}
