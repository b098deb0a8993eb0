import type { Kysely } from 'kysely'
import { hasAccess, memoize } from '#kernel'
import { compileEndpoints } from './endpoints.ts'
import type { AccessTables } from './tables.ts'

/** A user as other modules name one: by the UUID that receivers see. */
export interface Consumer {
  readonly id: string
  readonly email: string
  /** Has the admin role. */
  readonly isStaff: boolean
}

const IDS_PER_QUERY = 500
const MAX_COMPILED = 500

/** For modules and threads that need no more of a user; deleted ones are found by neither. */
export function createConsumers(reader: Kysely<AccessTables>, now: () => number) {
  /** Plans are few and change rarely: each list of endpoints is compiled once. */
  const permitting = memoize(MAX_COMPILED, (endpoints: string) =>
    compileEndpoints(JSON.parse(endpoints)),
  )
  return { find, staff, mayGet, mayWrite }

  async function find(id: string): Promise<Consumer | undefined> {
    const row = await reader
      .selectFrom('access_users')
      .select(['uuid', 'email', 'access', 'status'])
      .where('uuid', '=', id)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (!row) return undefined
    const isStaff = row.access === 'admin' && row.status === 'active'
    return { id: row.uuid, email: row.email ?? '', isStaff }
  }

  /** Those who have an active key whose plan includes the call; every level may read. */
  async function mayGet(path: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
      for (const { uuid, endpoints } of await plansOf(ids.slice(at, at + IDS_PER_QUERY))) {
        if (!found.has(uuid) && permitting(endpoints)('GET', path)) found.add(uuid)
      }
    }
    return found
  }

  function plansOf(ids: readonly string[]) {
    return reader
      .selectFrom('access_keys')
      .innerJoin('access_users', 'access_users.id', 'access_keys.user_id')
      .innerJoin('access_plans', 'access_plans.id', 'access_keys.plan_id')
      .select(['access_users.uuid', 'access_plans.endpoints'])
      .distinct()
      .where('access_users.uuid', 'in', ids)
      .where('access_users.status', '=', 'active')
      .where('access_users.deleted_at', 'is', null)
      .where('access_keys.status', '=', 'active')
      .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now())]))
      .execute()
  }

  /** Of an active user with at least the level `write`, by number. */
  async function mayWrite(userId: number): Promise<boolean> {
    const row = await reader
      .selectFrom('access_users')
      .select(['access', 'status'])
      .where('id', '=', userId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    return row?.status === 'active' && hasAccess({ access: row.access }, 'write')
  }

  async function staff(): Promise<string[]> {
    const rows = await reader
      .selectFrom('access_users')
      .select('uuid')
      .where('access', '=', 'admin')
      .where('status', '=', 'active')
      .where('deleted_at', 'is', null)
      .execute()
    return rows.map(({ uuid }) => uuid)
  }
}
