import type { Kysely } from 'kysely'
import type { Lane } from './records.ts'
import { updateLane } from './store/lanes.ts'
import type { DisabledReason, WebhooksTables } from './tables.ts'

type Db = Kysely<WebhooksTables>

/** A disabled endpoint is tried first after this time, then after growing ones. */
export const RESUME_PAUSES = { firstMs: 60_000, maxMs: 21_600_000 }

/** Holds what waits, however much it is, by one changed number (see `statusOf`). */
export async function deactivate(
  db: Db,
  lane: Pick<Lane, 'subscriptionId' | 'epoch' | 'autoResume'>,
  { reason, nowMs }: { readonly reason: DisabledReason; readonly nowMs: number },
): Promise<void> {
  await updateLane(db, lane.subscriptionId, {
    is_active: 0,
    disabled_at: nowMs,
    disabled_reason: reason,
    epoch: lane.epoch + 1,
    release_at: null,
    ...resumption(lane.autoResume, reason, nowMs),
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
    resume_at: null,
    ...(discard ? { cancelled_epoch: lane.epoch } : { release_at: nowMs }),
  })
}

/** Whoever was switched off by its owner, or asked to be left alone, is not tried again. */
export function resumption(autoResume: boolean, reason: DisabledReason | null, nowMs: number) {
  const isTried = autoResume && reason === 'failures'
  return { resume_at: isTried ? nowMs + RESUME_PAUSES.firstMs : null, resume_tries: 0 }
}
