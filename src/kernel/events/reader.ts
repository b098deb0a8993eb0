import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/database.ts'
import { parseExactJson } from '../exact-json.ts'
import type { EventTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
}

export interface Event {
  readonly id: string
  /** 0 while the sequencer has not seen it. */
  readonly seq: number
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly owner: string | null
  readonly exclusive: boolean
  readonly live: boolean
  readonly occurredAtMs: number
  readonly createdAtMs: number
}

export interface EventQuery {
  /** The last `seq` the caller knows; 0 starts with the oldest kept. */
  readonly after: number
  readonly limit: number
  readonly types?: readonly string[]
  /** Only changes that readers of live copies can see. */
  readonly live?: boolean
}

export interface EventPage {
  readonly events: readonly Event[]
  /** Everything that was asked for up to this `seq` is in `events`: the next `after`. */
  readonly through: number
  /** The last `seq` given when the page was read; below it there is more to read. */
  readonly last: number
}

/** Who looks: what an event must be to be shown to them. Types in none of the lists are hidden. */
export interface EventAudience {
  readonly viewer: string
  /** Shown to everybody, unless the event belongs to somebody else. */
  readonly open: readonly string[]
  /** Shown when the event is of live content. */
  readonly live: readonly string[]
  /** Shown to the owner only. */
  readonly owned: readonly string[]
  /** Shown whoever owns the event, unless it is exclusively somebody else's. */
  readonly all: readonly string[]
}

export interface EventListQuery {
  readonly audience: EventAudience
  readonly types?: readonly string[] | undefined
  readonly createdFromMs?: number | undefined
  readonly createdBeforeMs?: number | undefined
  /** Beyond this id, in walking direction. */
  readonly beyondId?: string | null
  readonly order: 'asc' | 'desc'
  readonly limit: number
}

/** How many events of other types a page passes over at most, so that it stays short. */
const LOOK_THROUGH = 5_000
const PURGE_BATCH = 500

