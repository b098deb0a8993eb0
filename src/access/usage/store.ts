import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Period } from './periods.ts'
import type { Totals } from './rollup.ts'
import type { RecordRow, UsageTables } from './tables.ts'

type Reader = Kysely<UsageTables>

/** Both databases limit how many values a statement may carry. */
const KEYS_PER_QUERY = 500

export interface Range {
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
}

/** The totals of each key in the period that starts at `atMs`; a key without usage is left out. */
export async function findTotals(
  db: Reader,
  period: Period,
  keyIds: readonly number[],
  atMs: number,
): Promise<Map<number, Totals>> {
  const totals = new Map<number, Totals>()
  for (const some of chunks(keyIds)) {
    const rows = await db
      .selectFrom('access_usage_sums')
      .selectAll()
      .where('api_key_id', 'in', some)
      .where('period', '=', period)
      .where('at', '=', atMs)
      .execute()
    for (const row of rows) totals.set(row.api_key_id, toTotals(row))
  }
  return totals
}

/** The totals of all keys together, by the start of the period. */
export async function findSeries(
  db: Reader,
  period: Period,
  keyIds: readonly number[],
  { fromMs, toMs }: Range,
): Promise<Map<number, Totals>> {
  const series = new Map<number, Totals>()
  for (const some of chunks(keyIds)) {
    const rows = await db
      .selectFrom('access_usage_sums')
      .select(['at', ...TOTALS.map((name) => summed(name).as(name))])
      .where('api_key_id', 'in', some)
      .where('period', '=', period)
      .where('at', '>=', fromMs)
      .where('at', '<', toMs)
      .groupBy('at')
      .execute()
    for (const row of rows) series.set(row.at, plus(series.get(row.at), toTotals(row)))
  }
  return series
}

export interface EndpointTotals extends Totals {
  readonly endpoint: string
  readonly method: string
  readonly histogram: string
}

/** One row for each endpoint of each key in each period of the range. */
export async function findEndpoints(
  db: Reader,
  period: Period,
  keyIds: readonly number[],
  { fromMs, toMs }: Range,
): Promise<EndpointTotals[]> {
  const found: EndpointTotals[] = []
  if (fromMs >= toMs) return found
  for (const some of chunks(keyIds)) {
    const rows = await db
      .selectFrom('access_usage_endpoint_sums')
      .selectAll()
      .where('api_key_id', 'in', some)
      .where('period', '=', period)
      .where('at', '>=', fromMs)
      .where('at', '<', toMs)
      .execute()
    for (const row of rows) {
      const { endpoint, method, histogram } = row
      found.push({ ...toTotals(row), endpoint, method, histogram })
    }
  }
  return found
}

export interface StoredRecord {
  readonly id: number
  readonly keyId: number
  readonly endpoint: string
  readonly method: string
  readonly statusCode: number
  readonly responseMs: number
  readonly createdAtMs: number
  readonly counted: boolean
  readonly cost: number
  readonly requestId: string
}

/** A place in the order of records: by time, and by id within the same millisecond. */
export interface Position {
  readonly createdAtMs: number
  readonly id: number
}

export interface RecordQuery {
  readonly keyId: number
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
  readonly statusCode: number | undefined
  readonly endpoint: string | undefined
  readonly direction: 'older' | 'newer'
  /** Only records beyond it in this direction. */
  readonly beyond: Position | null
  /** Ends a query that has to look through too much. */
  readonly bound: RawBuilder<boolean> | null
  readonly limit: number
}

/** Walks the key's index in the wanted direction, so the first page costs as much as the last. */
export async function findRecords(db: Reader, query: RecordQuery): Promise<StoredRecord[]> {
  const order = query.direction === 'older' ? 'desc' : 'asc'
  const { fromMs, toMs, statusCode, endpoint, beyond } = query
  let rows = db
    .selectFrom('access_usage_records')
    .selectAll()
    .$if(query.bound !== null, (rows) => rows.where(query.bound ?? sql<boolean>`true`))
    .where('api_key_id', '=', query.keyId)
    .orderBy('created_at', order)
    .orderBy('id', order)
    .limit(query.limit)
  if (fromMs !== undefined) rows = rows.where('created_at', '>=', fromMs)
  if (toMs !== undefined) rows = rows.where('created_at', '<', toMs)
  if (statusCode !== undefined) rows = rows.where('status_code', '=', statusCode)
  if (statusCode !== undefined && statusCode >= 300) rows = rows.where(IS_INDEXED)
  if (endpoint !== undefined) rows = rows.where('endpoint', '=', endpoint)
  if (beyond) {
    const sign = sql.raw(query.direction === 'older' ? '<' : '>')
    const place = sql`(${beyond.createdAtMs}, ${beyond.id})`
    rows = rows.where(sql<boolean>`(created_at, id) ${sign} ${place}`)
  }
  return (await rows.execute()).map(toRecord)
}

/** Must stand in the query as it stands in the migration, or the index is not used. */
const IS_INDEXED = sql<boolean>`status_code >= 300`

/** The time of the record, or of the nearest one stored before it when it is no longer there. */
export async function findPosition(db: Reader, id: number): Promise<Position | undefined> {
  const row = await db
    .selectFrom('access_usage_records')
    .select('created_at')
    .where('id', '<=', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { createdAtMs: row.created_at, id }
}

const TOTALS = ['requests', 'errors', 'rejected', 'cost', 'response_ms'] as const

/** PostgreSQL adds up 64-bit integers to a decimal, which would arrive as text. */
function summed(column: (typeof TOTALS)[number]) {
  return sql<number>`cast(sum(${sql.ref(column)}) as bigint)`
}

type TotalColumns = Record<(typeof TOTALS)[number], number>

function toTotals({ requests, errors, rejected, cost, response_ms }: TotalColumns): Totals {
  return { requests, errors, rejected, cost, responseMs: response_ms }
}

export function plus(a: Totals | undefined, b: Totals): Totals {
  if (!a) return b
  return {
    requests: a.requests + b.requests,
    errors: a.errors + b.errors,
    rejected: a.rejected + b.rejected,
    cost: a.cost + b.cost,
    responseMs: a.responseMs + b.responseMs,
  }
}

function toRecord(row: { [K in keyof RecordRow]: K extends 'id' ? number : RecordRow[K] }) {
  const record: StoredRecord = {
    id: row.id,
    keyId: row.api_key_id,
    endpoint: row.endpoint,
    method: row.method,
    statusCode: row.status_code,
    responseMs: row.response_ms,
    createdAtMs: row.created_at,
    counted: row.counted === 1,
    cost: row.cost,
    requestId: row.request_id,
  }
  return record
}

function* chunks(keyIds: readonly number[]): Generator<number[]> {
  for (let at = 0; at < keyIds.length; at += KEYS_PER_QUERY) {
    yield keyIds.slice(at, at + KEYS_PER_QUERY)
  }
}
