import type { Entry, Included } from '#content'
import type { KnownUser, KnownUsers } from '../deps.ts'

const REMEMBERED = 10_000

/** Accounts are asked for with almost every answer and change seldom: they are remembered. */
export function createUserDirectory(users: KnownUsers) {
  let known = new Map<number, KnownUser | undefined>()
  let revision = 0
  users.onChange(() => {
    known = new Map()
    revision++
  })
  return {
    /** Raised when what answers show of accounts may have changed. */
    revision: () => revision,
    all: users.all,
    byUuid: users.byUuid,
    ofEntries,
  }

  /** Those who made the entries and what is included with them. */
  async function ofEntries(entries: readonly Made[]): Promise<ReadonlyMap<number, KnownUser>> {
    const ids = new Set<number>()
    for (const entry of entries) gather(entry, ids)
    const missing = [...ids].filter((id) => !known.has(id))
    const shown = new Map<number, KnownUser>()
    for (const id of ids) {
      const user = known.get(id)
      if (user) shown.set(id, user)
    }
    if (missing.length === 0) return shown
    for (const user of await lookUp(missing)) shown.set(user.id, user)
    return shown
  }

  /** An account is remembered once it was found: who asks before that must not take it for deleted. */
  async function lookUp(ids: readonly number[]): Promise<readonly KnownUser[]> {
    const into = known
    const found = await users.byIds(ids)
    if (into.size + ids.length > REMEMBERED) into.clear()
    for (const id of ids) into.set(id, undefined)
    for (const user of found) into.set(user.id, user)
    return found
  }
}

export type UserDirectory = ReturnType<typeof createUserDirectory>

/** What tells who made an entry. */
type Made = Pick<Entry, 'createdBy' | 'included'>

function gather(entry: Made, ids: Set<number>): void {
  if (entry.createdBy !== null) ids.add(entry.createdBy)
  for (const included of entry.included.values()) gatherIncluded(included, ids)
}

function gatherIncluded(included: Included, ids: Set<number>): void {
  if (included.kind === 'entry' && included.entry) gather(included.entry, ids)
  if (included.kind === 'entries') for (const entry of included.entries) gather(entry, ids)
}
