import { findKeptRevision } from '../revisions/store.ts'
import { userOf } from '../system.ts'
import { eventsOf } from './events.ts'
import { happenedOnce, parseHappened, renderHappened } from './happened.ts'
import { keepRevision } from './keep-revision.ts'
import type { Loaded } from './load.ts'
import { refusePlanned } from './planned.ts'
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
  refusePlanned(writing, type, [before])
  const kept = await findKeptRevision(trx, before.no, live.revisionId)
  await keepRevision(writing, before, work)
  await copies.remove(trx, [work.copyNo])
  await copies.setFlags(trx, live.copyNo, { live: true, work: true })
  const liveSaved = kept ?? { saved_at: live.updatedAtMs, saved_by: null }
  const change = {
    changed: 0,
    updated_at: nowMs,
    updated_by: userOf(actor) ?? before.updated_by,
    version: before.version + 1,
    // Who wrote the live values is said by their revision, which was kept when the draft began.
    revised_at: live.updatedAtMs,
    revised_by: null,
    scraped: 0,
    events: renderHappened([
      ...(kept?.events ? parseHappened(kept.events) : happenedOnce(liveSaved)),
      { event: 'discard', atMs: nowMs, by: userOf(actor) },
    ]),
  }
  await changeRegistered(trx, [before.no], change)
  const entry = { ...before, ...change }
  const url = writing.urlOf(entry)
  writing.tell(eventsOf({ type, entry, body: live.body, actions: ['updated'], live: false, url }))
  writing.touch(type.no)
  return { entry: toEntry(type, entry, live), changed: true }
}
