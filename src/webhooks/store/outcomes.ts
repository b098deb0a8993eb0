import { type Insertable, type Kysely, sql, type Updateable } from 'kysely'
import { ALWAYS } from '../records.ts'
import type { WebhooksTables } from '../tables.ts'
import { isNotCancelled } from './due.ts'
import { createRepeatedInsert } from './repeated-insert.ts'

type Db = Kysely<WebhooksTables>
type Attempts = WebhooksTables['webhooks_attempts']

/** What a successful attempt writes to its delivery. */
interface Success {
  readonly isManual: boolean
  readonly statusCode: number | null
  readonly nowMs: number
}

/** What a failed attempt writes to its delivery. */
interface Failure {
  readonly isManual: boolean
  readonly change: Updateable<WebhooksTables['webhooks_deliveries']> & {
    readonly due_at: number | null
    readonly epoch: number
  }
}

export function createAttemptsInsert() {
  return createRepeatedInsert((trx: Db, rows: readonly Insertable<Attempts>[]) =>
    trx
      .insertInto('webhooks_attempts')
      .values(rows)
      // A commit whose answer got lost is repeated.
      .onConflict((conflict) => conflict.columns(['delivery_id', 'number']).doNothing()),
  )
}

export async function saveSuccesses(
  trx: Db,
  ids: readonly string[],
  { isManual, statusCode, nowMs }: Success,
): Promise<void> {
  await trx
    .updateTable('webhooks_deliveries')
    .set((e) => ({
      status: 'succeeded',
      due_at: isManual ? null : unlessResent(null),
      next_trigger: isManual ? 'scheduled' : e.ref('next_trigger'),
      next_attempt_at: null,
      completed_at: nowMs,
      attempt_count: e('attempt_count', '+', 1),
      tries: e('tries', '+', 1),
      last_status_code: statusCode,
      last_error: null,
    }))
    .where('id', 'in', ids)
    .execute()
}

export async function saveFailure(
  trx: Db,
  id: string,
  { isManual, change }: Failure,
): Promise<void> {
  await trx
    .updateTable('webhooks_deliveries')
    .set((e) => ({
      ...change,
      due_at: isManual ? change.due_at : unlessResent(change.due_at),
      epoch: isManual ? change.epoch : epochUnlessResent(change.epoch),
      next_trigger: isManual ? 'scheduled' : e.ref('next_trigger'),
      attempt_count: e('attempt_count', '+', 1),
    }))
    .where('id', '=', id)
    .execute()
}

/** Somebody asked for a manual attempt while this one was under way: that is still to be made. */
function unlessResent(dueMs: number | null) {
  return sql<
    number | null
  >`case when next_trigger = 'manual' then due_at else cast(${dueMs} as bigint) end`
}

function epochUnlessResent(epoch: number) {
  return sql<number>`case when next_trigger = 'manual' then cast(${ALWAYS} as bigint) else cast(${epoch} as bigint) end`
}

/** A lane by one claim of it: the same process may have claimed it anew since. */
interface Held {
  readonly id: string
  readonly holder: string
}

/** When the next request may be sent, for whoever has the lane next. */
export async function savePace(trx: Db, { id, holder }: Held, nextSendAtMs: number): Promise<void> {
  await trx
    .updateTable('webhooks_lanes')
    .set({ next_send_at: nextSendAtMs })
    .where('subscription_id', '=', id)
    .where('lease_owner', '=', holder)
    .execute()
}

/**
 * Lets others have the lanes, unless a newer claim holds them. The next due time is read under the lock of the lane: what was queued
 * before it is seen, what is queued after it sets the time itself. An ordered lane is due when its
 * delivery in front is.
 */
export async function giveBack(trx: Db, lanes: readonly Held[]): Promise<void> {
  if (lanes.length === 0) return
  const ids = lanes.map(({ id }) => id)
  const claims = lanes.map(({ id, holder }) => `${holder} ${id}`)
  const none = Number.MAX_SAFE_INTEGER
  const scheduled = sql<number>`case when is_ordered = 1 then ${FIRST_IN_SEQUENCE}
    else ${firstOf(EPOCH_OF_LANE)} end`
  const always = firstOf(ALWAYS)
  await trx
    .updateTable('webhooks_lanes')
    .set({
      lease_owner: null,
      lease_until: null,
      due_at: sql<
        number | null
      >`case when coalesce(${scheduled}, ${none}) <= coalesce(${always}, ${none})
        then ${scheduled} else ${always} end`,
    })
    .where('subscription_id', 'in', ids)
    .where(sql<string>`lease_owner || ' ' || subscription_id`, 'in', claims)
    .execute()
}

const EPOCH_OF_LANE = sql.ref<number>('webhooks_lanes.epoch')

function firstOf(epoch: typeof EPOCH_OF_LANE | number) {
  return sql<number>`(
    select d.due_at from webhooks_deliveries d
    where d.subscription_id = webhooks_lanes.subscription_id and d.due_at is not null
      and d.epoch = ${epoch}
    order by d.due_at limit 1)`
}

/** Null while that one is held: letting it go wakes the lane. */
const FIRST_IN_SEQUENCE = sql<number>`(
  select case when webhooks_deliveries.epoch = ${EPOCH_OF_LANE} then webhooks_deliveries.due_at end
  from webhooks_deliveries
  where webhooks_deliveries.subscription_id = webhooks_lanes.subscription_id
    and status = 'pending' and is_test = 0 and ${isNotCancelled()}
  order by sequence limit 1)`
