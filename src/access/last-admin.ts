import { conflict } from '#kernel'
import type { Change } from './changes.ts'
import type { Key } from './records.ts'
import { hasActiveAdminKey } from './store/keys.ts'
import { hasActiveAdmin } from './store/users.ts'

/**
 * Undoes a change that would leave the installation without any admin, or any key of one: nobody
 * could repair that over HTTP. Safe against another change at the same time, since changes queue.
 */
export async function keepAnAdmin<T>(change: Change, work: () => Promise<T>): Promise<T> {
  const before = await look(change)
  const result = await work()
  const after = await look(change)
  if ((before.user && !after.user) || (before.key && !after.key)) {
    throw lastAdmin('be revoked, demoted or deleted')
  }
  return result
}

async function look({ trx, nowMs }: Change) {
  return { user: await hasActiveAdmin(trx), key: await hasActiveAdminKey(trx, nowMs) }
}

/** The end of the only admin key would do later what its revocation may not do now. To put it off is no loss. */
export async function refuseLastEnd(
  { trx, nowMs }: Change,
  key: Key,
  expiresAtMs: number | null | undefined,
): Promise<void> {
  if (expiresAtMs === null || expiresAtMs === undefined) return
  if (key.expiresAtMs !== null && expiresAtMs >= key.expiresAtMs) return
  if (await hasActiveAdminKey(trx, nowMs, key.id)) return
  if (await hasActiveAdminKey(trx, nowMs)) throw lastAdmin('be given an end, or an earlier one')
}

function lastAdmin(what: string) {
  return conflict('last_admin', `The last active admin cannot ${what}`)
}
