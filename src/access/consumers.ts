import type { Kysely } from 'kysely'
import { hasAccess } from '#kernel'
import type { AccessTables } from './tables.ts'

/** A user as other modules name one: by the UUID that receivers see. */
export interface Consumer {
  readonly id: string
  readonly email: string
  /** Has the admin role. */
  readonly isStaff: boolean
}

/** For modules and threads that need no more of a user; deleted ones are found by neither. */
export function createConsumers(reader: Kysely<AccessTables>) {
  return { find, staff, mayWrite }

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
