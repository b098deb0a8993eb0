import type { Kysely } from 'kysely'
import type { Revisions } from '#bus'
import type { Database } from '#db'
import type { AccessLevel, Clock, Random } from '#kernel'
import type { KnownKey } from '../known-keys.ts'
import { digestOf } from '../secrets.ts'
import { invalidScope } from './errors.ts'
import type { Holders } from './holders.ts'
import { type LiveTokens, TOKENS_TOPIC } from './live-tokens.ts'
import type { StoredClient } from './records.ts'
import { capScopes, parseScopes, renderScopes } from './scopes.ts'
import { createRawToken, isRawToken } from './secrets.ts'
import { deleteToken, insertToken } from './store.ts'
import type { OAuthTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly revisions: Pick<Revisions, 'bump'>
  readonly live: Pick<LiveTokens, 'find'>
  readonly holders: Holders
  readonly ttlSeconds: number
}

/** A client that proved who it is, with the key record its requests count on. */
export interface AuthenticClient {
  readonly client: StoredClient
  readonly holder: KnownKey
}

export interface IssuedToken {
  readonly rawToken: string
  readonly expiresInSeconds: number
  readonly scopes: readonly AccessLevel[]
}

export interface TokenInfo {
  readonly clientId: string
  /** What it is good for now: never above what the user may do. */
  readonly scopes: readonly AccessLevel[]
  readonly expiresAtMs: number
}

/** Whose tokens the caller may look at and end: those of one client, or all. */
export type TokenOwner = Pick<StoredClient, 'clientId'> | 'anyone'

export function createTokens({ db, clock, random, revisions, live, holders, ttlSeconds }: Deps) {
  const writer: Kysely<OAuthTables> = db.main.writer
  return { issue, introspect, revoke }

  async function issue(
    { client, holder }: AuthenticClient,
    scope: string | undefined,
  ): Promise<IssuedToken> {
    const allowed = capScopes(client.scopes, holder.principal.actor.access)
    const scopes = scope === undefined ? allowed : chooseScopes(scope, allowed)
    const rawToken = createRawToken(random)
    const nowMs = clock.now()
    await insertToken(writer, {
      token_hash: digestOf(rawToken),
      client_id: client.clientId,
      generation: client.generation,
      scopes: renderScopes(scopes),
      created_at: nowMs,
      expires_at: nowMs + ttlSeconds * 1000,
    })
    return { rawToken, expiresInSeconds: ttlSeconds, scopes }
  }

  /** Null for a token that no request could use any more, and for those of others. */
  async function introspect(owner: TokenOwner, rawToken: string): Promise<TokenInfo | null> {
    const token = await live.find(rawToken)
    if (!token || (owner !== 'anyone' && owner.clientId !== token.clientId)) return null
    const holder = await holders.find(token.keyId)
    if (!holder) return null
    const { clientId, expiresAtMs } = token
    return { clientId, expiresAtMs, scopes: capScopes(token.scopes, holder.principal.actor.access) }
  }

  /** In force here when it returns; tokens of others stay as they are. */
  async function revoke(owner: TokenOwner, rawToken: string): Promise<void> {
    if (!isRawToken(rawToken)) return
    const clientId = owner === 'anyone' ? null : owner.clientId
    await db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<OAuthTables>()
      if (await deleteToken(trx, digestOf(rawToken), clientId)) {
        await revisions.bump(tx, TOKENS_TOPIC)
      }
    })
  }
}

export type Tokens = ReturnType<typeof createTokens>

/** An allow list grants only what it names. */
function chooseScopes(text: string, allowed: readonly AccessLevel[]): readonly AccessLevel[] {
  const asked = parseScopes(text)
  if (!asked?.length) throw invalidScope('scope must name some of read, write and admin')
  const tooMuch = asked.find((scope) => !allowed.includes(scope))
  if (tooMuch) throw invalidScope(`The client may not have the scope ${tooMuch}`)
  return asked
}
