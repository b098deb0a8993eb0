import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { RequestObserver } from '#http'
import type { Clock, Log } from '#kernel'
import { addTraffic, deleteTrafficBefore, findTraffic, type Traffic } from './store.ts'
import type { OperationTables, TrafficPart } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  /** What the gateway of this process has answered since it started. */
  gatewayTotals(): Promise<Traffic>
}

export interface TrafficPoint extends Traffic {
  readonly atMs: number
  readonly gateway: Traffic
}

const BUCKET_MS = 15 * 60_000
const SHOWN_MS = 24 * 3_600_000
const KEPT_MS = 48 * 3_600_000
const KEEP_EVERY_MS = 10_000
/** Who watches the server is not its traffic. */
const WATCHING = /^\/(health|ready|metrics|console|api\/v1\/(overview|nodes|log))(\/|$)/
const ERRORS_FROM = 500

/**
 * How many requests the installation answered in the last day, with a key or without. Sums are
 * kept every ten seconds when there is something to add, so a killed process loses as much.
 */
export function createTraffic({ db, clock, log, gatewayTotals }: Deps) {
  const reader: Kysely<OperationTables> = db.aux.reader
  const writer: Kysely<OperationTables> = db.aux.writer
  let requests = 0
  let errors = 0
  let seen: Traffic = { requests: 0, errors: 0 }
  let keeping = Promise.resolve()
  let bucket = 0
  let isClosing = false
  const timer = setInterval(() => void keep(), KEEP_EVERY_MS).unref()
  return { observe, series, close }

  function observe({ route, status }: Parameters<RequestObserver>[0]): void {
    if (WATCHING.test(route)) return
    requests++
    if (status >= ERRORS_FROM) errors++
  }

  /** Quarters of an hour without gaps, the current one last; it includes what was just answered. */
  async function series(): Promise<TrafficPoint[]> {
    await keep()
    const lastMs = startOf(clock.now())
    const firstMs = lastMs - SHOWN_MS + BUCKET_MS
    const rows = await findTraffic(reader, firstMs)
    const found = new Map(rows.map((row) => [`${row.at} ${row.part}`, row]))
    const of = (atMs: number, part: TrafficPart) => {
      const { requests = 0, errors = 0 } = found.get(`${atMs} ${part}`) ?? {}
      return { requests, errors }
    }
    return Array.from({ length: SHOWN_MS / BUCKET_MS }, (_, index) => {
      const atMs = firstMs + index * BUCKET_MS
      return { atMs, ...of(atMs, 'api'), gateway: of(atMs, 'gateway') }
    })
  }

  /** One after the other: what one has taken no other adds again. */
  function keep(): Promise<void> {
    keeping = keeping.then(keepNow).catch((error) => {
      log.warn({ err: error }, 'sums of requests could not be kept')
    })
    return keeping
  }

  async function keepNow(): Promise<void> {
    const at = startOf(clock.now())
    await add(at, 'api', ownTraffic(), takeOwn)
    // Threads that stop no longer answer.
    if (!isClosing) {
      const now = await gatewayTotals()
      await add(at, 'gateway', sinceSeen(now), () => {
        seen = now
      })
    }
    if (at === bucket) return
    bucket = at
    await deleteTrafficBefore(writer, at - KEPT_MS)
  }

  /** What cannot be kept now, while the database is away, is kept later. */
  async function add(
    at: number,
    part: TrafficPart,
    traffic: Traffic,
    take: (taken: Traffic) => void,
  ): Promise<void> {
    if (traffic.requests > 0) await addTraffic(writer, { at, part }, traffic)
    take(traffic)
  }

  function ownTraffic(): Traffic {
    return { requests, errors }
  }

  function takeOwn(taken: Traffic): void {
    requests -= taken.requests
    errors -= taken.errors
  }

  /** A thread that was replaced begins at nothing. */
  function sinceSeen(now: Traffic): Traffic {
    const before = now.requests >= seen.requests ? seen : { requests: 0, errors: 0 }
    return {
      requests: now.requests - before.requests,
      errors: Math.max(0, now.errors - before.errors),
    }
  }

  async function close(): Promise<void> {
    clearInterval(timer)
    isClosing = true
    await keep()
  }
}

export type TrafficCounts = ReturnType<typeof createTraffic>

function startOf(ms: number): number {
  return ms - (ms % BUCKET_MS)
}
