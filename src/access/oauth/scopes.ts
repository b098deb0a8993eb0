import type { AccessLevel } from '#kernel'
import { lowerOf } from '../records.ts'

/** A scope is an access level (access contract §5); lowest first. */
export const SCOPES: readonly AccessLevel[] = ['read', 'write', 'admin']

/** The scopes of a space separated text in their own order; undefined when one is unknown. */
export function parseScopes(text: string): readonly AccessLevel[] | undefined {
  const words = text.split(' ').filter((word) => word !== '')
  const scopes = SCOPES.filter((scope) => words.includes(scope))
  return words.every((word) => SCOPES.some((scope) => scope === word)) ? scopes : undefined
}

export function renderScopes(scopes: readonly AccessLevel[]): string {
  return SCOPES.filter((scope) => scopes.includes(scope)).join(' ')
}

/** The level that the scopes give; undefined for none. */
export function highestOf(scopes: readonly AccessLevel[]): AccessLevel | undefined {
  return SCOPES.findLast((scope) => scopes.includes(scope))
}

/** What is left of scopes under a level they must not exceed: higher ones become that level. */
export function capScopes(
  scopes: readonly AccessLevel[],
  ceiling: AccessLevel,
): readonly AccessLevel[] {
  const capped = scopes.map((scope) => lowerOf(scope, ceiling))
  return SCOPES.filter((scope) => capped.includes(scope))
}
