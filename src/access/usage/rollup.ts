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

const PERIODS: readonly Period[] = ['minute', 'hour', 'day', 'month']
const ENDPOINT_PERIODS: readonly Period[] = ['hour', 'day']

/**
 * Adds up a batch. Free calls and those a plan does not include are in the records only: they are
 * neither served nor rejected.
 */
export function rollUp(records: readonly UsageRecord[]) {
  const figured = records.filter((record) => record.counted || isRejected(record))
  return { sums: sumByKey(figured), endpointSums: sumByEndpoint(figured) }
}

export function isRejected({ counted, status }: UsageRecord): boolean {
  return !counted && status === LIMITED
}

/** Ordered: two nodes that add to the same rows must not wait for each other in a circle. */
function sumByKey(records: readonly UsageRecord[]): KeySum[] {
  const sums = new Map<string, KeySum>()
  for (const record of records) {
    for (const period of PERIODS) {
      const { keyId } = record
      const atMs = startOf(period, record.atMs)
      const sum = entry(sums, `${keyId} ${period} ${atMs}`, () => empty(keyId, period, atMs))
      add(sum, record)
    }
  }
  return [...sums.values()].sort(compare)
}

function sumByEndpoint(records: readonly UsageRecord[]): EndpointSum[] {
  const sums = new Map<string, EndpointSum>()
  for (const record of records) {
    const { keyId, endpoint, method } = record
    for (const period of ENDPOINT_PERIODS) {
      const atMs = startOf(period, record.atMs)
      const sum = entry(sums, endpointName({ keyId, period, atMs, endpoint, method }), () => ({
        ...empty(keyId, period, atMs),
        endpoint,
        method,
        times: [],
      }))
      add(sum, record)
      if (record.counted) sum.times.push(record.responseMs)
    }
  }
  return [...sums.values()]
}

/** Tells sums by endpoint apart. */
export function endpointName(
  sum: Pick<EndpointSum, 'keyId' | 'period' | 'atMs' | 'endpoint' | 'method'>,
): string {
  return `${sum.keyId} ${sum.period} ${sum.atMs} ${sum.method} ${sum.endpoint}`
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

function empty(keyId: number, period: Period, atMs: number): KeySum {
  return { keyId, period, atMs, requests: 0, errors: 0, rejected: 0, cost: 0, responseMs: 0 }
}

function entry<T>(map: Map<string, T>, name: string, create: () => T): T {
  const found = map.get(name)
  if (found) return found
  const fresh = create()
  map.set(name, fresh)
  return fresh
}

function compare(a: KeySum, b: KeySum): number {
  if (a.keyId !== b.keyId) return a.keyId - b.keyId
  return PERIODS.indexOf(a.period) - PERIODS.indexOf(b.period) || a.atMs - b.atMs
}
