import { renderTime, renderTimeOrNull, type Tx } from '#kernel'
import type { Change } from './changes.ts'
import type { Key } from './records.ts'

type KeyEvent = 'key.created' | 'key.rotated' | 'key.revoked' | 'key.expired'

/** Writes events in the transaction of the change; they are seen by their owner. */
export type AppendEvents = (
  tx: Tx,
  events: readonly {
    readonly type: string
    readonly payload: Readonly<Record<string, unknown>>
    readonly owner: string
  }[],
) => Promise<unknown>

/** What subscribers learn of keys (access contract §7). */
export function createKeyEvents({ appendEvents }: { appendEvents: AppendEvents }) {
  return { append }

  async function append(
    { tx, nowMs }: Pick<Change, 'tx' | 'nowMs'>,
    type: KeyEvent,
    keys: readonly Key[],
    owner: { readonly uuid: string },
  ): Promise<void> {
    if (keys.length === 0) return
    const events = keys.map((key) => ({ type, payload: toPayload(key, nowMs), owner: owner.uuid }))
    await appendEvents(tx, events)
  }
}

export type KeyEvents = ReturnType<typeof createKeyEvents>

function toPayload({ id, prefix, name, planId, status, expiresAtMs }: Key, nowMs: number) {
  return {
    key_id: id,
    key_prefix: prefix,
    name,
    plan_id: planId,
    status,
    expires_at: renderTimeOrNull(expiresAtMs),
    at: renderTime(nowMs),
  }
}
