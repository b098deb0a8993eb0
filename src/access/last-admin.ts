import { conflict } from '#kernel'
import type { Change } from './changes.ts'
import { compileEndpoints } from './endpoints.ts'
import type { Key, Plan } from './records.ts'
import { findAdminPlan, hasActiveAdminKey } from './store/keys.ts'
import { hasActiveAdmin } from './store/users.ts'

/**
 * Undoes a change that would leave the installation without any admin, any key of one, or any whose
 * plan lets it change plans: nobody could repair that over HTTP. Safe against another change at the
 * same time, since changes queue.
 */
export async function keepAnAdmin<T>(change: Change, work: () => Promise<T>): Promise<T> {
  const before = await look(change)
  const result = await work()
  refuseLoss(before, await look(change), 'be revoked, demoted or deleted')
  return result
}

/** The end of the only admin key would do later what its revocation may not do now. To put it off is no loss. */
export async function refuseLastEnd(
  change: Change,
  key: Key,
  expiresAtMs: number | null | undefined,
): Promise<void> {
  if (expiresAtMs === null || expiresAtMs === undefined) return
  if (key.expiresAtMs !== null && expiresAtMs >= key.expiresAtMs) return
  refuseLoss(await look(change), await look(change, key.id), 'be given an end, or an earlier one')
}

/** Whether a key of the plan can be used to change plans, whatever else is missing. */
export function isForAdmins({
  id,
  endpoints,
  requestsPerMonth,
}: Pick<Plan, 'id' | 'endpoints' | 'requestsPerMonth'>): boolean {
  return requestsPerMonth !== 0 && compileEndpoints(endpoints)('PATCH', `/api/v1/plans/${id}`)
}

/** What is there for administration, without the key of that id. */
interface Left {
  readonly user: boolean
  readonly key: boolean
  /** A key by which plans can be changed. */
  readonly planner: boolean
}

async function look(change: Change, besides?: number): Promise<Left> {
  const { trx, nowMs } = change
  return {
    user: await hasActiveAdmin(trx),
    key: await hasActiveAdminKey(trx, nowMs, besides),
    planner: await hasPlanner(change, besides),
  }
}

/** One look as a rule: the plan of nearly every admin key permits everything. */
async function hasPlanner({ trx, nowMs }: Change, besides?: number): Promise<boolean> {
  const except: number[] = []
  for (;;) {
    const plan = await findAdminPlan(trx, nowMs, { besides, except })
    if (!plan) return false
    if (isForAdmins(plan)) return true
    except.push(plan.id)
  }
}

function refuseLoss(before: Left, after: Left, what: string): void {
  if ((before.user && !after.user) || (before.key && !after.key)) {
    throw conflict('last_admin', `The last active admin cannot ${what}`)
  }
  if (before.planner && !after.planner) {
    const plan = 'includes PATCH /api/v1/plans/{id} and at least one request a month'
    throw conflict('last_admin', `No admin key would be left whose plan ${plan}`)
  }
}
