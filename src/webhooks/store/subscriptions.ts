import type { ExpressionBuilder, Insertable, Kysely, Selectable, Updateable } from 'kysely'
import { parseExactJson } from '#kernel'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import type { Filter } from '../filter.ts'
import { ANY_EVENT, type Subscription } from '../records.ts'
import type { SealedSecrets } from '../secrets.ts'
import type { WebhooksTables } from '../tables.ts'
import { findLaneRows, LANE_COLUMNS, type LaneRow, toLane } from './lanes.ts'

type Db = Kysely<WebhooksTables>
type Row = Selectable<WebhooksTables['webhooks_subscriptions']>

export interface SubscriptionFilter {
  readonly isActive?: boolean | undefined
  readonly event?: string | undefined
  readonly endpointUrl?: string | undefined
  readonly createdFromMs?: number | undefined
}

export const SUBSCRIPTION_SORTS = [
  'created_at',
  'updated_at',
  'last_delivery_at',
  'failure_count',
] as const

const COLUMNS = {
  id: 'webhooks_subscriptions.id',
  created_at: 'webhooks_subscriptions.created_at',
  updated_at: 'webhooks_subscriptions.updated_at',
  last_delivery_at: 'webhooks_lanes.last_delivery_at',
  failure_count: 'webhooks_lanes.failure_count',
}

/** Undefined also for another consumer's: nobody can tell the two apart. */
export async function findSubscription(
  db: Db,
  consumerId: string,
  id: string,
): Promise<Subscription | undefined> {
  const row = await withLane(db)
    .selectAll('webhooks_subscriptions')
    .select(LANE_COLUMNS)
    .where('webhooks_subscriptions.id', '=', id)
    .where('webhooks_subscriptions.consumer_id', '=', consumerId)
    .executeTakeFirst()
  return row && toSubscription(row, row)
}

export async function findSubscriptions(
  db: Db,
  consumerId: string,
  filter: SubscriptionFilter,
  list: ListQuery<string, string>,
): Promise<FoundPage<Subscription>> {
  const needsLane =
    filter.isActive !== undefined ||
    list.sort === 'last_delivery_at' ||
    list.sort === 'failure_count'
  return needsLane
    ? findWithLanes(db, consumerId, filter, list)
    : findThenLanes(db, consumerId, filter, list)
}

async function findWithLanes(
  db: Db,
  consumerId: string,
  { isActive, ...filter }: SubscriptionFilter,
  list: ListQuery<string, string>,
): Promise<FoundPage<Subscription>> {
  let filtered = withLane(db).where(isWanted(consumerId, filter))
  if (isActive !== undefined) {
    filtered = filtered.where('webhooks_lanes.is_active', '=', isActive ? 1 : 0)
  }
  const page = await findPage(
    filtered,
    (query) => query.selectAll('webhooks_subscriptions').select(LANE_COLUMNS),
    list,
    COLUMNS,
  )
  return { ...page, rows: page.rows.map((row) => toSubscription(row, row)) }
}

/** The usual case: counting and skipping needs no lanes, which are read for the page alone. */
async function findThenLanes(
  db: Db,
  consumerId: string,
  filter: SubscriptionFilter,
  list: ListQuery<string, string>,
): Promise<FoundPage<Subscription>> {
  const filtered = db.selectFrom('webhooks_subscriptions').where(isWanted(consumerId, filter))
  const page = await findPage(filtered, (query) => query.selectAll(), list, COLUMNS)
  const ids = page.rows.map(({ id }) => id)
  const lanes = await findLaneRows(db, ids)
  const rows = page.rows.flatMap((row) => {
    const lane = lanes.get(row.id)
    return lane ? [toSubscription(row, lane)] : []
  })
  return { ...page, rows }
}

function isWanted(
  consumerId: string,
  { event, endpointUrl, createdFromMs }: Omit<SubscriptionFilter, 'isActive'>,
) {
  return (e: ExpressionBuilder<WebhooksTables, 'webhooks_subscriptions'>) =>
    e.and([
      e('webhooks_subscriptions.consumer_id', '=', consumerId),
      ...(endpointUrl === undefined ? [] : [e('endpoint_url', '=', endpointUrl)]),
      ...(createdFromMs === undefined ? [] : [e('created_at', '>=', createdFromMs)]),
      ...(event === undefined
        ? []
        : [
            e(
              'webhooks_subscriptions.id',
              'in',
              e
                .selectFrom('webhooks_subscription_events')
                .select('subscription_id')
                .where('event', '=', event)
                .where('webhooks_subscription_events.consumer_id', '=', consumerId),
            ),
          ]),
    ])
}

