// What requests with a key leave behind: records out of the journal, their sums, the dashboard over
// them and the stream that shows it live.
import type { FastifyRequest } from 'fastify'
import type { Bus, Revisions } from '#bus'
import type { Database, Tx } from '#db'
import type { NewEvent } from '#events'
import type { EventStreams } from '#http'
import type { Clock, Log, Random } from '#kernel'
import type { KeyCounts } from '../limits.ts'
import { createBills } from './bills.ts'
import { createBoards } from './boards.ts'
import { createBreakdown } from './breakdown.ts'
import { createCorrections } from './corrections.ts'
import { createEndpoints } from './endpoints.ts'
import { createFigures } from './figures.ts'
import { createIngest } from './ingest.ts'
import { createInvoices } from './invoice.ts'
import type { KeyLookup } from './key-info.ts'
import { createRecords } from './records.ts'
import { usageRoutes } from './routes.ts'
import { createScopes } from './scope.ts'
import { createSeats } from './seats.ts'
import { createSeries } from './series.ts'
import { createUsageStreams } from './stream.ts'
import { createStreamEvents } from './stream-events.ts'
import { createStreamNotes } from './stream-notes.ts'
import { createThresholds } from './thresholds.ts'

export type { FormerPlan, FormerPrice, KeyInfo, KeyLookup, PlanInfo } from './key-info.ts'
export { encodeUsage, type UsageRecord } from './record.ts'
export { createUsageRetention } from './retention.ts'
export { createSeeding } from './seeding.ts'

export interface UsageDeps {
  readonly db: Database
  readonly clock: Clock
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly revisions: Pick<Revisions, 'bump' | 'watch'>
  readonly log: Log
  readonly random: Pick<Random, 'text'>
  /** Of the server whose routes these are: it ends them when it stops. */
  readonly eventStreams: Pick<EventStreams, 'open'>
  readonly keys: KeyLookup
  /** How long the secret works that a request was let in by; null when it was not rotated out. */
  secretEndOf(request: FastifyRequest): Promise<number | null>
  /** What the limits have counted at this moment. */
  countsOf(keyId: number): Promise<KeyCounts>
  /** Adds to the key's month counter while the counter is of this epoch; false: not now. */
  correctMonth(keyId: number, difference: number, epoch: number): Promise<boolean>
  /** Writes an event into the outbox. */
  appendEvent(tx: Tx, event: NewEvent): Promise<unknown>
  /** Under which clients see the API; absent: as they addressed it. */
  readonly publicUrl?: string | undefined
}

export function createUsage(deps: UsageDeps) {
  const { db, clock, bus, revisions, log, keys, eventStreams } = deps
  const streamEvents = createStreamEvents({ db, revisions, clock })
  const thresholds = createThresholds({ ...deps, streamEvents })
  const corrections = createCorrections(deps)
  const ingest = createIngest({ bus, thresholds, corrections, log })
  const scopes = createScopes({ keys, clock })
  const { figuresOf } = createFigures(deps)
  const boards = createBoards({ figuresOf, scopes, bus, clock, log })
  const streams = createUsageStreams({
    eventStreams,
    events: streamEvents,
    revisions,
    boards,
    scopes,
    figuresOf,
    secretEndOf: deps.secretEndOf,
    clock,
    log,
    seats: createSeats(deps),
  })
  const invoices = createInvoices(deps)
  const questions = {
    scopes,
    figuresOf,
    ...createSeries(deps),
    ...createEndpoints(deps),
    ...invoices,
    ...createBreakdown(deps),
    ...createBills({ clock, keys, invoices }),
    records: createRecords({ db }),
    streams,
    publicUrl: deps.publicUrl,
  }
  return {
    /** For the journal's drain. */
    handle: ingest.handle,
    /** Below `/api/v1`. */
    routes: (app: Parameters<typeof usageRoutes>[0]) => usageRoutes(app, questions),
    /** `/usage`, for a person. */
    /** Plans or keys changed in a way that streams are not told of one by one. */
    keysChanged(keyIds?: ReadonlySet<number>) {
      boards.doubt()
      streams.doubt(keyIds)
    },
    ...createStreamNotes({ db, revisions, clock }),
    start,
    stop,
  }

  async function stop() {
    corrections.stop()
    await streams.stop()
  }

  /** What a killed process had not announced is announced first. */
  async function start() {
    await streams.start()
    await thresholds.announce()
  }
}

export type Usage = ReturnType<typeof createUsage>
