import {
  type Expression,
  type ExpressionBuilder,
  type Insertable,
  type Kysely,
  type Selectable,
  type SqlBool,
  sql,
  type Updateable,
} from 'kysely'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import type { Message } from '../body.ts'
import { ALWAYS, type Attempt, type Delivery, type Lane, statusOf } from '../records.ts'
import type { DeliveryStatus, WebhooksTables } from '../tables.ts'

type Db = Kysely<WebhooksTables>
type Row = Selectable<WebhooksTables['webhooks_deliveries']>
type Epochs = Pick<Lane, 'epoch' | 'cancelledEpoch'>

export interface DeliveryFilter {
  readonly eventId?: string | undefined
  readonly status?: DeliveryStatus | undefined
  readonly eventType?: string | undefined
  readonly createdFromMs?: number | undefined
  readonly createdBeforeMs?: number | undefined
  readonly isTest?: boolean | undefined
}

/** Both databases limit how many values a statement may carry; few sizes keep statements prepared. */
const ROWS_PER_INSERT = 100

/** A message may be there already: it is the same for every subscription. */
export async function insertMessages(db: Db, messages: readonly Message[]): Promise<void> {
  for (const part of inParts(messages)) {
    await db
      .insertInto('webhooks_messages')
      .values(
        part.map(({ id, type, data, occurredAtMs }) => ({
          id,
          type,
          data,
          occurred_at: occurredAtMs,
        })),
      )
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
  }
}

export async function insertDeliveries(
  db: Db,
  rows: readonly Insertable<WebhooksTables['webhooks_deliveries']>[],
): Promise<void> {
  for (const part of inParts(rows)) {
    await db.insertInto('webhooks_deliveries').values(part).execute()
  }
}

/** A delivery that was not tried yet. */
export function newDelivery(
  given: Pick<Row, 'id' | 'subscription_id' | 'consumer_id' | 'message_id'> &
    Pick<Row, 'event_type' | 'event_at' | 'epoch'> &
    Partial<Pick<Row, 'sequence' | 'is_test' | 'next_trigger' | 'with_entry'>>,
  nowMs: number,
): Row {
  return {
    sequence: null,
    is_test: 0,
    next_trigger: 'scheduled',
    with_entry: 0,
    ...given,
    status: 'pending',
    attempt_count: 0,
    tries: 0,
    due_at: nowMs,
    next_attempt_at: nowMs,
    created_at: nowMs,
    completed_at: null,
    last_status_code: null,
    last_error: null,
  }
}

export async function findDelivery(
  db: Db,
  subscriptionId: string,
  id: string,
): Promise<Row | undefined> {
  return db
    .selectFrom('webhooks_deliveries')
    .selectAll()
    .where('id', '=', id)
    .where('subscription_id', '=', subscriptionId)
    .executeTakeFirst()
}

/** Ids are in the order of creation, and the indexes are by id. */
const SORTS = { created_at: 'webhooks_deliveries.id', id: 'webhooks_deliveries.id' }

export async function findDeliveries(
  db: Db,
  { subscriptionId, ...epochs }: Epochs & Pick<Lane, 'subscriptionId'>,
  filter: DeliveryFilter,
  list: ListQuery<string, string>,
): Promise<FoundPage<Delivery>> {
  const filtered = db
    .selectFrom('webhooks_deliveries')
    .where('subscription_id', '=', subscriptionId)
    .where((e) => e.and(conditions(e, filter)))
    .$if(filter.status !== undefined, (q) => q.where(hasStatus(filter.status ?? 'held', epochs)))
  const page = await findPage(filtered, (query) => query.selectAll(), list, SORTS)
  return { ...page, rows: page.rows.map((row) => toDelivery(row, epochs)) }
}

