import { findKeptRevision } from '../revisions/store.ts'
import { userOf } from '../system.ts'
import { type Body, hasSameBody, withAttributesOf } from './body.ts'
import { eventsOf } from './events.ts'
import { happenedOnce, parseHappened, renderHappened } from './happened.ts'
import { keepRevision } from './keep-revision.ts'
import type { Loaded } from './load.ts'
import { refusePlanned } from './planned.ts'
import type { Written } from './ports.ts'
import { statusOf, toEntry } from './render.ts'
import { isShared, shareWithOthers } from './share.ts'
import type { Copy } from './store/copies.ts'
import { changeRegistered, type Registered } from './store/registry.ts'
import type { Writing } from './writing.ts'

/** The working copy becomes what is live again. Readers of live copies notice nothing. */
export async function discardDraft(writing: Writing, loaded: Loaded): Promise<Written> {
  const { type } = writing
  const { entry: before, work, live } = loaded
  if (statusOf(before) !== 'changed' || !live) {
    return { entry: toEntry(type, before, work), changed: false }
  }
  const entry = await withdraw(writing, before, work, live)
  await shareLive(writing, loaded, entry, live.body)
  const url = writing.urlOf(entry)
  writing.tell(eventsOf({ type, entry, body: live.body, actions: ['updated'], live: false, url }))
  return { entry: toEntry(type, entry, live), changed: true }
}

async function withdraw(
  writing: Writing,
  before: Registered,
  work: Copy,
  live: Copy,
): Promise<Registered> {
  const { trx, type, copies, actor, nowMs } = writing
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
  writing.touch(type.no)
  return { ...before, ...change }
}

/**
 * A value that all languages share was drafted in all of them, and is discarded in all. Where nothing else was drafted
 * that language has no draft any more.
 */
async function shareLive(writing: Writing, loaded: Loaded, own: Registered, body: Body) {
  const { type } = writing
  const others: Registered[] = []
  for (const variant of loaded.variants.filter(({ no }) => no !== own.no)) {
    const copies = loaded.copies.filter(({ entryNo }) => entryNo === variant.no)
    const [work, live] = [copies.find((copy) => copy.work), copies.find((copy) => copy.live)]
    const next = work && withAttributesOf(type, work.body, body, isShared)
    if (!next || hasSameBody(work.body, next)) continue
    if (live && live !== work && hasSameBody(live.body, next)) {
      const entry = await withdraw(writing, variant, work, live)
      writing.noteChanged([{ entry, live: false }])
    } else others.push(variant)
  }
  await shareWithOthers(writing, {
    ...{ variants: others, copies: loaded.copies, own, body, asDraft: true },
    tree: { parent: own.parent, sortOrder: own.sort_order, isMoved: false },
  })
}
