import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { Clock } from '#kernel'
import { meanMs } from './figures.ts'
import { type Histogram, merge, parseHistogram, percentile } from './histogram.ts'
import { badParameter } from './instant.ts'
import { kept } from './kept.ts'
import { DAY_MS, startAtOrAfter, startOf } from './periods.ts'
import type { Totals } from './rollup.ts'
import { keyIdsOf, type Scope } from './scope.ts'
import { type EndpointTotals, findEndpoints, plus, type Range } from './store.ts'
import type { UsageTables } from './tables.ts'

export interface EndpointUsage {
  readonly endpoint: string
  readonly method: string
  readonly requests: number
  readonly errors: number
  readonly rejected: number
  readonly avgResponseMs: number
  readonly p50ResponseMs: number
  readonly p95ResponseMs: number
  readonly p99ResponseMs: number
}

export interface EndpointsQuery {
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
}

interface Deps {
  readonly db: Pick<Database, 'aux'>
  readonly clock: Clock
}

interface Found {
  readonly endpoint: string
  readonly method: string
  histogram: Histogram
  totals: Totals
}

const MAX_DAYS = 1_500
const MAX_ENDPOINTS = 1_000

/** What is called most, and how fast it answers; it reads roll-ups only. */
export function createEndpoints({ db, clock }: Deps) {
  const reader: Kysely<UsageTables> = db.aux.reader
  return { endpointsOf }

  async function endpointsOf(scope: Scope, query: EndpointsQuery) {
    const range = endpointRange(query, clock.now())
    const keyIds = keyIdsOf(scope)
    const { days, edges } = split(range)
    const rows = await Promise.all([
      findEndpoints(reader, 'day', keyIds, days),
      ...edges.map((edge) => findEndpoints(reader, 'hour', keyIds, edge)),
    ])
    return { range, endpoints: addUp(rows.flat()).slice(0, MAX_ENDPOINTS) }
  }
}

export type Endpoints = ReturnType<typeof createEndpoints>

/** Whole hours, by default those of this month; whole days where hours are no longer kept. */
export function endpointRange({ fromMs, toMs }: EndpointsQuery, nowMs: number): Range {
  const endMs = toMs ?? nowMs + 1
  const startMs = fromMs ?? startOf('month', Math.min(nowMs, endMs - 1))
  if (startMs >= endMs) throw badParameter('from', 'must be before to')
  if (endMs - startMs > MAX_DAYS * DAY_MS) {
    throw badParameter('from', `and to are more than ${MAX_DAYS} days apart`)
  }
  const unit = (atMs: number) => (atMs < kept(nowMs).hour ? 'day' : 'hour')
  return {
    fromMs: startOf(unit(startMs), startMs),
    toMs: startAtOrAfter(unit(endMs), endMs),
  }
}

/** Long ranges are read by the day, and only the hours at both ends by the hour. */
export function split({ fromMs, toMs }: Range): { days: Range; edges: Range[] } {
  const firstDay = startAtOrAfter('day', fromMs)
  const lastDay = startOf('day', toMs)
  if (firstDay >= lastDay) {
    return { days: { fromMs: firstDay, toMs: firstDay }, edges: [{ fromMs, toMs }] }
  }
  return {
    days: { fromMs: firstDay, toMs: lastDay },
    edges: [
      { fromMs, toMs: firstDay },
      { fromMs: lastDay, toMs },
    ],
  }
}

function addUp(rows: readonly EndpointTotals[]): EndpointUsage[] {
  const byEndpoint = new Map<string, Found>()
  for (const row of rows) {
    const { endpoint, method } = row
    const name = `${method} ${endpoint}`
    const found = byEndpoint.get(name)
    const histogram = parseHistogram(row.histogram)
    if (found) {
      found.totals = plus(found.totals, row)
      found.histogram = merge(found.histogram, histogram)
    } else {
      byEndpoint.set(name, { endpoint, method, histogram, totals: row })
    }
  }
  return [...byEndpoint.values()].map(toUsage).sort(mostUsedFirst)
}

function toUsage({ endpoint, method, totals, histogram }: Found): EndpointUsage {
  const { requests, errors, rejected } = totals
  return {
    endpoint,
    method,
    requests,
    errors,
    rejected,
    avgResponseMs: meanMs(totals),
    p50ResponseMs: percentile(histogram, 0.5),
    p95ResponseMs: percentile(histogram, 0.95),
    p99ResponseMs: percentile(histogram, 0.99),
  }
}

function mostUsedFirst(a: EndpointUsage, b: EndpointUsage): number {
  if (a.requests !== b.requests) return b.requests - a.requests
  if (a.rejected !== b.rejected) return b.rejected - a.rejected
  return `${a.endpoint} ${a.method}` < `${b.endpoint} ${b.method}` ? -1 : 1
}
