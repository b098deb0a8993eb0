import { addTo, type Histogram } from './histogram.ts'
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
  readonly atMs: number
}

export interface MonthSum extends KeySum {
  /** Of the latest request: what the month is compared with. */
  monthLimit: number | null
  latestMs: number
}

/** The totals of one endpoint of a key in one period, with its response times. */
export interface EndpointSum extends KeySum {
  readonly endpoint: string
  readonly method: string
  readonly histogram: Histogram
}

export interface RollUp {
  readonly minutes: readonly KeySum[]
  readonly hours: readonly KeySum[]
  readonly days: readonly KeySum[]
  readonly months: readonly MonthSum[]
  readonly endpointHours: readonly EndpointSum[]
  readonly endpointDays: readonly EndpointSum[]
}

const LIMITED = 429

/**
 * Adds up a batch. Free calls and those a plan does not include are in the records only: they are
 * neither served nor rejected. All lists are ordered, so that two nodes that add to the same rows
 * reach them in the same order and never wait for each other in a circle.
 */
export function rollUp(records: readonly UsageRecord[]): RollUp {
  const figured = records.filter((record) => record.counted || isRejected(record))
  const sum = (period: Period) => sumPeriods(figured, period)
  return {
    minutes: sum('minute'),
    hours: sum('hour'),
    days: sum('day'),
    months: sumMonths(figured),
    endpointHours: sumEndpoints(figured, 'hour'),
    endpointDays: sumEndpoints(figured, 'day'),
  }
}

export function isRejected({ counted, status }: UsageRecord): boolean {
  return !counted && status === LIMITED
}

function sumPeriods(records: readonly UsageRecord[], period: Period): KeySum[] {
  const sums = new Map<string, KeySum>()
  for (const record of records) {
    const atMs = startOf(period, record.atMs)
    const sum = entry(sums, `${record.keyId} ${atMs}`, () => empty(record.keyId, atMs))
    add(sum, record)
  }
  return [...sums.values()].sort(compare)
}

function sumMonths(records: readonly UsageRecord[]): MonthSum[] {
  const sums = new Map<string, MonthSum>()
  for (const record of records) {
    const atMs = startOf('month', record.atMs)
    const sum = entry(sums, `${record.keyId} ${atMs}`, () => ({
      ...empty(record.keyId, atMs),
      monthLimit: null,
      latestMs: 0,
    }))
    add(sum, record)
    // Threads write their own files, so a batch is not in the order of time.
    if (record.atMs < sum.latestMs) continue
    sum.latestMs = record.atMs
    sum.monthLimit = record.monthLimit
  }
  return [...sums.values()].sort(compare)
}

function sumEndpoints(records: readonly UsageRecord[], period: Period): EndpointSum[] {
  const sums = new Map<string, EndpointSum>()
  for (const record of records) {
    const { keyId, endpoint, method } = record
    const atMs = startOf(period, record.atMs)
    const sum = entry(sums, endpointName({ keyId, atMs, endpoint, method }), () => {
      const histogram: Histogram = new Map()
      return { ...empty(keyId, atMs), endpoint, method, histogram }
    })
    add(sum, record)
    if (record.counted) addTo(sum.histogram, record.responseMs)
  }
  return [...sums.values()].sort(
    (a, b) =>
      compare(a, b) || compareText(a.endpoint, b.endpoint) || compareText(a.method, b.method),
  )
}

/** Tells rows of one roll-up by endpoint apart. */
export function endpointName(
  row: Pick<EndpointSum, 'keyId' | 'atMs' | 'endpoint' | 'method'>,
): string {
  return `${row.keyId} ${row.atMs} ${row.method} ${row.endpoint}`
}

function add(sum: Totals, record: UsageRecord) {
  if (!record.counted) {
    sum.rejected++
    return
  }
  sum.requests++
  sum.cost += record.cost
  sum.responseMs += record.responseMs
  if (record.status >= 400) sum.errors++
}

function empty(keyId: number, atMs: number): KeySum {
  return { keyId, atMs, requests: 0, errors: 0, rejected: 0, cost: 0, responseMs: 0 }
}

function entry<T>(map: Map<string, T>, name: string, create: () => T): T {
  const found = map.get(name)
  if (found) return found
  const fresh = create()
  map.set(name, fresh)
  return fresh
}

function compare(a: KeySum, b: KeySum): number {
  return a.keyId - b.keyId || a.atMs - b.atMs
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
