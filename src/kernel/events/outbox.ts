import type { Kysely, Selectable } from 'kysely'
import type { Bus } from '../bus/port.ts'
import type { Clock } from '../clock.ts'
import type { Tx, WriteStep } from '../db/database.ts'
import { insertOf, toNewRows } from '../db/insert-rows.ts'
import { carryOutIn } from '../db/store.ts'
import type { Ids } from '../ids.ts'
import { APPENDED_TOPIC, type EventTables } from './tables.ts'

interface Deps {
  readonly ids: Ids
  readonly clock: Clock
  /** Without it the sequencer finds new events at its next look. */
  readonly bus?: Pick<Bus, 'publish'>
}

export interface NewEvent {
  /** `article.published` */
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
  /** The consumer it belongs to; absent: everybody who may see its type. */
  readonly owner?: string | null
  /** Nobody but its owner may see it, whoever may see its type. */
  readonly exclusive?: boolean
  /** The change is visible to readers of live copies (webhooks contract §3). */
  readonly live?: boolean
  /** When it happened, if not now. */
  readonly occurredAtMs?: number
}

type EventRow = Required<Omit<Selectable<EventTables['kernel_events']>, 'ord'>>

/** Both databases limit how many values a statement may carry. */
const ROWS_PER_INSERT = 500
/** Whoever follows events looks once for all that come meanwhile. */
const ANNOUNCED_MS = 5
/** No sooner after another notice: that long the sequencer rests in any case. */
const APART_MS = 50

/** Events that exist exactly when the change they report exists. */
export function createOutbox({ ids, clock, bus }: Deps) {
  let announcing = false
  let announcedMs = Number.NEGATIVE_INFINITY
  return { append, appendAll, record, recordAll, toSteps }

  /**
   * Writes the event in the caller's transaction and returns its id. Append after the change itself:
   * whoever waits for the changed rows then also writes the later event.
   */
  async function append(tx: Tx, event: NewEvent): Promise<string> {
    return (await record(tx, event)).id
  }

  /** The same, and says when it was written. */
  async function record(tx: Tx, event: NewEvent): Promise<{ id: string; createdAtMs: number }> {
    const [row] = await recordAll(tx, [event])
    if (!row) throw new Error('an event was not written')
    return row
  }

  /** The same for many events at once, in their order and with few statements. */
  async function appendAll(tx: Tx, events: readonly NewEvent[]): Promise<string[]> {
    return (await recordAll(tx, events)).map(({ id }) => id)
  }

  async function recordAll(
    tx: Tx,
    events: readonly NewEvent[],
  ): Promise<{ id: string; createdAtMs: number }[]> {
    const rows = toRows(events)
    for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
      await insert(tx, rows.slice(at, at + ROWS_PER_INSERT))
    }
    return rows.map((row) => ({ id: row.id, createdAtMs: row.created_at }))
  }

  async function insert(tx: Tx, rows: EventRow[]) {
    await carryOutIn(tx, [toStep(tx.as<EventTables>(), rows)])
  }

  /** For a write that is known wholly before it begins; few events. */
  function toSteps(db: Kysely<EventTables>, events: readonly NewEvent[]): WriteStep[] {
    return events.length === 0 ? [] : [toStep(db, toRows(events))]
  }

  function toStep(db: Kysely<EventTables>, rows: EventRow[]): WriteStep {
    const insert = insertOf(db, 'kernel_events', toNewRows(rows))
    const query = { compile: () => insert }
    return { query, isEvent: true, ...(bus ? { afterCommit: announce } : {}) }
  }

  /** Neighbours often tell of the same thing: an entry is created and published. */
  function toRows(events: readonly NewEvent[]): EventRow[] {
    let last: NewEvent['payload'] | undefined
    let text = ''
    return events.map((event) => {
      if (event.payload !== last) text = JSON.stringify(event.payload)
      last = event.payload
      return toRow(event, text)
    })
  }

  function toRow(
    { type, owner, exclusive, live, occurredAtMs }: NewEvent,
    payload: string,
  ): EventRow {
    const nowMs = clock.now()
    return {
      id: ids.uuid(),
      seq: null,
      type,
      payload,
      owner: owner ?? null,
      exclusive: exclusive ? 1 : 0,
      live: live ? 1 : 0,
      occurred_at: occurredAtMs ?? nowMs,
      created_at: nowMs,
    }
  }

  /** One notice for all events of a moment; nobody waits for it, and it may be lost. */
  function announce() {
    if (announcing) return
    announcing = true
    const leftMs = announcedMs + APART_MS - performance.now()
    setTimeout(
      () => {
        announcing = false
        announcedMs = performance.now()
        bus?.publish(APPENDED_TOPIC, null).catch(() => {})
      },
      Math.max(ANNOUNCED_MS, leftMs),
    ).unref()
  }
}

export type Outbox = ReturnType<typeof createOutbox>
