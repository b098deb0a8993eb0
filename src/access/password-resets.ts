import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Counters } from '#counters'
import type { Database } from '#db'
import { backoffMs } from '#jobs'
import { type Clock, DomainError, type Log, type Mail, type Random } from '#kernel'
import type { Passwords } from '#secrets'
import type { Changes } from './changes.ts'
import { foldEmail, type User } from './records.ts'
import { digestOf } from './secrets.ts'
import { deleteSignInsOf, findReset, insertReset, takeReset } from './store/passing.ts'
import { findUser, findUserByEmail, updateUser } from './store/users.ts'
import type { AccessTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly counters: Counters
  readonly changes: Changes
  readonly passwords: Passwords
  /** Where the page of the link is; never taken from a request, whose sender could choose it. */
  readonly linkOrigin: string
  /** Hands a mail in; null where no mail server is set. */
  readonly sendMail: ((mail: Mail) => Promise<void>) | null
}

export const PASSWORD_PAGE = '/password'

const LASTS_MS = 3_600_000
const TOKEN_LENGTH = 48
const WINDOW = { kind: 'fixed', ms: 3_600_000 } as const
const MAILS_PER_EMAIL = 3
const MAILS_PER_ADDRESS = 20
/** More at once are not worth keeping: whoever is dropped asks again. */
const MOST_UNDER_WAY = 100
const TRIES = 3
const PAUSES = { firstMs: 2_000, maxMs: 30_000 }

/** New passwords by a link in a mail, for those who forgot theirs. */
export function createPasswordResets(deps: Deps) {
  const { db, clock, random, log, counters, changes, passwords, linkOrigin, sendMail } = deps
  const reader: Kysely<AccessTables> = db.main.reader
  const writer: Kysely<AccessTables> = db.main.writer
  const underWay = new Set<Promise<void>>()
  const closing = new AbortController()
  return { request, confirm, close }

  /**
   * Returns at once, and does the same for every address: neither the answer nor its time tells
   * whether there is such a user.
   */
  function request(email: string, address: string): void {
    if (!sendMail) log.info({}, 'a password reset was asked for, but smtp.url is not set')
    else if (underWay.size < MOST_UNDER_WAY) start(prepare(email, address, sendMail))
    else log.warn({ remote_addr: address }, 'a password reset was dropped: too many at once')
  }

  function start(work: Promise<void>): void {
    const done = work
      .catch((err: unknown) => log.warn({ err }, 'a password reset could not be mailed'))
      .finally(() => underWay.delete(done))
    underWay.add(done)
  }

  async function prepare(email: string, address: string, send: NonNullable<Deps['sendMail']>) {
    const { allowed } = await counters.add([
      step(`reset:address:${address}`, MAILS_PER_ADDRESS),
      step(`reset:email:${digestOf(foldEmail(email))}`, MAILS_PER_EMAIL),
    ])
    const found = allowed ? await findUserByEmail(reader, email) : undefined
    if (found?.user.status !== 'active') return
    const token = random.text(TOKEN_LENGTH)
    await insertReset(writer, {
      token_hash: digestOf(token),
      user_id: found.user.id,
      expires_at: clock.now() + LASTS_MS,
    })
    await mail(send, found.user, token)
  }

  async function mail(send: NonNullable<Deps['sendMail']>, user: User, token: string) {
    // Behind a hash sign, which browsers send to no server: no log ever holds the token.
    const link = `${linkOrigin}${PASSWORD_PAGE}#${token}`
    for (let tries = 1; ; tries++) {
      try {
        await send({
          to: user.email,
          subject: 'Set a new password',
          text: textOf(link),
          messageId: `<${digestOf(token).slice(0, 32)}@entrepot>`,
        })
        return log.info({ user_id: user.id }, 'a password reset was mailed')
      } catch (error) {
        if (tries === TRIES) throw error
        await delay(backoffMs(tries, PAUSES, random), undefined, { signal: closing.signal })
      }
    }
  }

  /** The link works once, and with it all others of the user and all sign-ins end. */
  async function confirm(token: string, password: string): Promise<void> {
    const hash = digestOf(token)
    if (!(await findReset(reader, hash, clock.now()))) throw unknownLink()
    const passwordHash = await passwords.hash(password)
    await changes.change(async ({ trx, nowMs, revision }) => {
      const reset = await takeReset(trx, hash, nowMs)
      const user = reset && (await findUser(trx, reset.user_id))
      if (user?.status !== 'active') throw unknownLink()
      await deleteSignInsOf(trx, user.id)
      const changed = { password_hash: passwordHash, updated_at: nowMs, revision }
      await updateUser(trx, user.id, changed)
    })
  }

  async function close(): Promise<void> {
    closing.abort()
    await Promise.all(underWay)
  }
}

export type PasswordResets = ReturnType<typeof createPasswordResets>

function step(name: string, limit: number) {
  return { name, window: WINDOW, amount: 1, limit }
}

function textOf(link: string): string {
  return [
    'Somebody, probably you, asked for a new password. Open this page within an hour to set it:',
    '',
    link,
    '',
    'If it was not you, there is nothing to do: your password stays as it is.',
    '',
  ].join('\n')
}

function unknownLink(): DomainError {
  const message = 'This link has been used or is too old: ask for a new one'
  return new DomainError('unprocessable', 'reset_invalid', message)
}
