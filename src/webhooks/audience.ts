import type { EventAudience } from '#events'
import type { Consumer, EventType } from './records.ts'
import type { Visibility } from './tables.ts'

interface Shown {
  readonly owner: string | null
  readonly exclusive: boolean
  readonly live: boolean
}

/** To whom an event goes: everybody, or these consumers and, when it says so, staff. */
export interface Recipients {
  readonly everybody: boolean
  readonly staff: boolean
  readonly owner: string | null
}

/** Webhooks contract §3 and §4. An event with an owner is never shown to other consumers. */
export function recipientsOf(
  { owner, exclusive, live }: Shown,
  visibility: Visibility,
): Recipients {
  const isOpen = visibility === 'all' || (visibility === 'live' && live)
  if (isOpen && owner === null) return { everybody: true, staff: true, owner: null }
  const isOwners = visibility !== 'staff'
  return { everybody: false, staff: !exclusive, owner: isOwners ? owner : null }
}

/** Whether an event may be shown to a consumer; agrees with `audienceOf`. */
export function isShownTo(event: Shown, visibility: Visibility, consumer: Consumer): boolean {
  const { everybody, staff, owner } = recipientsOf(event, visibility)
  if (everybody || (staff && consumer.isStaff)) return true
  if (event.owner !== consumer.id) return false
  return owner !== null || consumer.isStaff
}

/** The same question for a query: which types are shown to this consumer, and on what condition. */
export function audienceOf(
  { id, isStaff }: Consumer,
  types: readonly Pick<EventType, 'name' | 'visibility'>[],
): EventAudience {
  const named = (visibility: Visibility) =>
    types.filter((type) => type.visibility === visibility).map(({ name }) => name)
  if (isStaff) {
    const all = types.map(({ name }) => name)
    return { viewer: id, open: [], live: [], owned: [], all }
  }
  const [open, live, owned] = [named('all'), named('live'), named('owner')]
  return { viewer: id, open, live, owned, all: [] }
}
