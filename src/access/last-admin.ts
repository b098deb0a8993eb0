import { conflict } from '#kernel'
import type { Change } from './changes.ts'
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
    throw conflict('last_admin', 'The last active admin cannot be revoked, demoted or deleted')
  }
  return result
}

async function look({ trx, nowMs }: Change) {
  return { user: await hasActiveAdmin(trx), key: await hasActiveAdminKey(trx, nowMs) }
}
