import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import { histogramOf, merge, parseHistogram, renderHistogram } from './histogram.ts'
import type { UsageRecord } from './record.ts'
import { type EndpointSum, endpointName, type KeySum } from './rollup.ts'
import type { SumRow, UsageTables } from './tables.ts'

// Rows travel as one JSON text, which costs a third of what a parameter for each value does and
// needs one statement for batches of every size. Its members are numbered because both databases
// take an object apart by the same name, and a list by different ones.

export interface JournalledRecord extends UsageRecord {
  readonly id: string
}

/** The ids of those that were not there before. */
export async function insertRecords(
  db: Kysely<UsageTables>,
  records: readonly JournalledRecord[],
): Promise<Set<string>> {
  const given = rows(records.map(toRecordRow))
  const { rows: added } = await sql<{ record_id: string }>`
    insert into access_usage_records (record_id, endpoint, method, request_id, api_key_id,
      created_at, status_code, response_ms, counted, cost)
    select ${text(0)}, ${text(1)}, ${text(2)}, ${text(3)}, ${integer(4)}, ${integer(5)},
      ${integer(6)}, ${integer(7)}, ${integer(8)}, ${integer(9)}
    from ${given} where true
    on conflict (record_id) do nothing
    returning record_id`.execute(db)
  return new Set(added.map((row) => row.record_id))
}

/** A month that grew, with what it comes to now. */
export interface MonthCost {
  readonly keyId: number
  readonly atMs: number
  readonly cost: number
  /** Of the seed that the key's month counter has come to. */
  readonly epoch: number
}

/** Adds to what is there. The rows are held until the commit. */
export async function addSums(
  db: Kysely<UsageTables>,
  sums: readonly KeySum[],
): Promise<MonthCost[]> {
  if (sums.length === 0) return []
  return addGiven(db, sums.map(toSumRow))
}

type GivenRow = readonly (string | number)[]

async function addGiven(db: Kysely<UsageTables>, given: readonly GivenRow[]): Promise<MonthCost[]> {
  const { rows: kept } = await sql<Selectable<SumRow>>`
    insert into access_usage_sums (${TOTALS}, api_key_id, period, at)
    select ${totals}, ${integer(5)}, ${text(6)}, ${integer(7)}
    from ${rows(given)} where true
    on conflict (api_key_id, period, at) do update set ${added('access_usage_sums')}
    returning api_key_id, period, at, cost, epoch`.execute(db)
  return kept
    .filter(({ period }) => period === 'month')
    .map(({ api_key_id, at, cost, epoch }) => ({ keyId: api_key_id, atMs: at, cost, epoch }))
}

/**
 * The month's sums of these keys, held until the commit: nobody can add to them or open an epoch
 * meanwhile. A key without usage gets a row of nothing, to have something to hold. In the order in
 * which `addSums` takes its rows.
 */
export async function holdMonths(
  db: Kysely<UsageTables>,
  keyIds: readonly number[],
  monthMs: number,
): Promise<MonthCost[]> {
  const given = [...keyIds]
    .sort((a, b) => a - b)
    .map((keyId) => [0, 0, 0, 0, 0, keyId, 'month', monthMs])
  return addGiven(db, given)
}

/** Of months that are held: from now on their records may lie in no seed. */
export async function openEpochs(db: Kysely<UsageTables>, months: readonly MonthCost[]) {
  if (months.length === 0) return
  const held = sql`select ${integer(0)}, ${text(1)}, ${integer(2)}
    from ${rows(months.map(({ keyId, atMs }) => [keyId, 'month', atMs]))}`
  await db
    .updateTable('access_usage_sums')
    .set({ epoch: sql`epoch + 1` })
    .where(sql<boolean>`(api_key_id, period, at) in (${held})`)
    .execute()
}

/**
 * Histograms are merged here and not by the database. Nobody else can do so at the same time with
 * the same rows: the caller has added to the sums of these keys before, and so holds them.
 */
export async function addEndpointSums(
  db: Kysely<UsageTables>,
  sums: readonly EndpointSum[],
): Promise<void> {
  if (sums.length === 0) return
  const kept = await findHistograms(db, sums)
  const given = sums.map((sum) => {
    const fresh = histogramOf(sum.times)
    const before = kept.get(endpointName(sum))
    const histogram = before === undefined ? fresh : merge(parseHistogram(before), fresh)
    return [...toSumRow(sum), sum.endpoint, sum.method, renderHistogram(histogram)]
  })
  await sql`
    insert into access_usage_endpoint_sums (${TOTALS}, api_key_id, period, at,
      endpoint, method, histogram)
    select ${totals}, ${integer(5)}, ${text(6)}, ${integer(7)}, ${text(8)}, ${text(9)}, ${text(10)}
    from ${rows(given)} where true
    on conflict (api_key_id, period, at, endpoint, method)
    do update set ${added('access_usage_endpoint_sums')}, histogram = excluded.histogram`.execute(
    db,
  )
}

/** Of the keys and periods in question; endpoints that are not may be among them. */
async function findHistograms(
  db: Kysely<UsageTables>,
  sums: readonly EndpointSum[],
): Promise<Map<string, string>> {
  const asked = new Map(
    sums.map(({ keyId, period, atMs }) => [`${keyId} ${period} ${atMs}`, [keyId, period, atMs]]),
  )
  const wanted = sql`select ${integer(0)}, ${text(1)}, ${integer(2)} from ${rows([...asked.values()])}`
  const found = await db
    .selectFrom('access_usage_endpoint_sums')
    .select(['api_key_id', 'period', 'at', 'endpoint', 'method', 'histogram'])
    .where(sql<boolean>`(api_key_id, period, at) in (${wanted})`)
    .execute()
  return new Map(
    found.map(({ api_key_id, period, at, endpoint, method, histogram }) => [
      endpointName({ keyId: api_key_id, period, atMs: at, endpoint, method }),
      histogram,
    ]),
  )
}

function rows(lists: readonly (readonly (string | number)[])[]): RawBuilder<unknown> {
  return sql`json_each(${JSON.stringify({ ...lists })})`
}

function text(column: number): RawBuilder<string> {
  return sql`value ->> ${sql.lit(column)}`
}

function integer(column: number): RawBuilder<number> {
  return sql`cast(value ->> ${sql.lit(column)} as bigint)`
}

const NAMES = ['requests', 'errors', 'rejected', 'cost', 'response_ms']
const TOTALS = sql.join(NAMES.map((name) => sql.ref(name)))
const totals = sql.join(NAMES.map((_, column) => integer(column)))

function added(table: string): RawBuilder<unknown> {
  const sets = NAMES.map((name) => {
    const [kept, given] = [sql.ref(`${table}.${name}`), sql.ref(`excluded.${name}`)]
    return sql`${sql.ref(name)} = ${kept} + ${given}`
  })
  return sql.join(sets)
}

function toRecordRow(record: JournalledRecord) {
  return [
    record.id,
    record.endpoint,
    record.method,
    record.requestId,
    record.keyId,
    record.atMs,
    record.status,
    record.responseMs,
    record.counted ? 1 : 0,
    record.cost,
  ]
}

function toSumRow(sum: KeySum) {
  const { requests, errors, rejected, cost, responseMs } = sum
  return [requests, errors, rejected, cost, responseMs, sum.keyId, sum.period, sum.atMs]
}
