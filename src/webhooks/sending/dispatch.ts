import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import type { Bus } from '#bus'
import { carryOutIn, type Database, type Tx } from '#db'
import type { Event, EventReader } from '#events'
import type { Clock, Ids } from '#kernel'
import { type Recipients, recipientsOf } from '../audience.ts'
import type { EntryTexts } from '../entry-texts.ts'
import { findVisibilities } from '../store/event-types.ts'
import { findMatching, isAnybodySubscribed, isWanted, type Match } from '../store/matching.ts'
import type { WebhooksTables } from '../tables.ts'
import { DUE_TOPIC } from '../topics.ts'
import { createDeliveryMaker, type NewDue, type Recipient } from './create-deliveries.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly bus: Pick<Bus, 'publish'>
  readonly events: Pick<EventReader, 'readEvents' | 'lastSeq'>
  readonly entryTexts: EntryTexts
  /** Gives what was committed to the sender of this process; returns the lanes it does not hold. */
  offer(made: readonly NewDue[]): ReadonlySet<string>
  /** The consumers who see everything. */
  staff(): Promise<readonly string[]>
}

interface Position {
  readonly seq: number
  /** The last subscription that the event after `seq` was handed to. */
  readonly after_id: string | null
}

type Db = Kysely<WebhooksTables>

const EVENTS_PER_TURN = 200
/** Keeps the write transaction short (DESIGN §4). */
const DELIVERIES_PER_TURN = 400
/** A notice is short. */
const LANES_PER_NOTICE = 100

/**
 * Hands events to subscriptions: one delivery for each that matches, in the order of `seq`. How far
 * it came is stored with the deliveries, so a crash neither repeats nor loses one.
 */
export function createDispatch(deps: Deps) {
  const { db, clock, ids, bus, events, entryTexts, offer, staff } = deps
  const reader: Db = db.main.reader
  const createDeliveries = createDeliveryMaker({ dialect: db.dialect, ids })
  return { turn }

  /** True when there may be more. */
  async function turn(): Promise<boolean> {
    const from = await readPosition(reader)
    const last = await events.lastSeq()
    if (last <= from.seq) return false
    // Asked after the last event: whoever has subscribed before it is found.
    if (!(await isAnybodySubscribed(reader))) {
      const past = advancing(db.main.writer, from, { seq: last, after_id: null })
      await db.main.carryOut([{ query: past, mustChange: true }])
      return false
    }
    const page = await events.readEvents({ after: from.seq, limit: EVENTS_PER_TURN })
    if (page.events.length === 0) return false
    const { recipients, to } = await plan(page.events, from)
    await db.main.write(async (tx) => {
      const isOurs = await advance(tx, from, to)
      const made = isOurs ? await createDeliveries(tx, recipients, { nowMs: clock.now() }) : []
      if (made.length > 0) tx.afterCommit(() => tell(made))
      return () => {}
    })
    return to.seq < page.last
  }

  async function tell(made: readonly NewDue[]) {
    const elsewhere = offer(made)
    if (elsewhere.size === 0) return
    await bus.publish(DUE_TOPIC, elsewhere.size <= LANES_PER_NOTICE ? [...elsewhere] : null)
  }

  /** As many deliveries as one turn may make, and how far they go. */
  async function plan(page: readonly Event[], from: Position) {
    const types = await findVisibilities(reader, [...new Set(page.map(({ type }) => type))])
    const visibilities = new Map(
      types.flatMap(({ name, visibility, isActive }) =>
        isActive ? [[name, visibility] as const] : [],
      ),
    )
    const match = createMatching(staff)
    const recipients: Recipient[] = []
    let to: Position = from
    for (const event of page) {
      const visibility = visibilities.get(event.type)
      const room = DELIVERIES_PER_TURN - recipients.length
      if (room <= 0) break
      const after = to.seq === event.seq - 1 ? to.after_id : null
      const found = visibility
        ? await match(event.type, recipientsOf(event, visibility), after, room)
        : []
      recipients.push(...(await wanting(event, found)))
      const last = found.length === room ? (found.at(-1)?.subscriptionId ?? null) : null
      to =
        last === null ? { seq: event.seq, after_id: null } : { seq: event.seq - 1, after_id: last }
      if (last !== null) break
    }
    return { recipients, to }
  }

  /** The matching subscriptions whose filter lets the event through, each with what it gets. */
  async function wanting(event: Event, found: readonly Match[]): Promise<Recipient[]> {
    const wanted = found.filter(
      ({ subscriptionId, options }) =>
        !isAbout(event, subscriptionId) && isWanted(options, event.payload),
    )
    const asking = wanted.flatMap(({ options }) =>
      options?.includeEntry ? [options.consumerId] : [],
    )
    const texts = await entryTexts.of(event, asking)
    return wanted.map(({ subscriptionId, options }) => ({
      event,
      subscriptionId,
      withEntry: options?.includeEntry ? (texts.get(options.consumerId) ?? null) : null,
    }))
  }

  /** Events of one turn often go to the same subscriptions, which are then asked for once. */
  function createMatching(askStaff: () => Promise<readonly string[]>) {
    const found = new Map<string, readonly Match[]>()
    let known: readonly string[] | undefined
    return async (type: string, to: Recipients, after: string | null, limit: number) => {
      const name = JSON.stringify([type, to])
      const kept = after === null ? found.get(name) : undefined
      if (kept && kept.length < limit) return kept
      known ??= await askStaff()
      const consumers = to.everybody ? null : consumersOf(to, known)
      const matches =
        consumers?.length === 0 ? [] : await findMatching(reader, { type, consumers, after, limit })
      if (after === null && matches.length < limit) found.set(name, matches)
      return matches
    }
  }

  /** False when another node, which thinks it leads, was quicker. */
  async function advance(tx: Tx, from: Position, to: Position): Promise<boolean> {
    const trx = tx.as<WebhooksTables>()
    if (tx.isPlan && !isDeepStrictEqual(await readPosition(trx), from)) return false
    return carryOutIn(tx, [{ query: advancing(trx, from, to), mustChange: true }])
  }
}

/** Changes nothing unless the position is still the first one. */
function advancing(db: Db, from: Position, to: Position) {
  return db
    .updateTable('webhooks_cursor')
    .set({ seq: to.seq, after_id: to.after_id })
    .where('name', '=', 'dispatch')
    .where('seq', '=', from.seq)
    .where((e) =>
      from.after_id === null ? e('after_id', 'is', null) : e('after_id', '=', from.after_id),
    )
}

export async function readPosition(db: Db): Promise<Position> {
  return db
    .selectFrom('webhooks_cursor')
    .select(['seq', 'after_id'])
    .where('name', '=', 'dispatch')
    .executeTakeFirstOrThrow()
}

function consumersOf({ staff, owner }: Recipients, known: readonly string[]): string[] {
  return [...new Set([...(staff ? known : []), ...(owner === null ? [] : [owner])])]
}

/** What tells of a failing subscription is never sent to that one (webhooks contract §9.2). */
export function isAbout({ type, payload }: Event, subscriptionId: string): boolean {
  return type.startsWith('webhook.') && payload['subscription_id'] === subscriptionId
}
