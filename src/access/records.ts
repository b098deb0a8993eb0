import type { AccessLevel } from '#kernel'
import type { KeyKind, KeyStatus, UserStatus } from './tables.ts'

/** Access contract §1.1. */
export interface User {
  readonly id: number
  readonly uuid: string
  readonly email: string
  readonly name: string | null
  /** The ceiling: no credential of this user can exceed it. */
  readonly access: AccessLevel
  readonly status: UserStatus
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

/** Access contract §2.1; null is unlimited. */
export interface PlanFigures {
  readonly name: string
  readonly requestsPerMonth: number | null
  readonly requestsPerMinute: number | null
  readonly endpoints: readonly string[]
  readonly priceCents: number
  readonly currency: string
  readonly keysPerUser: number
}

export interface Plan extends PlanFigures {
  readonly id: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

/** Access contract §2.2. The status is the stored one: see `statusAt`. */
export interface Key {
  readonly id: number
  readonly userId: number
  readonly planId: number
  readonly kind: KeyKind
  readonly name: string | null
  readonly prefix: string | null
  readonly access: AccessLevel
  readonly status: KeyStatus
  readonly expiresAtMs: number | null
  readonly createdAtMs: number
  readonly lastUsedAtMs: number | null
  readonly rotatedAtMs: number | null
  readonly previousPrefix: string | null
  readonly previousValidUntilMs: number | null
}

/** A key expires at its instant; the stored status follows later (access contract §2.3). */
export function statusAt(
  { status, expiresAtMs }: Pick<Key, 'status' | 'expiresAtMs'>,
  nowMs: number,
): KeyStatus {
  if (status !== 'active') return status
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : 'active'
}

const RANK: Record<AccessLevel, number> = { read: 0, write: 1, admin: 2 }

export function isAbove(access: AccessLevel, ceiling: AccessLevel): boolean {
  return RANK[access] > RANK[ceiling]
}

export function lowerOf(a: AccessLevel, b: AccessLevel): AccessLevel {
  return isAbove(a, b) ? b : a
}

/** Addresses that differ in case only are the same one. */
export function foldEmail(email: string): string {
  return fold(email)
}

/** Names are looked for without regard to case. */
export function foldName(name: string | null | undefined): string | null {
  return name ? fold(name) : null
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
