import { type DomainError, renderTime } from '#kernel'
import type { ContentType } from '../model.ts'
import { dueAction, type ScheduledAction } from '../schedule/schedule.ts'
import { SYSTEM } from '../system.ts'
import { eventsOf } from './events.ts'
import { NOTHING } from './input/parse.ts'
import { createProblems } from './input/parsed.ts'
import { type Loaded, load } from './load.ts'
import { changeRegistered } from './store/registry.ts'
import { update } from './update.ts'
import { createRunner, type Writing, type WritingDeps } from './writing.ts'

/**
 * Publishes and unpublishes at the times that entries name. Each is done once, whoever tries: the write that does it
 * takes the time away, and holds only while the entry is as it was read.
 */
export function createScheduled(deps: WritingDeps) {
  const { run } = createRunner(deps)
  return { perform, fail }

  /** What was done; undefined when nothing is due any more. */
  function perform(type: ContentType, id: number): Promise<ScheduledAction | undefined> {
    return run(SYSTEM, type, {}, async (writing) => {
      const loaded = await load(writing, { id }, undefined)
      const action = dueAction(loaded.entry, writing.nowMs)
      if (!action) return () => undefined
      const input = { values: {}, [MEMBER[action]]: null }
      const prepared = { input, parsed: NOTHING, problems: createProblems(), isScheduled: true }
      await update(writing, loaded, prepared, { status: action })
      return () => action
    })
  }

  /** It is not tried again: the entry says why, until somebody gives it another time or publishes it. */
  function fail(type: ContentType, id: number, refusal: DomainError): Promise<boolean> {
    return run(SYSTEM, type, {}, async (writing) => {
      const loaded = await load(writing, { id }, undefined)
      const action = dueAction(loaded.entry, writing.nowMs)
      if (action) await noteFault(writing, loaded, action, refusal)
      return () => action !== undefined
    })
  }
}

const MEMBER = { publish: 'publishAtMs', unpublish: 'unpublishAtMs' } as const

async function noteFault(
  writing: Writing,
  { entry: before, work }: Loaded,
  action: ScheduledAction,
  { code, message, issues }: DomainError,
) {
  const { type, trx, nowMs } = writing
  const atMs = action === 'publish' ? before.publish_at : before.unpublish_at
  const details = issues.map((issue) => ({ field: issue.path.join('.'), message: issue.message }))
  const fault = { action, at: renderTime(atMs ?? nowMs), code, message, details }
  const change = {
    ...(action === 'publish' ? { publish_at: null } : { unpublish_at: null }),
    schedule_fault: JSON.stringify(fault),
    version: before.version + 1,
    updated_at: nowMs,
  }
  await changeRegistered(trx, [before.no], change)
  const entry = { ...before, ...change }
  const url = writing.urlOf(entry)
  const happened = { type, entry, body: work.body, actions: ['updated'], live: false, url } as const
  const payload = {
    ...{ id: entry.id, document_id: entry.document_id, content_type: type.singularName },
    ...{ locale: type.localized ? entry.locale : null, url, ...fault, live: false },
  }
  writing.tell([...eventsOf(happened), { type: 'content.schedule_failed', payload, live: false }])
  writing.touch(type.no)
}
