import { type Actor, type Clock, DomainError, hasAccess, notFound } from '#kernel'
import { badParameter } from './instant.ts'
import { isActive, type KeyInfo, type KeyLookup } from './key-info.ts'

/** The keys a question about usage is about. */
export interface Scope {
  readonly keys: readonly KeyInfo[]
  /** Set when it is all keys of this user, also those issued later. */
  readonly userId: number | null
}

/** For admins: the whole installation, or everybody who has a plan. */
export interface WideScopeQuery extends ScopeQuery {
  readonly scope?: 'all' | 'plan' | undefined
  readonly plan_id?: number | undefined
}

export interface ScopeQuery {
  readonly key_id?: number | undefined
  readonly user_id?: number | undefined
}

interface Deps {
  readonly keys: KeyLookup
  readonly clock: Clock
}

/** Access contract §7: by default the calling key, with a sign-in all own keys summed. */
export function createScopes({ keys, clock }: Deps) {
  return { resolve, resolveWide, refresh, requireActive }

  async function resolve(actor: Actor, { key_id, user_id }: ScopeQuery): Promise<Scope> {
    if (user_id !== undefined && user_id !== actor.userId) requireAdmin(actor)
    if (key_id !== undefined) return oneKey(await ownKey(actor, key_id, user_id))
    if (user_id !== undefined) return allOf(user_id)
    if (actor.apiKeyId === null) return allOf(actor.userId)
    return oneKey(await ownKey(actor, actor.apiKeyId, undefined))
  }

  async function resolveWide(actor: Actor, query: WideScopeQuery): Promise<Scope> {
    const { scope, plan_id } = query
    if (plan_id !== undefined && scope !== 'plan') throw badParameter('plan_id', 'needs scope=plan')
    if (scope === undefined) return resolve(actor, query)
    requireAdmin(actor)
    for (const name of ['key_id', 'user_id'] as const) {
      if (query[name] !== undefined)
        throw badParameter(name, `cannot be combined with scope=${scope}`)
    }
    if (scope === 'all') return { keys: await keys.findAllKeys(), userId: null }
    if (plan_id === undefined) throw badParameter('plan_id', 'is needed with scope=plan')
    const found = await keys.findKeysOfPlan(plan_id)
    if (!found) throw notFound('plan')
    return { keys: found, userId: null }
  }

  /** The same scope as it is now: plans change, and users get new keys. */
  async function refresh(scope: Scope): Promise<Scope> {
    if (scope.userId !== null) return allOf(scope.userId)
    const found = await Promise.all(scope.keys.map((key) => keys.findKey(key.id)))
    return { ...scope, keys: found.filter((key) => key !== undefined) }
  }

  /** The key may have been revoked after it was checked. */
  async function requireActive(keyId: number): Promise<KeyInfo> {
    const key = await keys.findKey(keyId)
    if (key && isActive(key, clock.now())) return key
    if (!key || key.status === 'revoked') {
      throw new DomainError('forbidden', 'key_revoked', 'API key revoked')
    }
    throw new DomainError('forbidden', 'key_expired', 'API key expired')
  }

  /** Another owner's key is answered as one that does not exist. */
  async function ownKey(actor: Actor, id: number, userId: number | undefined): Promise<KeyInfo> {
    const key = await keys.findKey(id)
    const isVisible = key && (hasAccess(actor, 'admin') || key.userId === actor.userId)
    if (!key || !isVisible || (userId !== undefined && key.userId !== userId)) throw notFound('key')
    return key
  }

  async function allOf(userId: number): Promise<Scope> {
    const found = await keys.findKeysOfUser(userId)
    if (!found) throw notFound('user')
    return { keys: found, userId }
  }
}

export type Scopes = ReturnType<typeof createScopes>

export function keyIdsOf({ keys }: Scope): number[] {
  return keys.map((key) => key.id)
}

/** What belongs together: everybody who watches it sees the same figures. */
export function scopeName({ userId, keys }: Scope): string {
  return userId === null ? `key ${keys.map((key) => key.id).join()}` : `user ${userId}`
}

export function isSameScope(a: Scope, b: Scope): boolean {
  return scopeName(a) === scopeName(b)
}

function oneKey(key: KeyInfo): Scope {
  return { keys: [key], userId: null }
}

function requireAdmin(actor: Actor) {
  if (hasAccess(actor, 'admin')) return
  const message = 'The usage of other users needs admin access'
  throw new DomainError('forbidden', 'forbidden', message, { facts: { required: 'admin' } })
}
