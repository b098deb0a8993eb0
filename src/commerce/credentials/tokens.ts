import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { invalidKey, type Logins, type Principal } from '#access'
import type { Database } from '#db'
import { type Clock, DomainError, hasAccess, type Log, type Random } from '#kernel'
import { createSlots } from '#queues'
import { missing, refused } from '../refusals.ts'
import type { Failures } from './failures.ts'
import type { CredentialTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly logins: Logins
  readonly failures: Failures
}

const TOKEN = /^[a-z0-9]{32}$/
const MINUTE_MS = 60_000
const LASTS_MS = 60 * MINUTE_MS
const NAME_RULE = { most: 6, lastsMs: 30 * MINUTE_MS, since: 'last' } as const
/** Fewer than may fail, also of two nodes: who is right is not refused because of others whose tries are not over. */
const AT_ONCE = 3
const ADDRESS_RULE = { most: 100, lastsMs: 60 * MINUTE_MS, since: 'first' } as const

export function isAdminToken(text: string): boolean {
  return TOKEN.test(text)
}

/** Tokens of people who may change products: an hour each, for e-mail and password (contract §3.1). */
export function createTokens({ db, clock, random, log, logins, failures }: Deps) {
  const reader: Kysely<CredentialTables> = db.main.reader
  const writer: Kysely<CredentialTables> = db.main.writer
  const slots = createSlots(AT_ONCE)
  return { issue, check, purge }

  async function issue(given: Readonly<Record<string, unknown>>, address: string): Promise<string> {
    const login = parseLogin(given)
    return slots.run(() => issueTo(login, address), address)
  }

  async function issueTo({ username, password }: Login, address: string): Promise<string> {
    const own = `name:${digestOf(logins.fold(username))}`
    const from = `address:${address}`
    const byAddress = await failures.begin(from, ADDRESS_RULE)
    if (!byAddress.isAllowed) throw tooMany(byAddress.waitMs)
    const tried = await failures.begin(own, NAME_RULE)
    if (!tried.isAllowed) {
      await logins.pretend(password)
      throw wrongLogin()
    }
    const login = await logins.verify(username, password)
    const isStaff = login?.user.status === 'active' && hasAccess(login.user, 'write')
    if (!login || !isStaff) {
      if (tried.count === NAME_RULE.most) {
        log.warn({ name: own.slice(0, 21), userId: login?.user.id }, 'sign-ins for a token locked')
      }
      throw wrongLogin()
    }
    await failures.forgive(own)
    await failures.forgive(from)
    const token = random.text(32).toLowerCase()
    await writer
      .insertInto('commerce_tokens')
      .values({
        token_hash: digestOf(token),
        user_id: login.user.id,
        password_mark: login.passwordMark,
        expires_at: clock.now() + LASTS_MS,
      })
      .execute()
    return token
  }

  /** Whose token it is; it ends early with the user's access or password. */
  async function check(token: string): Promise<Principal> {
    const stored = await reader
      .selectFrom('commerce_tokens')
      .select(['user_id', 'password_mark'])
      .where('token_hash', '=', digestOf(token))
      .where('expires_at', '>', clock.now())
      .executeTakeFirst()
    const login = stored && (await logins.find(stored.user_id))
    const isValid =
      login?.user.status === 'active' &&
      login.passwordMark === stored?.password_mark &&
      hasAccess(login.user, 'write')
    if (!login || !isValid) throw invalidKey()
    const { id: userId, uuid: consumerId, access } = login.user
    const actor = {
      userId,
      consumerId,
      apiKeyId: null,
      planId: null,
      access,
      kind: 'basic' as const,
    }
    return { actor, key: null }
  }

  async function purge(): Promise<void> {
    await writer.deleteFrom('commerce_tokens').where('expires_at', '<=', clock.now()).execute()
  }
}

interface Login {
  readonly username: string
  readonly password: string
}

function parseLogin({ username, password }: Readonly<Record<string, unknown>>): Login {
  const lacking = Object.entries({ username, password }).filter(
    ([, value]) => typeof value !== 'string' || value === '',
  )
  if (lacking.length > 0) throw refused(lacking.map(([name]) => missing(name)))
  return { username: String(username), password: String(password) }
}

/** The same for whatever is wrong. */
function wrongLogin(): DomainError {
  const message = 'The sign-in was incorrect, or the account is locked for now.'
  return refused({ message }, 'unauthenticated', 'invalid_credentials')
}

function tooMany(waitMs: number): DomainError {
  const message = 'Too many failed sign-ins from this address; try later.'
  const headers = { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) }
  return new DomainError('limited', 'too_many_attempts', message, { headers })
}

function digestOf(text: string): string {
  return hash('sha256', text, 'hex')
}
