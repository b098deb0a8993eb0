import type { Kysely } from 'kysely'
import type { Bus } from '#bus'
import { type Clock, DomainError, type Random } from '#kernel'
import { createBatches } from './batches.ts'
import { lookUp } from './look-up.ts'
import type { PasswordCheck } from './password-check.ts'
import type { User } from './records.ts'
import { userDisabled } from './refusals.ts'
import { digestOf } from './secrets.ts'
import { deleteSignIn, findSignIns, insertSignIn } from './store/passing.ts'
import { findUsersOf } from './store/users.ts'
import type { AccessTables } from './tables.ts'

interface Deps {
  readonly reader: Kysely<AccessTables>
  readonly writer: Kysely<AccessTables>
  readonly clock: Clock
  readonly random: Random
  readonly passwordCheck: PasswordCheck
  readonly bus: Pick<Bus, 'publish'>
}

export interface SignIn {
  readonly user: User
  readonly expiresAtMs: number
}

/** Somebody has signed out, on whichever node. */
export const SIGNED_OUT = 'access.signed_out'
const LASTS_MS = 7 * 24 * 3_600_000
const TOKEN_LENGTH = 48
const AT_ONCE = 200

/** Signed-in browsers; only the hash of what the cookie holds is kept. */
export function createSignIns({ reader, writer, clock, random, passwordCheck, bus }: Deps) {
  const found = createBatches(AT_ONCE, findAll)
  return { signIn, find, end }

  async function signIn(
    login: { readonly email: string; readonly password: string },
    address: string,
  ): Promise<SignIn & { readonly token: string }> {
    const user = await passwordCheck.check(login.email, login.password, address)
    if (!user) throw wrongLogin()
    if (user.status !== 'active') throw userDisabled()
    const token = random.text(TOKEN_LENGTH)
    const nowMs = clock.now()
    const expiresAtMs = nowMs + LASTS_MS
    await insertSignIn(writer, {
      token_hash: digestOf(token),
      user_id: user.id,
      created_at: nowMs,
      expires_at: expiresAtMs,
    })
    return { user, token, expiresAtMs }
  }

  function find(token: string): Promise<SignIn | undefined> {
    return lookUp(() => found.ask(digestOf(token)))
  }

  /** Each open stream of a browser asks for its own, all of them at the same moment. */
  async function findAll(hashes: readonly string[]) {
    const rows = await findSignIns(reader, hashes, clock.now())
    const users = await findUsersOf(
      reader,
      rows.map((row) => row.user_id),
    )
    const signIns = rows.flatMap((row) => {
      const user = users.get(row.user_id)
      return user ? [[row.token_hash, { user, expiresAtMs: row.expires_at }] as const] : []
    })
    const byHash: ReadonlyMap<string, SignIn> = new Map(signIns)
    return (hash: string) => byHash.get(hash)
  }

  async function end(token: string): Promise<void> {
    await deleteSignIn(writer, digestOf(token))
    await bus.publish(SIGNED_OUT, null)
  }
}

export type SignIns = ReturnType<typeof createSignIns>

/** The same for an unknown address and a wrong password. */
function wrongLogin(): DomainError {
  return new DomainError('unauthenticated', 'invalid_credentials', 'Wrong e-mail or password')
}
