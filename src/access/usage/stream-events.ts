import type { Kysely } from 'kysely'
import type { Revisions } from '#bus'
import type { Database, Tx } from '#db'
import type { Clock } from '#kernel'
import type { StreamTables } from './tables.ts'

/** Counted up by every event; streams watch it, and so miss none. */
export const STREAM_TOPIC = 'access.stream'

export interface NewStreamEvent {
  /** `stop` is not sent: it ends the streams of a user who may no longer read, or of a key whose secret ended. */
  readonly event: 'threshold' | 'key' | 'stop'
  readonly keyId: number | null
  readonly userId: number
  readonly data: Readonly<Record<string, unknown>>
  /** An event that says the same thing is stored only once. */
  readonly once?: string
}

export interface StreamEvent extends Omit<NewStreamEvent, 'event' | 'once'> {
  /** In the order of commits, over all nodes: whoever has read up to it has missed nothing. */
  readonly id: number
  readonly event: string
}

interface Deps {
  readonly db: Database
  readonly revisions: Pick<Revisions, 'bump'>
  readonly clock: Clock
}

const MAX_READ = 1_000

/** What streams must not miss, kept for those who were away. */
export function createStreamEvents({ db, revisions, clock }: Deps) {
  const reader: Kysely<StreamTables> = db.main.reader
  return { append, readAfter, readMissed, lastId }

  /** In the caller's transaction of the main store; false when `once` was said before. */
  async function append(tx: Tx, event: NewStreamEvent): Promise<boolean> {
    const id = await revisions.bump(tx, STREAM_TOPIC)
    const row = await tx
      .as<StreamTables>()
      .insertInto('access_stream_events')
      .values({
        id,
        api_key_id: event.keyId,
        user_id: event.userId,
        event: event.event,
        data: JSON.stringify(event.data),
        once: event.once ?? null,
        at: clock.now(),
      })
      .onConflict((conflict) => conflict.column('once').doNothing())
      .returning('id')
      .executeTakeFirst()
    return row !== undefined
  }

  /** The next ones in their order; an empty list when there are no more. */
  async function readAfter(id: number): Promise<StreamEvent[]> {
    const rows = await reader
      .selectFrom('access_stream_events')
      .selectAll()
      .where('id', '>', id)
      .orderBy('id')
      .limit(MAX_READ)
      .execute()
    return rows.map(toEvent)
  }

  /** What concerns one user and was written since; the oldest are left out when it is too much. */
  async function readMissed(userId: number, id: number, sinceMs: number): Promise<StreamEvent[]> {
    const rows = await reader
      .selectFrom('access_stream_events')
      .selectAll()
      .where('user_id', '=', userId)
      .where('id', '>', id)
      .where('at', '>=', sinceMs)
      .orderBy('id', 'desc')
      .limit(MAX_READ)
      .execute()
    return rows.reverse().map(toEvent)
  }

  async function lastId(): Promise<number> {
    const { last } = await reader
      .selectFrom('access_stream_events')
      .select(({ fn }) => fn.max('id').as('last'))
      .executeTakeFirstOrThrow()
    return last ?? 0
  }
}

function toEvent(row: StreamTables['access_stream_events']): StreamEvent {
  const { id, event, api_key_id, user_id, data } = row
  return { id, event, keyId: api_key_id, userId: user_id, data: JSON.parse(data) }
}

export type StreamEvents = ReturnType<typeof createStreamEvents>
