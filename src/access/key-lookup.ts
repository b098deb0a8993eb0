import type { Kysely } from 'kysely'
import { findFormerPlans, findFormerPrices } from './store/former-plans.ts'
import { findKeyInfo, findKeyInfos, hasUser } from './store/key-info.ts'
import { findNames } from './store/names.ts'
import { findPlan } from './store/plans.ts'
import type { AccessTables } from './tables.ts'
import type { KeyLookup } from './usage/index.ts'

/** How usage asks for keys: also for those that ended, because their history stays. */
export function createKeyLookup(reader: Kysely<AccessTables>): KeyLookup {
  return {
    findKey: (id) => findKeyInfo(reader, id),
    async findKeysOfUser(userId) {
      const keys = await findKeyInfos(reader, { userId })
      return keys.length > 0 || (await hasUser(reader, userId)) ? keys : undefined
    },
    findKeysOfPlan: async (planId) =>
      (await findPlan(reader, planId)) && findKeyInfos(reader, { planId }),
    findAllKeys: () => findKeyInfos(reader, {}),
    findNames: (of, ids) => findNames(reader, of, ids),
    findFormerPlans: (keyIds, sinceMs) => findFormerPlans(reader, keyIds, sinceMs),
    findFormerPrices: (planIds, sinceMs) => findFormerPrices(reader, planIds, sinceMs),
  }
}
