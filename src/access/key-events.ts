import type { Tx } from '#db'
import type { NewEvent } from '#events'
import { renderTime, renderTimeOrNull } from '#kernel'
import type { Change } from './changes.ts'
import type { Key } from './records.ts'

type KeyEvent = 'key.created' | 'key.rotated' | 'key.revoked' | 'key.expired'

/** Writes events in the transaction of the change; they are seen by their owner. */
export type AppendEvents = (tx: Tx, events: readonly NewEvent[]) => Promise<unknown>

/** Tells open usage streams, in the transaction of the change (access contract §7). */
export interface StreamNotes {
  noteKeyChange(
    tx: Tx,
    change: { readonly keyId: number; readonly userId: number; readonly status: Key['status'] },
  ): Promise<void>
  noteUserStopped(tx: Tx, userId: number): Promise<void>
  /** Nobody has opened a stream with the secret that works from now on. */
  noteSecretStopped(tx: Tx, key: { readonly keyId: number; readonly userId: number }): Promise<void>
}

interface Deps {
  readonly appendEvents: AppendEvents
  readonly streams: StreamNotes
}

/** What subscribers and streams learn of keys (access contract §7). */
export function createKeyEvents({ appendEvents, streams }: Deps) {
  const { noteUserStopped: userStopped, noteSecretStopped: secretStopped } = streams
  return { append, changed, userStopped, secretStopped }

  async function append(
    { tx, nowMs }: Pick<Change, 'tx' | 'nowMs'>,
    type: KeyEvent,
    keys: readonly Key[],
    owner: { readonly uuid: string },
  ): Promise<void> {
    if (keys.length === 0) return
    const events = keys.map((key) => ({ type, payload: toPayload(key, nowMs), owner: owner.uuid }))
    await appendEvents(tx, events)
    if (ENDS.has(type)) for (const key of keys) await changed(tx, key)
  }

  /** The status or the plan of a key is another one. */
  function changed(tx: Tx, { id, userId, status }: Key): Promise<void> {
    return streams.noteKeyChange(tx, { keyId: id, userId, status })
  }
}

const ENDS: ReadonlySet<KeyEvent> = new Set<KeyEvent>(['key.revoked', 'key.expired'])

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
