import type { Kysely } from 'kysely'
import type { AccessTables } from './tables.ts'

/** A user as the author of something; deleted ones are nobody. */
export interface Person {
  readonly id: number
  readonly uuid: string
  readonly name: string | null
  readonly email: string
}

/** Users as other modules show them. */
export function createPeople(reader: Kysely<AccessTables>) {
  return { byIds, byUuid, all }

  async function byIds(ids: readonly number[]): Promise<readonly Person[]> {
    if (ids.length === 0) return []
    return (await present().where('id', 'in', ids).execute()).map(toPerson)
  }

  async function byUuid(uuid: string): Promise<Person | undefined> {
    const row = await present().where('uuid', '=', uuid).executeTakeFirst()
    return row && toPerson(row)
  }

  async function all(): Promise<readonly Person[]> {
    return (await present().orderBy('id').execute()).map(toPerson)
  }

  function present() {
    return reader
      .selectFrom('access_users')
      .select(['id', 'uuid', 'name', 'email'])
      .where('deleted_at', 'is', null)
  }
}

interface Row {
  readonly id: number
  readonly uuid: string
  readonly name: string | null
  readonly email: string | null
}

function toPerson({ id, uuid, name, email }: Row): Person {
  return { id, uuid, name, email: email ?? '' }
}
