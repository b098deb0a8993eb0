import { type Period, startOf } from './periods.ts'
import type { UsageRecord } from './record.ts'

/** What every roll-up adds up. */
export interface Totals {
  /** Served: let through by the limits. */
  requests: number
  /** Of those the ones answered with 400 or above. */
  errors: number
  /** Refused by the limits. */
  rejected: number
  cost: number
  responseMs: number
}

/** The totals of one key in one period. */
export interface KeySum extends Totals {
  readonly keyId: number
  readonly period: Period
  readonly atMs: number
}

/** The totals of one endpoint of a key in one period, with the times of what was served. */
export interface EndpointSum extends KeySum {
  readonly endpoint: string
  readonly method: string
  readonly times: number[]
}

const LIMITED = 429
/** Usage is never limited: a 429 of its own means that too many streams are open. */
const UNLIMITED = '/api/v1/usage'

const PERIODS: readonly Period[] = ['minute', 'hour', 'day', 'month']
const ENDPOINT_PERIODS: readonly Period[] = ['hour', 'day']

/**
 * Adds up a batch. Free calls and those a plan does not include are in the records only: they are
 * neither served nor rejected.
 */
export function rollUp(records: readonly UsageRecord[]) {
  const cells = sumByMinute(records.filter((record) => record.counted || isRejected(record)))
  return { sums: sumByKey(cells), endpointSums: sumByEndpoint(cells) }
}

function isRejected({ counted, status, endpoint }: UsageRecord): boolean {
  return !counted && status === LIMITED && !endpoint.startsWith(UNLIMITED)
}

/** Each record is looked at once; whatever is longer than a minute is added up from these. */
function sumByMinute(records: readonly UsageRecord[]): EndpointSum[] {
  const cells = new Map<string, EndpointSum>()
  let sum: EndpointSum | undefined
  for (const record of records) {
    const atMs = startOf('minute', record.atMs)
    // Mostly the cell of the record before; its name takes longer than all the rest.
    if (!sum || !isOf(sum, record, atMs)) {
      const { keyId, endpoint, method } = record
      sum = endpointEntry(cells, { keyId, period: 'minute', atMs, endpoint, method })
    }
    if (!record.counted) {
      sum.rejected++
      continue
    }
    sum.requests++
    sum.cost += record.cost
    sum.responseMs += record.responseMs
    if (record.status >= 400) sum.errors++
    sum.times.push(record.responseMs)
  }
  return [...cells.values()]
}

function isOf(sum: EndpointSum, { keyId, endpoint, method }: UsageRecord, atMs: number): boolean {
  return (
    sum.atMs === atMs && sum.keyId === keyId && sum.endpoint === endpoint && sum.method === method
  )
}

/** Ordered: two nodes that add to the same rows must not wait for each other in a circle. */
function sumByKey(cells: readonly EndpointSum[]): KeySum[] {
  const sums = new Map<string, KeySum>()
  for (const cell of cells) {
    for (const period of PERIODS) {
      const place = { keyId: cell.keyId, period, atMs: startOf(period, cell.atMs) }
      const name = `${place.keyId} ${period} ${place.atMs}`
      const sum = sums.get(name) ?? { ...place, ...nothing() }
      sums.set(name, sum)
      add(sum, cell)
    }
  }
  return [...sums.values()].sort(compare)
}

function sumByEndpoint(cells: readonly EndpointSum[]): EndpointSum[] {
  const sums = new Map<string, EndpointSum>()
  for (const cell of cells) {
    const { keyId, endpoint, method } = cell
    for (const period of ENDPOINT_PERIODS) {
      const atMs = startOf(period, cell.atMs)
      const sum = endpointEntry(sums, { keyId, period, atMs, endpoint, method })
      add(sum, cell)
      for (const ms of cell.times) sum.times.push(ms)
    }
  }
  return [...sums.values()]
}

type EndpointPlace = Pick<EndpointSum, 'keyId' | 'period' | 'atMs' | 'endpoint' | 'method'>

/** Tells sums by endpoint apart. */
export function endpointName({ keyId, period, atMs, endpoint, method }: EndpointPlace): string {
  return `${keyId} ${period} ${atMs} ${method} ${endpoint}`
}

function endpointEntry(sums: Map<string, EndpointSum>, place: EndpointPlace): EndpointSum {
  const name = endpointName(place)
  const found = sums.get(name)
  if (found) return found
  const fresh = { ...place, ...nothing(), times: [] }
  sums.set(name, fresh)
  return fresh
}

function add(sum: Totals, more: Totals) {
  sum.requests += more.requests
  sum.errors += more.errors
  sum.rejected += more.rejected
  sum.cost += more.cost
  sum.responseMs += more.responseMs
}

function nothing(): Totals {
  return { requests: 0, errors: 0, rejected: 0, cost: 0, responseMs: 0 }
}

function compare(a: KeySum, b: KeySum): number {
  if (a.keyId !== b.keyId) return a.keyId - b.keyId
  return PERIODS.indexOf(a.period) - PERIODS.indexOf(b.period) || a.atMs - b.atMs
}
