import { withAttributesOf } from './body.ts'
import type { Loaded } from './load.ts'
import type { Plan } from './plan.ts'
import { isUnversioned } from './share.ts'
import type { Copy } from './store/copies.ts'
import type { Writing } from './writing.ts'

/** Content model §8: from one state to the other with as few rows as possible. */
export async function writeCopies(writing: Writing, loaded: Loaded, plan: Plan): Promise<Copy> {
  const { trx, copies, nowMs } = writing
  const { work, live } = loaded
  const { from, goal, body } = plan
  const next: Copy = {
    ...work,
    body,
    live: goal === 'published',
    createdAtMs: plan.row.created_at,
    updatedAtMs: nowMs,
    publishedAtMs: plan.row.published_at,
    revisionId: plan.isBodyChanged ? await writing.takeNumber() : work.revisionId,
  }
  if (from === 'published' && goal === 'changed') {
    const was = { ...work, copyNo: next.revisionId, live: false }
    const split = { ...next, copyNo: next.revisionId }
    await copies.split(trx, work.copyNo, split.copyNo)
    await copies.save(trx, was, split)
    await setShared(writing, { ...work, work: false }, plan)
    return split
  }
  if (from === 'changed' && live && goal !== 'changed') await copies.remove(trx, [live.copyNo])
  if (from === 'changed' && live && goal === 'changed') await setShared(writing, live, plan)
  await copies.save(trx, work, next)
  return next
}

/** Unversioned values are the same in both copies, at once, and what was written to both of them. */
async function setShared({ trx, type, copies, nowMs }: Writing, live: Copy, plan: Plan) {
  if (plan.unversioned.length === 0 && !plan.liveBody) return
  const body = plan.liveBody ?? withAttributesOf(type, live.body, plan.body, isUnversioned)
  await copies.save(trx, live, { ...live, body, updatedAtMs: nowMs })
}
