import { type AccessLevel, type Actor, DomainError, hasAccess } from '#kernel'
import type { Viewer } from './viewer.ts'

/** What can be allowed of the entries of a type, in the order in which definitions show it. */
export const OPERATIONS = ['read', 'create', 'update', 'delete', 'publish'] as const
export type Operation = (typeof OPERATIONS)[number]

/**
 * Who may do what with the entries of a type. A level may also do what those below it may, and `admin`
 * everything: whoever has a key is never worse off than without it.
 */
export interface Permissions {
  /** Callers without a key. */
  readonly public: readonly Operation[]
  readonly read: readonly Operation[]
  readonly write: readonly Operation[]
}

interface Permitting {
  readonly permissions: Permissions
}

/** As it is where nobody says otherwise (content model §9). */
export function usualPermissions(publicRead: boolean): Permissions {
  return { public: publicRead ? ['read'] : [], read: ['read'], write: OPERATIONS }
}

/** The lowest level that may; `none`: everybody. */
export function levelFor({ permissions }: Permitting, operation: Operation): AccessLevel | 'none' {
  if (permissions.public.includes(operation)) return 'none'
  if (permissions.read.includes(operation)) return 'read'
  return permissions.write.includes(operation) ? 'write' : 'admin'
}

/** `level` null: no credential was presented. */
export function may(level: AccessLevel | null, type: Permitting, operation: Operation): boolean {
  const needed = levelFor(type, operation)
  return needed === 'none' || (level !== null && hasAccess({ access: level }, needed))
}

/** A type that was named and is needed. */
export function requireMay(
  level: AccessLevel | null,
  type: Permitting,
  operation: Operation,
): void {
  if (may(level, type, operation)) return
  if (level === null) throw keyRequired()
  const required = levelFor(type, operation)
  throw new DomainError('forbidden', 'forbidden', `This operation needs ${required} access`, {
    facts: { required },
  })
}

/** Content model §9: types that a caller may not read do not exist for it, unless it names them. */
export function mayRead({ level }: Viewer, type: Permitting): boolean {
  return may(level, type, 'read')
}

/** By which permissions of an actor are looked up. */
export function levelOf({ kind, access }: Pick<Actor, 'kind' | 'access'>): AccessLevel | null {
  return kind === 'anonymous' ? null : access
}

/** The same refusal as access has. */
export function keyRequired(): DomainError {
  return new DomainError('unauthenticated', 'api_key_required', 'API key required', {
    headers: { 'www-authenticate': 'Bearer realm="entrepot"' },
  })
}
