import { type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { SqlDialect, Tx } from '#db'
import type { Lane } from '../records.ts'
import type { WebhooksTables } from '../tables.ts'

type Db = Kysely<WebhooksTables>

/** `consumer_id` is also one of the subscription. */
export const LANE_COLUMNS = [
  'webhooks_lanes.subscription_id',
  'webhooks_lanes.consumer_id',
  'webhooks_lanes.is_active',
  'webhooks_lanes.active_since',
  'webhooks_lanes.disabled_at',
  'webhooks_lanes.disabled_reason',
  'webhooks_lanes.failure_count',
  'webhooks_lanes.failing_since',
  'webhooks_lanes.last_delivery_at',
  'webhooks_lanes.last_sequence',
  'webhooks_lanes.epoch',
  'webhooks_lanes.cancelled_epoch',
  'webhooks_lanes.release_at',
  'webhooks_lanes.is_ordered',
  'webhooks_lanes.max_per_second',
  'webhooks_lanes.auto_resume',
  'webhooks_lanes.resume_tries',
] as const

export type LaneRow = Pick<
  Selectable<WebhooksTables['webhooks_lanes']>,
  | 'subscription_id'
  | 'consumer_id'
  | 'is_active'
  | 'active_since'
  | 'disabled_at'
  | 'disabled_reason'
  | 'failure_count'
  | 'failing_since'
  | 'last_delivery_at'
  | 'last_sequence'
  | 'epoch'
  | 'cancelled_epoch'
  | 'release_at'
  | 'is_ordered'
  | 'max_per_second'
  | 'auto_resume'
  | 'resume_tries'
>

export async function insertLane(
  db: Db,
  {
    id,
    consumerId,
    isActive,
    nowMs,
    ...pace
  }: {
    readonly id: string
    readonly consumerId: string
    readonly isActive: boolean
    readonly nowMs: number
    readonly isOrdered?: boolean | undefined
    readonly maxPerSecond?: number | null | undefined
    readonly autoResume?: boolean | undefined
  },
): Promise<void> {
  await db
    .insertInto('webhooks_lanes')
    .values({
      subscription_id: id,
      consumer_id: consumerId,
      is_active: isActive ? 1 : 0,
      active_since: nowMs,
      disabled_at: isActive ? null : nowMs,
      disabled_reason: isActive ? null : 'manual',
      failure_count: 0,
      failing_since: null,
      last_delivery_at: null,
      last_sequence: 0,
      epoch: 0,
      cancelled_epoch: 0,
      release_at: null,
      due_at: null,
      lease_owner: null,
      lease_until: null,
      removed_at: null,
      probation: 1,
      is_ordered: pace.isOrdered ? 1 : 0,
      max_per_second: pace.maxPerSecond ?? null,
      next_send_at: null,
      auto_resume: pace.autoResume ? 1 : 0,
      resume_at: null,
      resume_tries: 0,
    })
    .execute()
}

/** A lane with the name of whoever holds it. */
export type OwnedLane = Lane & { readonly leaseOwner: string | null }

/**
 * Locks the lanes, in the order of their ids so that two transactions cannot wait for each other.
 * What is written to their deliveries afterwards is seen by whoever locks them next. A plan reads
 * them and says with `guardLanes` what it has decided by.
 */
export async function lockLanes(
  tx: Tx,
  { rowLocks }: Pick<SqlDialect, 'rowLocks'>,
  ids: readonly string[],
): Promise<OwnedLane[]> {
  if (ids.length === 0) return []
  const rows = await chosen(tx.as<WebhooksTables>(), ids)
    .select(LANE_COLUMNS)
    .select('lease_owner')
    .$if(rowLocks && !tx.isPlan, (query) => query.forUpdate())
    .execute()
  return rows.map((row) => ({ ...toLane(row), leaseOwner: row.lease_owner }))
}

/**
 * For plans: the lanes are as they were read, and are locked until the commit. Whoever switches a lane off counts
 * its epoch up, and sequences only grow, so equal sums mean equal lanes. Whether one resumes by itself goes both ways, and
 * is compared lane by lane.
 */
export function guardLanes(
  tx: Tx,
  { rowLocks }: Pick<SqlDialect, 'rowLocks'>,
  lanes: readonly Lane[],
  /** `owner`: this process has them all. `sequences`: nobody has made deliveries for them. */
  { owner, sequences = false }: { readonly owner?: string; readonly sequences?: boolean },
): void {
  if (!tx.isPlan || lanes.length === 0) return
  const trx = tx.as<WebhooksTables>()
  const ids = lanes.map(({ subscriptionId }) => subscriptionId)
  const locked = chosen(trx, ids)
    .select(['epoch', 'last_sequence', 'is_active'])
    .where(resumesAsRead(lanes))
    .$if(owner !== undefined, (query) => query.where(isOwnedBy(`${owner}/`)))
    .$if(rowLocks, (query) => query.forUpdate())
  const sums = trx
    .selectFrom(locked.as('locked'))
    .select(({ fn }) => [
      fn.countAll<number>().as('lanes'),
      fn.sum<number>('epoch').as('epochs'),
      fn.sum<number>('is_active').as('active'),
      fn.sum<number>('last_sequence').as('sequences'),
    ])
  const asRead = trx
    .selectFrom(sums.as('sums'))
    .select('lanes')
    .where('lanes', '=', lanes.length)
    .where(
      'epochs',
      '=',
      sumOf(lanes, ({ epoch }) => epoch),
    )
    .where(
      'active',
      '=',
      sumOf(lanes, ({ isActive }) => Number(isActive)),
    )
  const sum = sumOf(lanes, ({ lastSequence }) => lastSequence)
  tx.guard(sequences ? asRead.where('sequences', '=', sum) : asRead)
}

function resumesAsRead(lanes: readonly Lane[]) {
  const resuming = lanes.filter(({ autoResume }) => autoResume)
  if (resuming.length === 0) return sql<boolean>`auto_resume = 0`
  const ids = sql.join(resuming.map(({ subscriptionId }) => subscriptionId))
  return sql<boolean>`auto_resume = case when subscription_id in (${ids}) then 1 else 0 end`
}

function isOwnedBy(prefix: string) {
  return sql<boolean>`substr(lease_owner, 1, ${sql.lit(prefix.length)}) = ${prefix}`
}

function chosen(db: Db, ids: readonly string[]) {
  return db
    .selectFrom('webhooks_lanes')
    .where('subscription_id', 'in', ids)
    .where('removed_at', 'is', null)
    .orderBy('subscription_id')
}

function sumOf(lanes: readonly Lane[], figure: (lane: Lane) => number): number {
  return lanes.reduce((sum, lane) => sum + figure(lane), 0)
}

export async function findLaneRows(db: Db, ids: readonly string[]): Promise<Map<string, LaneRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('webhooks_lanes')
    .select(LANE_COLUMNS)
    .where('subscription_id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.subscription_id, row]))
}

export async function updateLane(
  db: Db,
  id: string,
  change: Updateable<WebhooksTables['webhooks_lanes']>,
): Promise<void> {
  await db.updateTable('webhooks_lanes').set(change).where('subscription_id', '=', id).execute()
}

export async function updateLanes(
  db: Db,
  ids: readonly string[],
  change: Updateable<WebhooksTables['webhooks_lanes']>,
): Promise<void> {
  await db.updateTable('webhooks_lanes').set(change).where('subscription_id', 'in', ids).execute()
}

/** So many more deliveries were made for these lanes, and are to be sent. */
export async function countUp(
  db: Db,
  ids: readonly string[],
  { count, nowMs }: { readonly count: number; readonly nowMs: number },
): Promise<void> {
  await db
    .updateTable('webhooks_lanes')
    .set((e) => ({ last_sequence: e('last_sequence', '+', count), due_at: earlier(nowMs) }))
    .where('subscription_id', 'in', ids)
    .execute()
}

/** Of the wanted speed, and not of consumers who have enough under way. */
export function isClaimable({
  isQuick,
  except,
}: {
  readonly isQuick: boolean
  readonly except: readonly string[]
}) {
  const size = [0, 1, 8, 64, 512].find((one) => one >= except.length) ?? except.length
  const others = Array.from({ length: size }, (_, at) => except[at] ?? '')
  return sql<boolean>`${isQuick ? QUICK : SLOW}
    and ${size === 0 ? sql`true` : sql`consumer_id not in (${sql.join(others)})`}`
}

// Written out and not bound, because partial indexes are chosen by them.
export const QUICK = sql<boolean>`probation = 0`
export const SLOW = sql<boolean>`probation > 0`

/** How many lanes have something to send now. */
export async function countDue(db: Db, { nowMs }: Pick<SqlDialect, 'nowMs'>): Promise<number> {
  const counts = await Promise.all([QUICK, SLOW].map(countOf))
  return counts.reduce((sum, count) => sum + count, 0)

  async function countOf(speed: typeof QUICK): Promise<number> {
    const { count } = await db
      .selectFrom('webhooks_lanes')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where(speed)
      .where('due_at', '<=', nowMs())
      .executeTakeFirstOrThrow()
    return count
  }
}

/** Lanes whose column of the name is a time that has come, the longest ago first. */
export async function findLanesDue(
  db: Db,
  column: 'release_at' | 'resume_at',
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('webhooks_lanes')
    .select('subscription_id')
    .where(column, '<=', nowMs)
    .orderBy(column)
    .limit(limit)
    .execute()
  return rows.map((row) => row.subscription_id)
}

/** Something of these lanes is to be sent from then on. */
export async function wakeLanes(db: Db, ids: readonly string[], atMs: number): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('webhooks_lanes')
    .set({ due_at: earlier(atMs) })
    .where('subscription_id', 'in', ids)
    .execute()
}

function earlier(atMs: number) {
  return sql<number>`case when due_at is null or due_at > ${atMs} then ${atMs} else due_at end`
}

export async function countActive(db: Db, consumerId: string): Promise<number> {
  const { count } = await db
    .selectFrom('webhooks_lanes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('consumer_id', '=', consumerId)
    .where('is_active', '=', 1)
    .executeTakeFirstOrThrow()
  return count
}

export function toLane(row: LaneRow): Lane {
  return {
    subscriptionId: row.subscription_id,
    consumerId: row.consumer_id,
    isActive: row.is_active === 1,
    activeSinceMs: row.active_since,
    disabledAtMs: row.disabled_at,
    disabledReason: row.disabled_reason,
    failureCount: row.failure_count,
    failingSinceMs: row.failing_since,
    lastDeliveryAtMs: row.last_delivery_at,
    lastSequence: row.last_sequence,
    epoch: row.epoch,
    cancelledEpoch: row.cancelled_epoch,
    releaseAtMs: row.release_at,
    isOrdered: row.is_ordered === 1,
    maxPerSecond: row.max_per_second,
    autoResume: row.auto_resume === 1,
    resumeTries: row.resume_tries,
  }
}
