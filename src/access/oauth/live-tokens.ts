import type { Revisions } from '#bus'
import { type AccessLevel, type Clock, createLru } from '#kernel'
import { lookUp } from '../look-up.ts'
import { digestOf } from '../secrets.ts'
import type { StoredToken } from './records.ts'
import { highestOf } from './scopes.ts'
import { isRawToken } from './secrets.ts'

interface Deps {
  /** A token of a client that is not disabled, by the digest of its text. */
  findStored(hash: string): Promise<StoredToken | undefined>
  readonly clock: Pick<Clock, 'now'>
  readonly revisions: Pick<Revisions, 'watch'>
}

export interface LiveToken extends StoredToken {
  /** The highest level of its scopes. */
  readonly access: AccessLevel
}

/** What everybody who remembers tokens watches; clients count it up too. */
export const TOKENS_TOPIC = 'access.tokens'

/** Beyond this tokens are read from the database, by index, whenever they are used. */
const REMEMBERED = 10_000

/**
 * Tokens that are neither expired nor revoked, of clients that are not disabled. They are remembered
 * until any token is revoked or any client changed; then all are read anew. The state of the key
 * record and its owner is not looked at here.
 */
export function createLiveTokens({ findStored, clock, revisions }: Deps) {
  const known = createLru<string, LiveToken>(REMEMBERED)
  /** Counts what was forgotten: a reading that was under way meanwhile may be old. */
  let forgotten = 0
  const endWatch = revisions.watch(TOKENS_TOPIC, () => {
    forgotten++
    known.clear()
  })
  return { find, close: endWatch }

  async function find(rawToken: string): Promise<LiveToken | null> {
    if (!isRawToken(rawToken)) return null
    const hash = digestOf(rawToken)
    const token = known.find(hash) ?? (await read(hash))
    return token && token.expiresAtMs > clock.now() ? token : null
  }

  async function read(hash: string): Promise<LiveToken | undefined> {
    const before = forgotten
    const stored = await lookUp(() => findStored(hash))
    const access = stored && highestOf(stored.scopes)
    if (!access) return undefined
    const token = { ...stored, access }
    if (before === forgotten) known.keep(hash, token)
    return token
  }
}

export type LiveTokens = ReturnType<typeof createLiveTokens>
