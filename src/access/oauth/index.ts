import type { FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import type { Revisions } from '#bus'
import type { Counters } from '#counters'
import type { Database } from '#db'
import type { Clock, Random } from '#kernel'
import type { Changes } from '../changes.ts'
import type { Directory } from '../directory.ts'
import type { Keys } from '../keys.ts'
import { createClientAuthentication } from './authenticate-client.ts'
import { clientRoutes } from './client-routes.ts'
import { createClients } from './clients.ts'
import { discoveryRoute } from './discovery.ts'
import { createHolders } from './holders.ts'
import { createLiveTokens } from './live-tokens.ts'
import { tokenRoutes } from './routes.ts'
import { findToken } from './store.ts'
import type { OAuthTables } from './tables.ts'
import { createTokens } from './tokens.ts'

export { renderError as renderOAuthError } from './errors.ts'

export interface OAuthDeps {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly revisions: Pick<Revisions, 'bump' | 'watch'>
  readonly counters: Pick<Counters, 'add' | 'read'>
  readonly directory: Pick<Directory, 'findById'>
  readonly changes: Changes
  readonly keys: Pick<Keys, 'createRecord' | 'update' | 'revoke'>
  readonly tokenTtlSeconds: number
  /** Our URL as clients see it, without a slash at its end. */
  origin(request: FastifyRequest): string
}

/**
 * OAuth 2.0 client credentials (access contract §5): clients, which own a key record, and the opaque
 * access tokens they exchange their secret for.
 */
export function createOAuth(deps: OAuthDeps) {
  const { db, clock, random, revisions, counters, directory, changes, keys, origin } = deps
  const reader: Kysely<OAuthTables> = db.main.reader
  const holders = createHolders({ directory, now: clock.now })
  const findStored = (hash: string) => findToken(reader, hash)
  const live = createLiveTokens({ findStored, clock, revisions })
  const clientAuthentication = createClientAuthentication({ reader, counters, clock, holders })
  const ttlSeconds = deps.tokenTtlSeconds
  const tokens = createTokens({ db, clock, random, revisions, live, holders, ttlSeconds })
  const clients = createClients({ db, random, changes, revisions, keys })
  return {
    /** For the check of credentials: a live token, its key record and its level. */
    findToken: live.find,
    /** For threads without a database, which remember tokens themselves. */
    findStored,
    /** For the end of a user, in its transaction. */
    removeClientsOf: clients.removeOwnedBy,
    /** Belongs under `/api/v1`. */
    clientRoutes: clientRoutes({ clients, origin }),
    /** Belongs under `/oauth`, with `renderOAuthError`. */
    tokenRoutes: tokenRoutes({ clientAuthentication, tokens }),
    /** Belongs under `/.well-known`. */
    discoveryRoute: discoveryRoute({ baseUrl: origin }),
    close: live.close,
  }
}
