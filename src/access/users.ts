import type { Kysely } from 'kysely'
import type { Alongside, Database, Tx } from '#db'
import { type AccessLevel, conflict, notFound, type Random } from '#kernel'
import type { FoundPage, ListQuery } from '#paging'
import type { Passwords } from '#secrets'
import { createBatches } from './batches.ts'
import type { Change, Changes } from './changes.ts'
import type { KeyEvents } from './key-events.ts'
import { keepAnAdmin } from './last-admin.ts'
import { foldEmail, foldName, type User } from './records.ts'
import { findUnrevokedKeysOf, updateKeys } from './store/keys.ts'
import { deleteResetsOf, deleteSignInsOf } from './store/passing.ts'
import {
  findUser,
  findUserByEmail,
  findUsers,
  findUsersOf,
  insertUser,
  type UserFilter,
  updateUser,
} from './store/users.ts'
import { leaveViewsOf } from './store/views.ts'
import type { AccessTables, UserStatus } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly changes: Changes
  readonly passwords: Passwords
  readonly events: KeyEvents
  readonly random: Random
  /** What else ends with a user, in the same transaction: for example subscriptions. */
  onUserDeleted(tx: Tx, user: User): Promise<void>
}

export interface NewUser {
  readonly email: string
  readonly name?: string | null | undefined
  readonly access?: AccessLevel | undefined
  readonly password?: string | null | undefined
}

export interface UserChange extends Partial<NewUser> {
  readonly status?: UserStatus | undefined
}

const AT_ONCE = 200

export function createUsers({ db, changes, passwords, events, random, onUserDeleted }: Deps) {
  const reader: Kysely<AccessTables> = db.main.reader
  const found = createBatches(AT_ONCE, async (ids: readonly number[]) => {
    const users = await findUsersOf(reader, ids)
    return (id) => users.get(id)
  })
  return { create, get, find, list, update, remove }

  async function create(input: NewUser, alongside?: Alongside<User>): Promise<User> {
    const passwordHash = input.password ? await passwords.hash(input.password) : null
    return changes.change(async (change) => {
      await refuseTaken(change, input.email)
      const user = await insertNewUser(change, random, { ...input, passwordHash })
      await alongside?.(change.tx, user)
      return user
    })
  }

  function find(id: number): Promise<User | undefined> {
    return found.ask(id)
  }

  async function get(id: number): Promise<User> {
    return (await find(id)) ?? unknownUser()
  }

  function list(filter: UserFilter, query: ListQuery): Promise<FoundPage<User>> {
    return findUsers(reader, db.dialect, filter, query)
  }

  async function update(id: number, input: UserChange): Promise<User> {
    const { email, name, access, status, password } = input
    const hash = password ? await passwords.hash(password) : null
    return changes.change((change) =>
      keepAnAdmin(change, async () => {
        const { tx, trx, nowMs, revision } = change
        if (!(await findUser(trx, id))) unknownUser()
        if (status === 'disabled') await events.userStopped(tx, id)
        if (email !== undefined) {
          await refuseTaken(change, email, id)
          // A link that was mailed to the former address is for whoever reads mail there.
          await deleteResetsOf(trx, id)
        }
        if (password !== undefined || status === 'disabled') await deleteSignInsOf(trx, id)
        return updateUser(trx, id, {
          ...(email === undefined ? {} : { email, email_folded: foldEmail(email) }),
          ...(name === undefined ? {} : { name, name_folded: foldName(name) }),
          ...(access === undefined ? {} : { access }),
          ...(status === undefined ? {} : { status }),
          ...(password === undefined ? {} : { password_hash: hash }),
          updated_at: nowMs,
          revision,
        })
      }),
    )
  }

  /** Keys are revoked, personal data goes; the id stays, because keys and usage refer to it. */
  async function remove(id: number): Promise<void> {
    await changes.change((change) =>
      keepAnAdmin(change, async () => {
        const { tx, trx, nowMs, revision } = change
        const user = (await findUser(trx, id)) ?? unknownUser()
        const keys = await findUnrevokedKeysOf(trx, id)
        const revoked = { status: 'revoked', revoked_at: nowMs, revision } as const
        await updateKeys(
          trx,
          keys.map((key) => key.id),
          { ...revoked, revoke_reason: 'user deleted' },
        )
        await deleteSignInsOf(trx, id)
        await leaveViewsOf(trx, id)
        await updateUser(trx, id, {
          email: null,
          email_folded: null,
          name: null,
          name_folded: null,
          password_hash: null,
          status: 'disabled',
          deleted_at: nowMs,
          updated_at: nowMs,
          revision,
        })
        const ended = keys.map((key) => ({ ...key, status: 'revoked' as const }))
        await events.append(change, 'key.revoked', ended, user)
        await events.userStopped(tx, id)
        await onUserDeleted(tx, user)
      }),
    )
  }
}

export type Users = ReturnType<typeof createUsers>

export interface PreparedUser extends Omit<NewUser, 'password'> {
  readonly passwordHash: string | null
}

/** The part of `create` that the first start shares. */
export function insertNewUser(
  { trx, nowMs, revision }: Change,
  random: Random,
  { email, name, access, passwordHash }: PreparedUser,
): Promise<User> {
  return insertUser(trx, {
    // Version 4, because receivers see it: it shall not tell when the user was created.
    uuid: random.uuid(),
    email,
    email_folded: foldEmail(email),
    name: name ?? null,
    name_folded: foldName(name),
    access: access ?? 'read',
    status: 'active',
    password_hash: passwordHash,
    created_at: nowMs,
    updated_at: nowMs,
    deleted_at: null,
    revision,
  })
}

async function refuseTaken({ trx }: Change, email: string, ownId?: number): Promise<void> {
  const found = await findUserByEmail(trx, email)
  if (found && found.user.id !== ownId) {
    throw conflict('email_taken', 'Another user has this e-mail address')
  }
}

function unknownUser(): never {
  throw notFound('user')
}
