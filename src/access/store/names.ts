import type { Kysely } from 'kysely'
import type { AccessTables } from '../tables.ts'

type Db = Kysely<AccessTables>

/** Both databases limit how many values a statement may carry. */
const PER_QUERY = 500

/** What a person calls keys, users or plans; a key without a name by how it begins. */
export async function findNames(
  db: Db,
  of: 'key' | 'user' | 'plan',
  ids: readonly number[],
): Promise<Map<number, string>> {
  const names = new Map<number, string>()
  for (let start = 0; start < ids.length; start += PER_QUERY) {
    for (const { id, name } of await find(db, of, ids.slice(start, start + PER_QUERY))) {
      if (name !== null) names.set(id, name)
    }
  }
  return names
}

async function find(db: Db, of: 'key' | 'user' | 'plan', ids: readonly number[]) {
  if (of === 'plan') {
    return db.selectFrom('access_plans').select(['id', 'name']).where('id', 'in', ids).execute()
  }
  if (of === 'user') {
    return db
      .selectFrom('access_users')
      .select(['id', 'email as name'])
      .where('id', 'in', ids)
      .execute()
  }
  return db
    .selectFrom('access_keys')
    .select((row) => ['id', row.fn.coalesce('name', 'key_prefix').as('name')])
    .where('id', 'in', ids)
    .execute()
}
