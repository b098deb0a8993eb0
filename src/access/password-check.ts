import type { Kysely } from 'kysely'
import type { CounterStep, Counters } from '#counters'
import { DomainError } from '#kernel'
import { createSlots } from '#queues'
import type { Passwords } from '#secrets'
import { foldEmail, type User } from './records.ts'
import { digestOf } from './secrets.ts'
import { findUserByEmail, type UserWithPassword } from './store/users.ts'
import type { AccessTables } from './tables.ts'

interface Deps {
  readonly reader: Kysely<AccessTables>
  readonly passwords: Passwords
  readonly counters: Counters
}

const MAX_FAILURES = 10
/** Fewer than may fail, also of two nodes: who is right is not refused because of others whose tries are not over. */
const AT_ONCE = 3
const WINDOW = { kind: 'fixed', ms: 15 * 60_000 } as const

/** Passwords of users, with a limit on guessing them (access contract §6). */
export function createPasswordCheck({ reader, passwords, counters }: Deps) {
  const slots = createSlots(AT_ONCE)
  return { find, check }

  function find(email: string): Promise<UserWithPassword | undefined> {
    return findUserByEmail(reader, email)
  }

  /** Null when they do not belong together. */
  function check(email: string, password: string, address: string): Promise<User | null> {
    return slots.run(() => tryOnce(email, password, address), address)
  }

  /**
   * Each try is counted before it is made and given back when
   * it was right: many at once get no more tries than one after the other.
   */
  async function tryOnce(email: string, password: string, address: string): Promise<User | null> {
    const names = [`sign_in:email:${digestOf(foldEmail(email))}`, `sign_in:address:${address}`]
    const { allowed, results, nowMs } = await counters.add(names.map((name) => step(name, 1)))
    if (!allowed) throw tooMany((results.at(-1)?.endsAtMs ?? nowMs) - nowMs)

    const found = await find(email)
    const isRight = await passwords.verify(password, found?.passwordHash ?? null)
    if (!isRight || !found) return null
    await counters.add(names.map((name) => step(name, -1)))
    return found.user
  }
}

export type PasswordCheck = ReturnType<typeof createPasswordCheck>

function step(name: string, amount: 1 | -1): CounterStep {
  return { name, window: WINDOW, amount, limit: amount > 0 ? MAX_FAILURES : null }
}

function tooMany(waitMs: number): DomainError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new DomainError('limited', 'too_many_attempts', 'Too many failed sign-ins; try later', {
    facts: { retry_after: seconds },
    headers: { 'retry-after': String(seconds) },
  })
}
