import { type Kysely, sql } from 'kysely'
import type { Period } from './periods.ts'
import type { Totals } from './rollup.ts'
import type { UsageTables } from './tables.ts'

type Reader = Kysely<UsageTables>

/** Both databases limit how many values a statement may carry. */
const KEYS_PER_QUERY = 500
/** From here on the whole period is read at once, in which most keys are asked for. */
const MANY_KEYS = 5_000

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
  const ofPeriod = db
    .selectFrom('access_usage_sums')
    .selectAll()
    .where('period', '=', period)
    .where('at', '=', atMs)
  if (keyIds.length > MANY_KEYS) {
    const asked = new Set(keyIds)
    for (const row of await ofPeriod.execute()) {
      if (asked.has(row.api_key_id)) totals.set(row.api_key_id, toTotals(row))
    }
    return totals
  }
  for (const some of chunks(keyIds)) {
    const rows = await ofPeriod.where('api_key_id', 'in', some).execute()
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

/** The totals of every key that has some in the range. */
export async function findTotalsIn(
  db: Reader,
  period: Period,
  { fromMs, toMs }: Range,
): Promise<Map<number, Totals>> {
  const rows = await db
    .selectFrom('access_usage_sums')
    .select(['api_key_id', ...TOTALS.map((name) => summed(name).as(name))])
    .where('period', '=', period)
    .where('at', '>=', fromMs)
    .where('at', '<', toMs)
    .groupBy('api_key_id')
    .execute()
  return new Map(rows.map((row) => [row.api_key_id, toTotals(row)]))
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

function* chunks(keyIds: readonly number[]): Generator<number[]> {
  for (let at = 0; at < keyIds.length; at += KEYS_PER_QUERY) {
    yield keyIds.slice(at, at + KEYS_PER_QUERY)
  }
}