/** Over all subscriptions that are there, of one consumer or of everybody. */
export async function findDeliveriesOf(
  db: Db,
  consumerId: string | null,
  filter: DeliveryFilter,
  list: ListQuery<string, string>,
): Promise<FoundPage<Delivery>> {
  const epochs = {
    epoch: sql<number>`webhooks_lanes.epoch`,
    cancelledEpoch: sql<number>`webhooks_lanes.cancelled_epoch`,
  }
  const filtered = db
    .selectFrom('webhooks_deliveries')
    .innerJoin(
      'webhooks_lanes',
      'webhooks_lanes.subscription_id',
      'webhooks_deliveries.subscription_id',
    )
    .where('webhooks_lanes.removed_at', 'is', null)
    .$if(consumerId !== null, (q) =>
      // An event has few deliveries of its own; the index by consumer would read all there are.
      filter.eventId === undefined
        ? q.where('webhooks_deliveries.consumer_id', '=', consumerId ?? '')
        : q.where('webhooks_lanes.consumer_id', '=', consumerId ?? ''),
    )
    .where((e) => e.and(conditions(e, filter)))
    .$if(filter.status !== undefined, (q) => q.where(hasStatus(filter.status ?? 'held', epochs)))
  const page = await findPage(
    filtered,
    (query) =>
      query
        .selectAll('webhooks_deliveries')
        .select(['webhooks_lanes.epoch as lane_epoch', 'webhooks_lanes.cancelled_epoch']),
    list,
    SORTS,
  )
  const rows = page.rows.map(({ lane_epoch, cancelled_epoch, ...row }) =>
    toDelivery(row, { epoch: lane_epoch, cancelledEpoch: cancelled_epoch }),
  )
  return { ...page, rows }
}

function conditions(
  e: ExpressionBuilder<WebhooksTables, 'webhooks_deliveries'>,
  { eventId, eventType, createdFromMs, createdBeforeMs, isTest }: DeliveryFilter,
) {
  return [
    ...(eventId === undefined ? [] : [e('message_id', '=', eventId)]),
    ...(eventType === undefined ? [] : [e('event_type', '=', eventType)]),
    ...(createdFromMs === undefined ? [] : [e('created_at', '>=', createdFromMs)]),
    ...(createdBeforeMs === undefined ? [] : [e('created_at', '<', createdBeforeMs)]),
    ...(isTest === undefined ? [] : [e('is_test', '=', isTest ? 1 : 0)]),
  ]
}

/** The SQL of `statusOf`, for deliveries of lanes with these epochs. */
export function hasStatus(
  status: DeliveryStatus,
  { epoch, cancelledEpoch }: { readonly [Name in keyof Epochs]: number | Expression<number> },
) {
  const own = sql.ref('webhooks_deliveries.epoch')
  const old = sql<SqlBool>`(status = 'pending' and is_test = 0 and ${own} <> ${ALWAYS} and ${own} < ${epoch})`
  const cancelled = sql<SqlBool>`(${old} and ${own} < ${cancelledEpoch})`
  if (status === 'pending') return sql<SqlBool>`(status = 'pending' and not ${old})`
  if (status === 'held') return sql<SqlBool>`(status = 'held' or (${old} and not ${cancelled}))`
  if (status === 'cancelled') return sql<SqlBool>`(status = 'cancelled' or ${cancelled})`
  return sql<SqlBool>`status = ${status}`
}

/** The first ones that wait for their subscription, in their order. */
export async function findHeld(db: Db, lane: Lane, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('webhooks_deliveries')
    .select('id')
    .where('subscription_id', '=', lane.subscriptionId)
    .where('status', '=', 'pending')
    .where(hasStatus('held', lane))
    .orderBy('sequence')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export async function unholdDelivery(
  db: Db,
  id: string,
  { epoch, dueMs }: { readonly epoch: number; readonly dueMs: number },
): Promise<void> {
  await db
    .updateTable('webhooks_deliveries')
    .set({
      epoch,
      tries: 0,
      due_at: dueMs,
      next_attempt_at: dueMs,
      next_trigger: sql`case when next_trigger = 'manual' then next_trigger else 'scheduled' end`,
    })
    .where('id', '=', id)
    .execute()
}

export async function updateDelivery(
  db: Db,
  id: string,
  change: Updateable<WebhooksTables['webhooks_deliveries']>,
): Promise<void> {
  await db.updateTable('webhooks_deliveries').set(change).where('id', '=', id).execute()
}

export async function findMessages(db: Db, ids: readonly string[]): Promise<Map<string, Message>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('webhooks_messages').selectAll().where('id', 'in', ids).execute()
  return new Map(
    rows.map(({ id, type, data, occurred_at }) => [
      id,
      { id, type, data, occurredAtMs: occurred_at },
    ]),
  )
}

