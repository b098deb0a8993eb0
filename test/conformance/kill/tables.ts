import { sql } from 'kysely'
import type { Database, Tx } from '#db'
import type { JournalRecord } from '../../../src/kernel/journal/segment-reader.ts'
import { type UsageRecord, windowStart } from './usage.ts'

export interface ProofTables {
  proof_records: { record_id: string; request: string; key: string; cost: number; status: number }
  proof_rollups: { key: string; unit: string; starts_at: number; count: number; cost: number }
}

export interface DomainTables {
  proof_domain: { id: string }
}

export async function createProofTables({ main, aux, dialect }: Database): Promise<void> {
  const { text, bigint } = dialect.types
  await aux.writer.schema
    .createTable('proof_records')
    .ifNotExists()
    .addColumn('record_id', text, (column) => column.primaryKey())
    .addColumn('request', text, (column) => column.notNull())
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('cost', bigint, (column) => column.notNull())
    .addColumn('status', bigint, (column) => column.notNull())
    .execute()
  await aux.writer.schema
    .createTable('proof_rollups')
    .ifNotExists()
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('unit', text, (column) => column.notNull())
    .addColumn('starts_at', bigint, (column) => column.notNull())
    .addColumn('count', bigint, (column) => column.notNull())
    .addColumn('cost', bigint, (column) => column.notNull())
    .addPrimaryKeyConstraint('proof_rollups_key', ['key', 'unit', 'starts_at'])
    .execute()
  await main.writer.schema
    .createTable('proof_domain')
    .ifNotExists()
    .addColumn('id', text, (column) => column.primaryKey())
    .execute()
}

/** What the access module will do with usage: records and roll-ups in one transaction. */
export async function keepUsage(tx: Tx, records: readonly JournalRecord[]): Promise<void> {
  const trx = tx.as<ProofTables>()
  const rows = records.map(({ id, data }) => {
    const { request, key, cost, status } = usageOf(data)
    return { record_id: id, request, key, cost, status }
  })
  await trx.insertInto('proof_records').values(rows).execute()
  await trx
    .insertInto('proof_rollups')
    .values(rollUp(records))
    .onConflict((conflict) =>
      conflict.columns(['key', 'unit', 'starts_at']).doUpdateSet({
        count: sql`proof_rollups.count + excluded.count`,
        cost: sql`proof_rollups.cost + excluded.cost`,
      }),
    )
    .execute()
}

function rollUp(records: readonly JournalRecord[]): ProofTables['proof_rollups'][] {
  const rows = new Map<string, ProofTables['proof_rollups']>()
  for (const { data } of records) {
    const { key, cost, atMs } = usageOf(data)
    for (const unit of ['minute', 'month'] as const) {
      const starts_at = windowStart(unit, atMs)
      const id = `${key} ${unit} ${starts_at}`
      const row = rows.get(id) ?? { key, unit, starts_at, count: 0, cost: 0 }
      rows.set(id, { ...row, count: row.count + 1, cost: row.cost + cost })
    }
  }
  return [...rows.values()]
}

function usageOf(data: unknown): UsageRecord {
  if (typeof data === 'object' && data && isUsage(data)) return data
  throw new Error(`not a usage record: ${JSON.stringify(data)}`)
}

function isUsage(data: object): data is UsageRecord {
  return 'request' in data && 'key' in data && 'cost' in data && 'status' in data && 'atMs' in data
}
