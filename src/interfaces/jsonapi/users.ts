import type { Entry, Included } from '#content'
import type { KnownUser, KnownUsers } from './deps.ts'

const REMEMBERED = 10_000
/** Texts of pages hold so many accounts; what others made is rendered one by one. */
const MOST_IN_TEXTS = 200

/** Accounts are asked for with almost every answer and change seldom: they are remembered. */
export function createUserDirectory(users: KnownUsers) {
  let known = new Map<number, KnownUser | undefined>()
  let revision = 0
  let learnt = 0
  users.onChange(() => {
    known = new Map()
    revision++
    learnt++
  })
  return {
    /** Raised when what answers show of accounts may have changed. */
    revision: () => revision,
    all: users.all,
    byUuid: users.byUuid,
    ofEntries,
    /** Raised when `remembered` are others. */
    learnt: () => learnt,
    remembered,
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

  /** Some of those that answers have shown. */
  function remembered(): ReadonlyMap<number, KnownUser> {
    const found = new Map<number, KnownUser>()
    for (const [id, user] of known) {
      if (user) found.set(id, user)
      if (found.size === MOST_IN_TEXTS) break
    }
    return found
  }

  /** An account is remembered once it was found: who asks before that must not take it for deleted. */
  async function lookUp(ids: readonly number[]): Promise<readonly KnownUser[]> {
    const into = known
    const found = await users.byIds(ids)
    if (into.size + ids.length > REMEMBERED) into.clear()
    for (const id of ids) into.set(id, undefined)
    for (const user of found) into.set(user.id, user)
    learnt++
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
