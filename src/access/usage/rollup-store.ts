import { type Kysely, sql } from 'kysely'
import { mergeInto, parseHistogram, renderHistogram } from './histogram.ts'
import type { UsageRecord } from './record.ts'
import { type EndpointSum, endpointName, type KeySum } from './rollup.ts'
import type { EndpointRow, KeyRow, UsageTables } from './tables.ts'

export type KeyTable =
  | 'access_usage_minutes'
  | 'access_usage_hours'
  | 'access_usage_days'
  | 'access_usage_months'

export type EndpointTable = 'access_usage_endpoint_hours' | 'access_usage_endpoint_days'

export interface JournalledRecord extends UsageRecord {
  readonly id: string
}

/** The ids of those that were not there before. */
export async function insertRecords(
  db: Kysely<UsageTables>,
  records: readonly JournalledRecord[],
): Promise<Set<string>> {
  const added = new Set<string>()
  for (const some of portions(records)) {
    const rows = await db
      .insertInto('access_usage_records')
      .values(some.map(toRecordRow))
      .onConflict((conflict) => conflict.column('record_id').doNothing())
      .returning('record_id')
      .execute()
    for (const row of rows) added.add(row.record_id)
  }
  return added
}

/** Adds to what is there and returns the new cost of each row. Holds the rows until the commit. */
export async function addToKeys(
  db: Kysely<UsageTables>,
  table: KeyTable,
  sums: readonly KeySum[],
): Promise<{ keyId: number; atMs: number; cost: number }[]> {
  const costs: { keyId: number; atMs: number; cost: number }[] = []
  for (const some of portions(sums)) {
    const rows = await db
      .insertInto(table)
      .values(some.map(toKeyRow))
      .onConflict((conflict) => conflict.columns(['api_key_id', 'at']).doUpdateSet(added(table)))
      .returning(['api_key_id', 'at', 'cost'])
      .execute()
    for (const row of rows) costs.push({ keyId: row.api_key_id, atMs: row.at, cost: row.cost })
  }
  return costs
}

/**
 * Histograms are merged here and not by the database. Nobody else can do so at the same time with
 * the same rows: the caller has added to the months of these keys before, and so holds them.
 */
export async function addToEndpoints(
  db: Kysely<UsageTables>,
  table: EndpointTable,
  sums: readonly EndpointSum[],
): Promise<void> {
  const kept = await findHistograms(db, table, sums)
  const rows = sums.map((sum) => {
    const histogram = new Map(sum.histogram)
    const before = kept.get(endpointName(sum))
    if (before !== undefined) mergeInto(histogram, parseHistogram(before))
    return toEndpointRow(sum, renderHistogram(histogram))
  })
  for (const some of portions(rows)) {
    await db
      .insertInto(table)
      .values(some)
      .onConflict((conflict) =>
        conflict
          .columns(['api_key_id', 'at', 'endpoint', 'method'])
          .doUpdateSet({ ...added(table), histogram: (row) => row.ref('excluded.histogram') }),
      )
      .execute()
  }
}

async function findHistograms(
  db: Kysely<UsageTables>,
  table: EndpointTable,
  sums: readonly EndpointSum[],
): Promise<Map<string, string>> {
  const kept = new Map<string, string>()
  for (const [atMs, group] of Map.groupBy(sums, (sum) => sum.atMs)) {
    for (const keyIds of portions([...new Set(group.map((sum) => sum.keyId))])) {
      const rows = await db
        .selectFrom(table)
        .select(['api_key_id', 'at', 'endpoint', 'method', 'histogram'])
        .where('api_key_id', 'in', keyIds)
        .where('at', '=', atMs)
        .execute()
      for (const { api_key_id, at, endpoint, method, histogram } of rows) {
        kept.set(endpointName({ keyId: api_key_id, atMs: at, endpoint, method }), histogram)
      }
    }
  }
  return kept
}

/**
 * Portions whose lengths are powers of two: however long batches are, there are only a few
 * different statements, so that storage threads need not prepare (and keep) one for each length.
 */
function* portions<T>(rows: readonly T[]): Generator<T[]> {
  let at = 0
  while (at < rows.length) {
    const size = 2 ** Math.floor(Math.log2(rows.length - at))
    yield rows.slice(at, at + size)
    at += size
  }
}

function added(table: KeyTable | EndpointTable) {
  const plus = (column: string) =>
    sql<number>`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`
  return {
    requests: plus('requests'),
    errors: plus('errors'),
    rejected: plus('rejected'),
    cost: plus('cost'),
    response_ms: plus('response_ms'),
  }
}

function toRecordRow(record: JournalledRecord) {
  return {
    record_id: record.id,
    api_key_id: record.keyId,
    endpoint: record.endpoint,
    method: record.method,
    status_code: record.status,
    response_ms: record.responseMs,
    created_at: record.atMs,
    counted: record.counted ? 1 : 0,
    cost: record.cost,
    request_id: record.requestId,
  }
}

function toKeyRow({ keyId, atMs, requests, errors, rejected, cost, responseMs }: KeySum): KeyRow {
  const totals = { requests, errors, rejected, cost, response_ms: responseMs }
  return { api_key_id: keyId, at: atMs, ...totals }
}

function toEndpointRow(sum: EndpointSum, histogram: string): EndpointRow {
  return { ...toKeyRow(sum), endpoint: sum.endpoint, method: sum.method, histogram }
}
