export type AccessLevel = 'read' | 'write' | 'admin'

/** Who makes the request, resolved once per request (access contract §1.3). */
export interface Actor {
  readonly userId: number
  readonly consumerId: string
  readonly apiKeyId: number | null
  readonly planId: number | null
  readonly access: AccessLevel
  readonly kind: 'key' | 'oauth' | 'basic' | 'cookie' | 'ticket' | 'system' | 'anonymous'
}

const RANK: Record<AccessLevel, number> = { read: 0, write: 1, admin: 2 }

/** A higher level includes the lower ones. */
export function hasAccess(actor: Pick<Actor, 'access'>, needed: AccessLevel): boolean {
  return RANK[actor.access] >= RANK[needed]
}
