import type { Kysely } from 'kysely'
import { findKeyInfo, findKeyInfosOf, hasUser } from './store/key-info.ts'
import type { AccessTables } from './tables.ts'
import type { KeyLookup } from './usage/index.ts'

/** How usage asks for keys: also for those that ended, because their history stays. */
export function createKeyLookup(reader: Kysely<AccessTables>): KeyLookup {
  return {
    findKey: (id) => findKeyInfo(reader, id),
    async findKeysOfUser(userId) {
      const keys = await findKeyInfosOf(reader, userId)
      return keys.length > 0 || (await hasUser(reader, userId)) ? keys : undefined
    },
  }
}