/** Reads events in the one order there is; what has no `seq` yet does not exist here. */
export function createEventReader({ db, clock }: Deps) {
  const reader: Kysely<EventTables> = db.main.reader
  const writer: Kysely<EventTables> = db.main.writer
  return {
    readEvents,
    findEvent,
    isUnsequenced,
    listEvents,
    findVisible,
    countEvents,
    lastSeq,
    lastSeqIn,
    oldestSeq,
    purge,
  }

  async function readEvents({ after, limit, types, live }: EventQuery): Promise<EventPage> {
    // Asked before the events, so that no event up to it can be missing from the page.
    const { oldest, last } = await bounds()
    if (types?.length === 0) return { events: [], through: Math.max(after, last), last }
    const from = Math.max(after, oldest - 1)
    const to = types || live ? Math.min(last, from + Math.max(limit, LOOK_THROUGH)) : last
    const rows = await reader
      .selectFrom('kernel_events')
      .selectAll()
      .where('seq', '>', from)
      .where('seq', '<=', to)
      .$if(types !== undefined, (query) => query.where('type', 'in', types ?? []))
      .$if(live === true, (query) => query.where('live', '=', 1))
      .orderBy('seq')
      .limit(limit)
      .execute()
    const events = rows.map(toEvent)
    const through = events.length === limit ? (events.at(-1)?.seq ?? from) : to
    return { events, through: Math.max(after, through), last }
  }

  /** Undefined also while the event has no `seq`. */
  async function findEvent(id: string): Promise<Event | undefined> {
    const row = await reader
      .selectFrom('kernel_events')
      .selectAll()
      .where('id', '=', id)
      .where('seq', 'is not', null)
      .executeTakeFirst()
    return row && toEvent(row)
  }

  /** It was committed and gets its `seq` in a moment. */
  async function isUnsequenced(id: string): Promise<boolean> {
    const row = await reader
      .selectFrom('kernel_events')
      .select('id')
      .where('id', '=', id)
      .where('seq', 'is', null)
      .executeTakeFirst()
    return row !== undefined
  }

  /** By id, which is by time; also events that have no `seq` yet. For lists that people look at. */
  async function listEvents(query: EventListQuery): Promise<Event[]> {
    const { beyondId, order, limit } = query
    const rows = await visible(query)
      .selectAll()
      .$if(typeof beyondId === 'string', (q) =>
        q.where('id', order === 'asc' ? '>' : '<', beyondId ?? ''),
      )
      .orderBy('id', order)
      .limit(limit)
      .execute()
    return rows.map(toEvent)
  }

  async function findVisible(id: string, audience: EventAudience): Promise<Event | undefined> {
    const row = await visible({ audience }).selectAll().where('id', '=', id).executeTakeFirst()
    return row && toEvent(row)
  }

  async function countEvents(query: Omit<EventListQuery, 'order' | 'limit'>): Promise<number> {
    const { count } = await visible(query)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return count
  }

  function visible(query: Omit<EventListQuery, 'order' | 'limit'>) {
    const { audience, types, createdFromMs, createdBeforeMs } = query
    return reader
      .selectFrom('kernel_events')
      .where((expression) => isShownTo(expression, audience))
      .$if(types !== undefined, (q) => q.where((e) => isOneOf(e, types ?? [])))
      .$if(createdFromMs !== undefined, (q) => q.where('created_at', '>=', createdFromMs ?? 0))
      .$if(createdBeforeMs !== undefined, (q) => q.where('created_at', '<', createdBeforeMs ?? 0))
  }

  async function lastSeq(): Promise<number> {
    return (await bounds()).last
  }

  /** The same as part of somebody's own statement. */
  function lastSeqIn(): Expression<number | null> {
    const position = reader.selectFrom('kernel_event_position').select('seq')
    return position.where('name', '=', sql.lit('last')).$asScalar()
  }

  /**
   * The `seq` of the oldest event that is kept, or the next one to be given when none is. Whoever
   * continues after a `seq` below `oldestSeq() - 1` has missed something.
   */
  async function oldestSeq(): Promise<number> {
    return (await bounds()).oldest
  }

  async function bounds() {
    const { last, oldest } = await reader
      .selectFrom('kernel_event_position')
      .select((expression) => [
        'seq as last',
        expression
          .selectFrom('kernel_events')
          .select(({ fn }) => fn.min('kernel_events.seq').as('oldest'))
          .as('oldest'),
      ])
      .where('name', '=', 'last')
      .executeTakeFirstOrThrow()
    return { last, oldest: oldest ?? last + 1 }
  }

  /**
   * Deletes what was written longer ago, oldest first and never from the middle, and returns how
   * many. The position stays, so no `seq` is given twice.
   */
  async function purge(olderThanMs: number, signal?: AbortSignal): Promise<number> {
    const beforeMs = clock.now() - olderThanMs
    let deleted = 0
    for (;;) {
      const count = signal?.aborted ? 0 : await purgeBatch(beforeMs)
      deleted += count
      if (count < PURGE_BATCH) return deleted
    }
  }

  async function purgeBatch(beforeMs: number): Promise<number> {
    const oldest = await reader
      .selectFrom('kernel_events')
      .select(['seq', 'created_at'])
      .where('seq', 'is not', null)
      .orderBy('seq')
      .limit(PURGE_BATCH)
      .execute()
    const young = oldest.findIndex((row) => row.created_at >= beforeMs)
    const old = young < 0 ? oldest : oldest.slice(0, young)
    const through = old.at(-1)?.seq
    if (!through) return 0
    const { numDeletedRows } = await writer
      .deleteFrom('kernel_events')
      .where('seq', '<=', through)
      .executeTakeFirst()
    return Number(numDeletedRows)
  }
}

export type EventReader = ReturnType<typeof createEventReader>

type Build = ExpressionBuilder<EventTables, 'kernel_events'>

/** No list of values may be empty in SQL. */
function isOneOf(expression: Build, types: readonly string[]): Expression<SqlBool> {
  return types.length === 0 ? sql<SqlBool>`1 = 0` : expression('type', 'in', types)
}

function isShownTo(e: Build, { viewer, open, live, owned, all }: EventAudience) {
  const isMine = e('owner', '=', viewer)
  const isNobodys = e('owner', 'is', null)
  return e.or([
    e.and([isOneOf(e, [...open, ...live, ...owned]), isMine]),
    e.and([isOneOf(e, open), isNobodys]),
    e.and([isOneOf(e, live), isNobodys, e('live', '=', 1)]),
    e.and([isOneOf(e, all), e.or([isMine, e('exclusive', '=', 0)])]),
  ])
}

function toEvent(row: Selectable<EventTables['kernel_events']>): Event {
  let payload: Event['payload'] | undefined
  return {
    id: row.id,
    seq: row.seq ?? 0,
    type: row.type,
    // Nobody wants most events: of an import they are tens of thousands.
    get payload() {
      payload ??= parsePayload(row.payload)
      return payload
    },
    owner: row.owner,
    exclusive: row.exclusive === 1,
    live: row.live === 1,
    occurredAtMs: row.occurred_at,
    createdAtMs: row.created_at,
  }
}

/** Written by the outbox, which takes objects only. */
function parsePayload(text: string): Event['payload'] {
  const payload = parseExactJson(text)
  return typeof payload === 'object' && payload !== null ? { ...payload } : {}
}