/** By delivery, in the order in which they were made. */
export async function findAttempts(
  db: Db,
  deliveryIds: readonly string[],
): Promise<Map<string, Attempt[]>> {
  if (deliveryIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('webhooks_attempts')
    .selectAll()
    .where('delivery_id', 'in', deliveryIds)
    .orderBy('delivery_id')
    .orderBy('number')
    .execute()
  const grouped = Map.groupBy(rows, (row) => row.delivery_id)
  return new Map([...grouped].map(([id, own]) => [id, own.map(toAttempt)]))
}

export interface StatusCounts extends Record<DeliveryStatus, number> {
  readonly total: number
}

/** How the deliveries of events to one consumer stand; tests have no event. */
export async function countByEvent(
  db: Db,
  consumerId: string,
  messageIds: readonly string[],
): Promise<Map<string, StatusCounts>> {
  if (messageIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('webhooks_deliveries')
    .innerJoin(
      'webhooks_lanes',
      'webhooks_lanes.subscription_id',
      'webhooks_deliveries.subscription_id',
    )
    .select(['message_id', 'status', 'is_test', 'webhooks_deliveries.epoch'])
    .select(['webhooks_lanes.epoch as lane_epoch', 'cancelled_epoch'])
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('message_id', 'in', messageIds)
    .where('webhooks_lanes.consumer_id', '=', consumerId)
    .groupBy(['message_id', 'status', 'is_test', 'webhooks_deliveries.epoch'])
    .groupBy(['webhooks_lanes.epoch', 'cancelled_epoch'])
    .execute()
  const counts = new Map<string, StatusCounts>()
  for (const row of rows) {
    const own = counts.get(row.message_id) ?? noCounts()
    const lane = { epoch: row.lane_epoch, cancelledEpoch: row.cancelled_epoch }
    const status = statusOf(row, lane)
    counts.set(row.message_id, {
      ...own,
      [status]: own[status] + row.count,
      total: own.total + row.count,
    })
  }
  return counts
}

export function noCounts(): StatusCounts {
  return { total: 0, pending: 0, succeeded: 0, failed: 0, held: 0, cancelled: 0 }
}

export function toDelivery(row: Row, lane: Epochs): Delivery {
  const status = statusOf(row, lane)
  return {
    id: row.id,
    subscriptionId: row.subscription_id,
    messageId: row.message_id,
    withEntry: row.with_entry === 1,
    eventType: row.event_type,
    sequence: row.sequence,
    isTest: row.is_test === 1,
    status,
    attemptCount: row.attempt_count,
    // What waits for its subscription has no time.
    nextAttemptAtMs: status === 'pending' || row.epoch === ALWAYS ? row.due_at : null,
    createdAtMs: row.created_at,
    completedAtMs: row.completed_at,
    lastStatusCode: row.last_status_code,
    lastError: row.last_error === null ? null : JSON.parse(row.last_error),
  }
}

function toAttempt(row: Selectable<WebhooksTables['webhooks_attempts']>): Attempt {
  return {
    number: row.number,
    trigger: row.trigger_name,
    startedAtMs: row.started_at,
    durationMs: row.duration_ms,
    url: row.url,
    requestHeaders: JSON.parse(row.request_headers),
    responseStatus: row.response_status,
    responseHeaders: row.response_headers === null ? null : JSON.parse(row.response_headers),
    responseBody: row.response_body,
    responseTruncated: row.response_truncated === 1,
    error:
      row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
  }
}

function* inParts<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += ROWS_PER_INSERT) {
    yield items.slice(at, at + ROWS_PER_INSERT)
  }
}
