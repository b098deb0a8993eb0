import { withAttributesOf } from './body.ts'
import { keepRevision } from './keep-revision.ts'
import type { Loaded } from './load.ts'
import { hasSameLive, type Plan } from './plan.ts'
import { isUnversioned } from './share.ts'
import type { Copy } from './store/copies.ts'
import type { Registered } from './store/registry.ts'
import type { Writing } from './writing.ts'

/** Content model §8: from one state to the other with as few rows as possible. */
export async function writeCopies(writing: Writing, loaded: Loaded, plan: Plan): Promise<Copy> {
  const { trx, copies } = writing
  const { entry, work, live } = loaded
  const { from, goal, body } = plan
  const { keepsRevision } = plan
  if (plan.isBodyChanged && keepsRevision) await keepRevision(writing, entry, work)
  // First, so that the draft stays the newest revision.
  if (from === 'changed' && live && goal === 'changed') await setShared(writing, entry, live, plan)
  const next: Copy = {
    ...work,
    body,
    live: goal === 'published',
    createdAtMs: plan.row.created_at,
    updatedAtMs: plan.row.updated_at,
    publishedAtMs: plan.row.published_at,
    revisionId: plan.isBodyChanged ? await writing.takeNumber() : work.revisionId,
  }
  if (from === 'published' && goal === 'changed') {
    const was = { ...work, copyNo: next.revisionId, live: false }
    const split = { ...next, copyNo: next.revisionId }
    await copies.split(trx, work.copyNo, split.copyNo)
    await copies.save(trx, was, split)
    await setShared(writing, entry, { ...work, work: false }, plan)
    return split
  }
  if (from === 'changed' && live && goal !== 'changed') {
    if (keepsRevision) await keepRevision(writing, entry, live)
    await copies.remove(trx, [live.copyNo])
  }
  await copies.save(trx, work, next)
  return next
}

/** Unversioned values are the same in both copies, at once, and what was written to both of them. */
async function setShared(writing: Writing, entry: Registered, live: Copy, plan: Plan) {
  const { trx, type, copies, nowMs } = writing
  if (plan.unversioned.length === 0 && !plan.liveBody) return
  const body = plan.liveBody ?? withAttributesOf(type, live.body, plan.body, isUnversioned)
  const isRevised = !hasSameLive(type, body, live)
  if (isRevised && plan.keepsRevision) await keepRevision(writing, entry, live)
  const revisionId = isRevised ? await writing.takeNumber() : live.revisionId
  await copies.save(trx, live, { ...live, body, revisionId, updatedAtMs: nowMs })
}