export async function insertSubscription(
  db: Db,
  row: Insertable<WebhooksTables['webhooks_subscriptions']>,
): Promise<void> {
  await db.insertInto('webhooks_subscriptions').values(row).execute()
}

export async function updateSubscription(
  db: Db,
  id: string,
  change: Updateable<WebhooksTables['webhooks_subscriptions']>,
): Promise<void> {
  await db.updateTable('webhooks_subscriptions').set(change).where('id', '=', id).execute()
}

export async function findUnprobed(db: Db, limit: number) {
  return db
    .selectFrom('webhooks_subscriptions')
    .select(['id', 'endpoint_url'])
    .where('probe_wanted', '=', 1)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Unless the address was changed meanwhile: the new one is still to be asked. */
export async function saveProbe(
  db: Db,
  { id, url }: { readonly id: string; readonly url: string },
  found: Pick<Row, 'probe_at' | 'probe_status' | 'probe_error'>,
): Promise<void> {
  await db
    .updateTable('webhooks_subscriptions')
    .set({ probe_wanted: 0, ...found })
    .where('id', '=', id)
    .where('endpoint_url', '=', url)
    .execute()
}

export async function deleteSubscription(db: Db, id: string): Promise<void> {
  await db.deleteFrom('webhooks_subscription_events').where('subscription_id', '=', id).execute()
  await db.deleteFrom('webhooks_registrations').where('subscription_id', '=', id).execute()
  await db.deleteFrom('webhooks_subscriptions').where('id', '=', id).execute()
}

type Dispatched = Pick<
  Subscription,
  'id' | 'consumerId' | 'events' | 'eventPatterns' | 'filter' | 'includeEntry'
>

/** Replaces what the subscription is dispatched by; a name beside `*` is kept for lists only. */
export async function saveEvents(
  db: Db,
  { id, consumerId, events, eventPatterns, filter, includeEntry }: Dispatched,
): Promise<void> {
  const entries = [...new Set([...events, ...eventPatterns])]
  const matchesAny = entries.includes(ANY_EVENT)
  await db.deleteFrom('webhooks_subscription_events').where('subscription_id', '=', id).execute()
  await db
    .insertInto('webhooks_subscription_events')
    .values(
      entries.map((event) => ({
        event,
        subscription_id: id,
        consumer_id: consumerId,
        is_matched: matchesAny && event !== ANY_EVENT ? 0 : 1,
        has_options: filter !== null || includeEntry ? 1 : 0,
      })),
    )
    .execute()
}

export async function findSealedSecrets(db: Db, id: string): Promise<SealedSecrets | undefined> {
  const row = await db
    .selectFrom('webhooks_subscriptions')
    .select(['id', 'secret', 'secret_old', 'secret_old_until'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toSealed(row)
}

export function toSealed(
  row: Pick<Row, 'id' | 'secret' | 'secret_old' | 'secret_old_until'>,
): SealedSecrets {
  return {
    id: row.id,
    secret: row.secret,
    secretOld: row.secret_old,
    secretOldUntilMs: row.secret_old_until,
  }
}

function withLane(db: Db) {
  return db
    .selectFrom('webhooks_subscriptions')
    .innerJoin('webhooks_lanes', 'webhooks_lanes.subscription_id', 'webhooks_subscriptions.id')
}

function toSubscription(row: Row, lane: LaneRow): Subscription {
  return {
    id: row.id,
    consumerId: row.consumer_id,
    endpointUrl: row.endpoint_url,
    description: row.description,
    events: JSON.parse(row.events),
    eventPatterns: JSON.parse(row.event_patterns),
    filter: toFilter(row.filter),
    includeEntry: row.include_entry === 1,
    headers: JSON.parse(row.headers),
    timeoutSeconds: row.timeout_seconds,
    source: row.source,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
    secretRotatedAtMs: row.secret_rotated_at,
    lastProbe:
      row.probe_at === null
        ? null
        : { atMs: row.probe_at, status: row.probe_status, error: row.probe_error },
    lane: toLane(lane),
  }
}

/** As `parseFilter` read it before it was stored. */
export function toFilter(text: string | null): Filter | null {
  const filter = text === null ? null : parseExactJson(text)
  return Array.isArray(filter) ? filter : null
}
