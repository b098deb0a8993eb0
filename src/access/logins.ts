import type { Kysely } from 'kysely'
import type { Passwords } from '#secrets'
import type { User } from './records.ts'
import { digestOf } from './secrets.ts'
import { findUserByEmail, findUserWithPassword, type UserWithPassword } from './store/users.ts'
import type { AccessTables } from './tables.ts'

/** A user who has a password. */
export interface Login {
  readonly user: User
  /** Another one after every change of the password. */
  readonly passwordMark: string
}

interface Deps {
  readonly reader: Kysely<AccessTables>
  readonly passwords: Passwords
}

/** Users and their passwords for a dialect with a sign-in of its own, which limits guessing by itself. */
export function createLogins({ reader, passwords }: Deps) {
  return { verify, find, pretend }

  /** Undefined when they do not belong together; takes as long for a user that is not there. */
  async function verify(email: string, password: string): Promise<Login | undefined> {
    const found = await findUserByEmail(reader, email)
    const isRight = await passwords.verify(password, found?.passwordHash ?? null)
    return isRight && found ? toLogin(found) : undefined
  }

  async function find(userId: number): Promise<Login | undefined> {
    const found = await findUserWithPassword(reader, userId)
    return found && toLogin(found)
  }

  /** Takes as long as a check that fails. */
  async function pretend(password: string): Promise<void> {
    await passwords.verify(password, null)
  }
}

export type Logins = ReturnType<typeof createLogins>

function toLogin({ user, passwordHash }: UserWithPassword): Login {
  return { user, passwordMark: digestOf(passwordHash ?? '') }
}
