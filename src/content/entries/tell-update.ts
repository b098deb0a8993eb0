import type { EntryAction } from './event-names.ts'
import { eventsOf, hasOwnEvent, stockEvent } from './events.ts'
import type { Loaded } from './load.ts'
import { isContentChange, isOtherOrigin, isRescheduled, type Plan } from './plan.ts'
import type { Copy } from './store/copies.ts'
import type { Registered } from './store/registry.ts'
import type { Writing } from './writing.ts'

/** The events of an update, after everything else has been written. */
export function tell(writing: Writing, loaded: Loaded, plan: Plan, entry: Registered, copy: Copy) {
  const { type } = writing
  const { work } = loaded
  const isLive = entry.has_live === 1
  writing.touch(type.no)
  if (plan.unversioned.some(({ name }) => hasOwnEvent(type, name))) {
    writing.tell([stockEvent(type, entry, work.body, copy.body)])
  }
  const actions = actionsOf(writing, loaded, plan)
  // This write made the live copy appear, change or go away (webhooks contract §3.1).
  const hasUnversioned = plan.unversioned.length > 0
  const isUnpublished = plan.from !== plan.goal && plan.goal === 'draft'
  const isInLive = (hasUnversioned && isLive) || plan.liveBody !== null
  const isSeen = isContentChange(plan, loaded.entry)
  const live = isSeen && (!plan.asDraft || isUnpublished || isInLive)
  const url = writing.urlOf(entry)
  const told = {
    type,
    entry,
    body: copy.body,
    actions,
    live,
    url,
  }
  writing.tell(eventsOf(told))
}

export function actionsOf({ type }: Writing, { entry }: Loaded, plan: Plan): EntryAction[] {
  const { row } = plan
  const isOwnAlone = plan.unversioned.every(({ name }) => hasOwnEvent(type, name))
  const isUpdated =
    plan.isBodyChanged ||
    plan.inverse.length > 0 ||
    (plan.unversioned.length > 0 && !isOwnAlone) ||
    row.external_id !== entry.external_id ||
    row.parent !== entry.parent ||
    row.sort_order !== entry.sort_order ||
    row.is_root !== entry.is_root ||
    isOtherOrigin(row, entry) ||
    plan.isRedated ||
    (plan.from === plan.goal && row.published_at !== entry.published_at) ||
    (plan.from === plan.goal && isRescheduled(row, entry))
  const actions: EntryAction[] = isUpdated ? ['updated'] : []
  if (plan.goal === 'published' && plan.from !== 'published') actions.push('published')
  if (plan.goal === 'draft' && plan.from !== 'draft') actions.push('unpublished')
  return actions
}
