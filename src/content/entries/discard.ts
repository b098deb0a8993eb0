import { eventsOf } from './events.ts'
import type { Loaded } from './load.ts'
import type { Written } from './ports.ts'
import { statusOf, toEntry } from './render.ts'
import { changeRegistered } from './store/registry.ts'
import type { Writing } from './writing.ts'

/** The working copy becomes what is live again. Readers of live copies notice nothing. */
export async function discardDraft(writing: Writing, loaded: Loaded): Promise<Written> {
  const { trx, type, copies, actor, nowMs } = writing
  const { entry: before, work, live } = loaded
  if (statusOf(before) !== 'changed' || !live) {
    return { entry: toEntry(type, before, work), changed: false }
  }
  await copies.remove(trx, [work.copyNo])
  await copies.setFlags(trx, live.copyNo, { live: true, work: true })
  const change = {
    changed: 0,
    updated_at: nowMs,
    updated_by: actor.kind === 'system' ? before.updated_by : actor.userId,
    version: before.version + 1,
  }
  await changeRegistered(trx, [before.no], change)
  const entry = { ...before, ...change }
  const url = writing.urlOf(entry)
  writing.tell(eventsOf({ type, entry, body: live.body, actions: ['updated'], live: false, url }))
  writing.touch(type.no)
  return { entry: toEntry(type, entry, live), changed: true }
}
