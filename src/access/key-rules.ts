import { type AccessLevel, type Actor, conflict, DomainError, hasAccess, notFound } from '#kernel'
import type { Change } from './changes.ts'
import { isAbove, type Key, type Plan, statusAt, type User } from './records.ts'
import { levelTooLow } from './refusals.ts'
import { countActiveKeys } from './store/keys.ts'
import { findUser } from './store/users.ts'

// Who may do what with which key, and what a key may be (access contract §2.2, §6).

/** Another owner's key answers as an unknown one does. */
export function visible(actor: Actor, key: Key | undefined): Key {
  if (key && (key.userId === actor.userId || hasAccess(actor, 'admin'))) return key
  throw notFound('key')
}

/** The owner of a key of that level; no key may exceed its owner. */
export async function ownerFor(
  { trx }: Change,
  userId: number,
  access: AccessLevel,
): Promise<User> {
  const owner = (await findUser(trx, userId)) ?? unknownUser()
  if (!isAbove(access, owner.access)) return owner
  throw new DomainError(
    'unprocessable',
    'access_exceeds_user',
    `The owner has ${owner.access} access only`,
    { issues: [{ path: ['access'], rule: 'range', message: 'access exceeds that of the owner' }] },
  )
}

export async function refuseBeyondAllowance({ trx, nowMs }: Change, owner: User, plan: Plan) {
  if (plan.keysPerUser === 0) throw levelTooLow('admin')
  const held = await countActiveKeys(trx, { userId: owner.id, planId: plan.id }, nowMs)
  if (held < plan.keysPerUser) return
  throw conflict('key_limit_reached', `This plan allows ${plan.keysPerUser} active keys per user`)
}

export function refuseUnlessActive(key: Key, nowMs: number): void {
  const status = statusAt(key, nowMs)
  if (status === 'active') return
  throw conflict(`key_${status}`, `The key is ${status}`)
}

export function refusePast(expiresAtMs: number | null | undefined, nowMs: number): void {
  if (expiresAtMs === null || expiresAtMs === undefined || expiresAtMs > nowMs) return
  const message = 'expires_at must be in the future'
  throw new DomainError('unprocessable', 'expires_at_not_in_future', message, {
    issues: [{ path: ['expires_at'], rule: 'range', message }],
  })
}

export function needAdmin(actor: Actor): void {
  if (!hasAccess(actor, 'admin')) throw levelTooLow('admin')
}

export function unknownUser(): never {
  throw unknownReference('user')
}

export function unknownPlan(): never {
  throw unknownReference('plan')
}

function unknownReference(noun: 'user' | 'plan'): DomainError {
  const message = `There is no such ${noun}`
  return new DomainError('unprocessable', `unknown_${noun}`, message, {
    issues: [{ path: [`${noun}_id`], rule: 'unknown', message }],
  })
}

export function withoutSecret(): never {
  throw conflict('key_without_secret', 'This key has no secret of its own')
}
