import type { Kysely } from 'kysely'
import type { Lane } from './records.ts'
import { updateLane } from './store/lanes.ts'
import type { DisabledReason, WebhooksTables } from './tables.ts'

type Db = Kysely<WebhooksTables>

/** Holds what waits, however much it is, by one changed number (see `statusOf`). */
export async function deactivate(
  db: Db,
  lane: Pick<Lane, 'subscriptionId' | 'epoch'>,
  { reason, nowMs }: { readonly reason: DisabledReason; readonly nowMs: number },
): Promise<void> {
  await updateLane(db, lane.subscriptionId, {
    is_active: 0,
    disabled_at: nowMs,
    disabled_reason: reason,
    epoch: lane.epoch + 1,
    release_at: null,
  })
}

/** Held deliveries are let go one after the other from now on, or given up. */
export async function reactivate(
  db: Db,
  lane: Pick<Lane, 'subscriptionId' | 'epoch'>,
  { discard, nowMs }: { readonly discard: boolean; readonly nowMs: number },
): Promise<void> {
  await updateLane(db, lane.subscriptionId, {
    is_active: 1,
    active_since: nowMs,
    disabled_at: null,
    disabled_reason: null,
    failure_count: 0,
    failing_since: null,
    ...(discard ? { cancelled_epoch: lane.epoch } : { release_at: nowMs }),
  })
}
