import { type AccessLevel, DomainError } from '#kernel'
import type { Principal } from './principal.ts'
import { isAbove } from './records.ts'

// Doc 2 §5 and access contract §3: the exact texts of every refused credential.

const REALM = 'Bearer realm="entrepot"'

export function keyRequired(): DomainError {
  return new DomainError('unauthenticated', 'api_key_required', 'API key required', {
    headers: { 'www-authenticate': REALM },
  })
}

export function invalidKey(): DomainError {
  return new DomainError('unauthenticated', 'invalid_api_key', 'Invalid API key', {
    headers: { 'www-authenticate': `${REALM}, error="invalid_token"` },
  })
}

export function keyExpired(expiredAt: string): DomainError {
  return new DomainError('forbidden', 'key_expired', 'API key expired', {
    facts: { expired_at: expiredAt },
  })
}

export function keyRevoked(): DomainError {
  return new DomainError('forbidden', 'key_revoked', 'API key revoked')
}

export function keyRotated(): DomainError {
  return new DomainError('forbidden', 'key_rotated', 'API key was rotated')
}

export function userDisabled(): DomainError {
  return new DomainError('forbidden', 'user_disabled', 'Account disabled')
}

export function levelTooLow(required: AccessLevel): DomainError {
  return new DomainError('forbidden', 'forbidden', `This operation needs ${required} access`, {
    facts: { required },
  })
}

export function notInPlan(method: string, path: string): DomainError {
  const message = `Your plan does not include ${method} ${path}`
  return new DomainError('forbidden', 'endpoint_not_allowed', message)
}

/** Throws unless the caller has the level (access contract §1.2). */
export function requireAccess(
  principal: Principal | null,
  level: AccessLevel,
): asserts principal is Principal {
  if (!principal) throw keyRequired()
  if (isAbove(level, principal.actor.access)) throw levelTooLow(level)
}
