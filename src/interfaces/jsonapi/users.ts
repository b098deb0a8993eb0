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
  async function ofEntries(entries: readonly Entry[]): Promise<ReadonlyMap<number, KnownUser>> {
    const ids = new Set<number>()
    for (const entry of entries) gather(entry, ids)
    const found = known
    const missing = [...ids].filter((id) => !found.has(id))
    if (missing.length > 0) await learn(found, missing)
    const shown = new Map<number, KnownUser>()
    for (const id of ids) {
      const user = found.get(id)
      if (user) shown.set(id, user)
    }
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

  async function learn(into: Map<number, KnownUser | undefined>, ids: readonly number[]) {
    if (into.size + ids.length > REMEMBERED) into.clear()
    for (const id of ids) into.set(id, undefined)
    for (const user of await users.byIds(ids)) into.set(user.id, user)
    learnt++
  }
}

export type UserDirectory = ReturnType<typeof createUserDirectory>

function gather(entry: Entry, ids: Set<number>): void {
  if (entry.createdBy !== null) ids.add(entry.createdBy)
  for (const included of entry.included.values()) gatherIncluded(included, ids)
}

function gatherIncluded(included: Included, ids: Set<number>): void {
  if (included.kind === 'entry' && included.entry) gather(included.entry, ids)
  if (included.kind === 'entries') for (const entry of included.entries) gather(entry, ids)
}
