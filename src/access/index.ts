/**
 * Who calls, what they may call and on whose account: users, plans, keys and the other credentials.
 * Every other part uses its principal.
 */
import type { FastifyRequest } from 'fastify'
import type { Clock, Counters, Database, HttpApp, Log, Random, Revisions, Tx } from '#kernel'
import { DomainError } from '#kernel'
import { type Authenticate, createAuthenticate } from './authenticate.ts'
import { createChanges } from './changes.ts'
import { createBasicCheck } from './credentials/basic.ts'
import { createCookieCheck } from './credentials/cookie.ts'
import { createKeyCheck } from './credentials/key.ts'
import { createTicketCheck } from './credentials/ticket.ts'
import { createTokenCheck } from './credentials/token.ts'
import { createDirectory } from './directory.ts'
import { routedPath } from './endpoints.ts'
import { createFirstStart } from './first-start.ts'
import { type AppendEvents, createKeyEvents } from './key-events.ts'
import { createKeys } from './keys.ts'
import { createLastUsed } from './last-used.ts'
import { createOAuth } from './oauth/index.ts'
import { createPasswordCheck } from './password-check.ts'
import { createPasswords } from './passwords.ts'
import { createPlans } from './plans.ts'
import type { User } from './records.ts'
import { keyRequired, requireAccess } from './refusals.ts'
import type { RouteAccess } from './route-config.ts'
import { accessRoutes } from './routes/index.ts'
import type { ChangeableSettings } from './routes/settings.ts'
import { publicOrigin } from './same-origin.ts'
import { createSignIns } from './sign-ins.ts'
import { createTickets } from './tickets.ts'
import { createUsers } from './users.ts'

export type { Authenticate } from './authenticate.ts'
export type { ChangeListener } from './directory.ts'
export { routedPath } from './endpoints.ts'
export type { AdminSettings, Generated } from './first-start.ts'
export { startAccessJobs } from './jobs.ts'
export type { AppendEvents } from './key-events.ts'
export { renderOAuthError } from './oauth/index.ts'
export type { ActiveKey, ActivePlan, Principal } from './principal.ts'
export { invalidKey, keyRequired, requireAccess } from './refusals.ts'
export type { RouteAccess } from './route-config.ts'

interface AdminDeps {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly revisions: Pick<Revisions, 'bump'>
  readonly appendEvents: AppendEvents
}

export interface AccessDeps extends AdminDeps {
  readonly revisions: Revisions
  readonly counters: Counters
  readonly settings: ChangeableSettings
  /** Whether e-mail and password may come with every request. */
  readonly basic: boolean
  readonly publicUrl: string | undefined
  readonly tokenTtlSeconds: number
  /** What else ends with a user, in the same transaction. */
  onUserDeleted?(tx: Tx, user: User): Promise<void>
}

export async function createAccess(deps: AccessDeps) {
  const { db, clock, random, log, revisions, publicUrl } = deps
  const { reader, writer } = db.main
  const directory = await createDirectory({ reader, clock, revisions })
  const changes = createChanges({ db, clock, revisions, follow: directory.follow })
  const events = createKeyEvents(deps)
  const passwords = createPasswords({ random })
  const origin = (request: FastifyRequest) => publicOrigin(request, publicUrl)

  const plans = createPlans({ db, changes })
  const keys = createKeys({ db, clock, random, changes, events })
  const oauth = createOAuth({ ...deps, directory, changes, keys, origin })
  const users = createUsers({ db, changes, passwords, events, random, onUserDeleted })
  const passwordCheck = createPasswordCheck({ reader, passwords, counters: deps.counters })
  const signIns = createSignIns({ reader, writer, clock, random, passwordCheck })
  const tickets = createTickets({ writer, clock, random })
  const lastUsed = createLastUsed({ writer, clock, log })
  const firstStart = createFirstStart({ db, changes, passwords, events, random, log })

  const checked = { directory, lastUsed, now: clock.now }
  const authenticate = createAuthenticate({
    key: createKeyCheck(checked),
    token: createTokenCheck({ ...checked, findToken: oauth.findToken }),
    basic: createBasicCheck({ enabled: deps.basic, passwordCheck, random }),
    ticket: createTicketCheck({ ...checked, tickets, users }),
    cookie: createCookieCheck({ signIns, publicUrl }),
  })
  const parts = { users, plans, keys, signIns, tickets, settings: deps.settings }
  return {
    authenticate,
    guard: (app: HttpApp, unknownPaths: RouteAccess = 'any') =>
      useGuard(app, authenticate, unknownPaths),
    routes: async (app: HttpApp) => {
      await accessRoutes({ ...parts, clock, origin, publicUrl })(app)
      await oauth.clientRoutes(app)
    },
    oauth: { tokenRoutes: oauth.tokenRoutes, discoveryRoute: oauth.discoveryRoute },
    users,
    plans,
    keys,
    firstStart: firstStart.run,
    onChange: directory.onChange,
    async close() {
      oauth.close()
      directory.close()
      await lastUsed.close()
    },
  }

  async function onUserDeleted(tx: Tx, user: User) {
    await oauth.removeClientsOf(tx, user.id)
    await deps.onUserDeleted?.(tx, user)
  }
}

export type AccessModule = Awaited<ReturnType<typeof createAccess>>

/** For the operator on the host: makes a key of an active admin, without a running server. */
export function issueAdminKey(
  deps: AdminDeps,
  { email, name }: { readonly email: string; readonly name: string | undefined },
): Promise<string> {
  const changes = createChanges({ ...deps, follow: async () => {} })
  const passwords = createPasswords(deps)
  const events = createKeyEvents(deps)
  return createFirstStart({ ...deps, changes, passwords, events }).issueAdminKey(email, name)
}

/** Credential, level and plan endpoints, in the order of access contract §3. */
function useGuard(app: HttpApp, authenticate: Authenticate, unknownPaths: RouteAccess): void {
  app.addHook('onRequest', async (request) => {
    const { config } = request.routeOptions
    // A route that says nothing is for nobody but admins.
    const needed = config.access ?? (request.is404 ? unknownPaths : 'admin')
    const principal = await authenticate(request, needed)
    request.actor = principal?.actor ?? null
    if (needed === 'none') return
    if (!principal) throw keyRequired()
    if (needed !== 'any') requireAccess(principal, needed)
    if (config.counted === false || !principal.key) return
    const path = routedPath(request.raw.url ?? '/')
    if (!principal.key.plan.permits(request.method, path)) throw notInPlan(request.method, path)
  })
}

function notInPlan(method: string, path: string): DomainError {
  const message = `Your plan does not include ${method} ${path}`
  return new DomainError('forbidden', 'endpoint_not_allowed', message)
}
