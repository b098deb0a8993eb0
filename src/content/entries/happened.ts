import { userOf } from '../system.ts'
import type { EntryAction } from './event-names.ts'
import type { Plan } from './plan.ts'
import type { Prepared } from './prepare.ts'
import type { Copy } from './store/copies.ts'
import type { Registered } from './store/registry.ts'
import type { Writing } from './writing.ts'

/** What can happen to a revision: it is made by the first four, the others leave its values as they are. */
export const HISTORY_EVENTS = [
  ...(['create', 'update', 'restore', 'discard'] as const),
  ...(['publish', 'unpublish', 'scheduled_publish', 'scheduled_unpublish'] as const),
] as const

export interface Happened {
  readonly event: (typeof HISTORY_EVENTS)[number]
  readonly atMs: number
  /** The user's number; null: nobody that has an account, as the server itself. */
  readonly by: number | null
}

/** So much of one revision is kept: how it came about, and the latest. */
const MOST = 12

/** When and by whom the values of a copy were written, as far as its entry tells. */
export function savedBy(entry: Registered, copy: Pick<Copy, 'work' | 'updatedAtMs'>) {
  if (!copy.work) return { saved_at: copy.updatedAtMs, saved_by: null }
  if (entry.revised_at !== null) return { saved_at: entry.revised_at, saved_by: entry.revised_by }
  return { saved_at: copy.updatedAtMs, saved_by: entry.updated_by }
}

/** Of the working copy. A new entry notes nothing: its row says when it was made, and whether it was published with it. */
export function happenedTo(entry: Registered, work: Copy): readonly Happened[] {
  if (entry.events !== null) return parseHappened(entry.events)
  const saved = savedBy(entry, work)
  const { version, created_at: atMs, created_by: by, published_at } = entry
  if (version > 1 && saved.saved_at !== atMs) return happenedOnce(saved)
  const created = { event: 'create', atMs, by } as const
  const isPublished = published_at !== null && (version === 1 || published_at === atMs)
  if (!isPublished) return [created]
  return [created, { event: 'publish', atMs: published_at, by }]
}

/** Where no more is known than that it was saved. */
export function happenedOnce(row: {
  readonly saved_at: number
  readonly saved_by: number | null
}): readonly Happened[] {
  return [{ event: 'update', atMs: row.saved_at, by: row.saved_by }]
}

/** What the row of an entry says of the working copy after an update; nothing when nothing is told of it. */
export function happenedBy(
  { actor }: Writing,
  { entry, work }: { readonly entry: Registered; readonly work: Copy },
  { restored, isScheduled = false }: Prepared,
  plan: Plan,
  actions: readonly EntryAction[],
): { readonly events?: string } {
  if (actions.length === 0 && !plan.isBodyChanged) return {}
  const [atMs, by] = [plan.row.updated_at, userOf(actor)]
  const added = actions.flatMap((action): Happened[] => {
    switch (action) {
      case 'published':
        return [{ event: isScheduled ? 'scheduled_publish' : 'publish', atMs, by }]
      case 'unpublished':
        return [{ event: isScheduled ? 'scheduled_unpublish' : 'unpublish', atMs, by }]
      default:
        return [{ event: restored ? 'restore' : 'update', atMs, by }]
    }
  })
  return {
    events: renderHappened([...(plan.isBodyChanged ? [] : happenedTo(entry, work)), ...added]),
  }
}

export function parseHappened(text: string): readonly Happened[] {
  const rows: [Happened['event'], number, number | null][] = JSON.parse(text)
  return rows.map(([event, atMs, by]) => ({ event, atMs, by }))
}

/** Short, because it is written with every change. */
export function renderHappened(all: readonly Happened[]): string {
  const kept = all.length > MOST ? [...all.slice(0, 1), ...all.slice(1 - MOST)] : all
  return JSON.stringify(kept.map(({ event, atMs, by }) => [event, atMs, by]))
}
