import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { Clock } from '#kernel'
import { meanMs, NONE } from './figures.ts'
import { badParameter } from './instant.ts'
import { kept } from './kept.ts'
import { lengthMs, startAtOrAfter, startOf, toIso } from './periods.ts'
import type { Totals } from './rollup.ts'
import { keyIdsOf, type Scope } from './scope.ts'
import { findSeries, type Range } from './store.ts'
import type { UsageTables } from './tables.ts'

export type Interval = 'minute' | 'hour' | 'day'

export interface Point {
  readonly at: string
  readonly requests: number
  readonly errors: number
  readonly rejected: number
  readonly avgResponseMs: number
}

export interface SeriesQuery {
  readonly interval: Interval
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
}

interface Deps {
  readonly db: Pick<Database, 'aux'>
  readonly clock: Clock
}

const MAX_POINTS = 1_500
/** Shown when nobody says from when. */
const DEFAULT_POINTS: Record<Interval, number> = { minute: 60, hour: 24, day: 30 }

/** Points in time, without gaps; it reads roll-ups only. */
export function createSeries({ db, clock }: Deps) {
  const reader: Kysely<UsageTables> = db.aux.reader
  return { seriesOf }

  async function seriesOf(scope: Scope, query: SeriesQuery) {
    const range = rangeOf(query, clock.now())
    const found = await findSeries(reader, query.interval, keyIdsOf(scope), range)
    return { range, points: fill(query.interval, range, found) }
  }
}

export type Series = ReturnType<typeof createSeries>

/**
 * Whole periods: the one `from` lies in up to the one `to` lies in. Before what is kept there are no
 * points at all, since a zero would say that nobody called.
 */
export function rangeOf({ interval, fromMs, toMs }: SeriesQuery, nowMs: number): Range {
  const stepMs = lengthMs[interval]
  const endMs = startAtOrAfter(interval, toMs ?? nowMs + 1)
  const startMs = fromMs ?? endMs - DEFAULT_POINTS[interval] * stepMs
  if (startMs >= (toMs ?? nowMs + 1)) throw badParameter('from', 'must be before to')
  const oldestMs = kept(nowMs)[interval]
  const range = { fromMs: startOf(interval, Math.max(startMs, oldestMs)), toMs: endMs }
  const points = (endMs - startOf(interval, startMs)) / stepMs
  if (points > MAX_POINTS) {
    const what = `and to span ${points} points of a ${interval}, the most is ${MAX_POINTS}`
    throw badParameter('from', what)
  }
  return range
}

/** A point for every period of the range; 0 where nothing happened. */
export function fill(
  interval: Interval,
  { fromMs, toMs }: Range,
  found: ReadonlyMap<number, Totals>,
): Point[] {
  const points: Point[] = []
  for (let atMs = fromMs; atMs < toMs; atMs += lengthMs[interval]) {
    const totals = found.get(atMs) ?? NONE
    const { requests, errors, rejected } = totals
    points.push({ at: toIso(atMs), requests, errors, rejected, avgResponseMs: meanMs(totals) })
  }
  return points
}
