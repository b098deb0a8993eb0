/**
 * Who calls, what they may call and on whose account: users, plans, keys and the other credentials.
 * Every other part uses its principal.
 */
import type { FastifyRequest } from 'fastify'
import type { Bus, Revisions } from '#bus'
import type { Counters } from '#counters'
import type { Database, Tx } from '#db'
import { type EventStreams, type HttpApp, publicOrigin } from '#http'
import type { JournalWriter } from '#journal'
import { type Clock, type Log, type Mail, OperatorError, type Random } from '#kernel'
import { createPasswords } from '#secrets'
import { createAuthenticate } from './authenticate.ts'
import { createChanges } from './changes.ts'
import { createBasicCheck } from './credentials/basic.ts'
import { createCookieCheck } from './credentials/cookie.ts'
import { createKeyCheck } from './credentials/key.ts'
import { createRecordCheck } from './credentials/record.ts'
import { createSecretEnd } from './credentials/secret-end.ts'
import { createTicketCheck } from './credentials/ticket.ts'
import { createTokenCheck } from './credentials/token.ts'
import { createDirectory } from './directory.ts'
import { createFirstStart } from './first-start.ts'
import { createGuard } from './guard.ts'
import { type AppendEvents, createKeyEvents } from './key-events.ts'
import { createKeyLookup } from './key-lookup.ts'
import { createKeys } from './keys.ts'
import { createLastUsed } from './last-used.ts'
import { createLimitRefusals } from './limit-refusals.ts'
import { createLimits, type LimitSettings } from './limits.ts'
import { createLogins } from './logins.ts'
import type { UsageSink } from './meter.ts'
import { createMeters } from './metered-answers.ts'
import { createOAuth } from './oauth/index.ts'
import { watchStreams } from './open-streams.ts'
import { createPasswordCheck } from './password-check.ts'
import { passwordPage } from './password-page.ts'
import { createPasswordResets } from './password-resets.ts'
import type { PublicType } from './plan-warnings.ts'
import { createPlans } from './plans.ts'
import type { User } from './records.ts'
import { accessRoutes } from './routes/index.ts'
import type { ChangeableSettings } from './routes/settings.ts'
import { answerFrom, createRpcService } from './rpc.ts'
import { createSignIns } from './sign-ins.ts'
import { noteUses } from './store/passing.ts'
import { findUserByEmail } from './store/users.ts'
import { createTickets } from './tickets.ts'
import { createSeeding, createUsage, encodeUsage } from './usage/index.ts'
import { createStreamNotes } from './usage/stream-notes.ts'
import { createUsers } from './users.ts'
import { createViews } from './views.ts'

export type { Authenticate } from './authenticate.ts'
export { createConsumers } from './consumers.ts'
export type { ChangeListener } from './directory.ts'
export { routedPath } from './endpoints.ts'
export { ACCESS_EVENTS } from './event-types.ts'
export type { AdminSettings, Generated } from './first-start.ts'
export type { AppendEvents } from './key-events.ts'
export type { Logins } from './logins.ts'
export { renderOAuthError } from './oauth/index.ts'
export { createPeople } from './people.ts'
export type { PublicType } from './plan-warnings.ts'
export type { ActiveKey, ActivePlan, Principal } from './principal.ts'
export { invalidKey, keyRequired, requireAccess } from './refusals.ts'
export type { OwnCredential, RouteAccess } from './route-config.ts'
export { actorOf, writerOf } from './routes/shared.ts'
export { createTrustGateway } from './trust-gateway.ts'

/** Of passwords made here; from letters and digits that is more than any guess. */
const PASSWORD_LENGTH = 20

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
  /** Where links in mails lead; without a public URL to this machine. */
  readonly linkOrigin: string
  /** Hands a mail in; null where no mail server is set. */
  readonly sendMail: ((mail: Mail) => Promise<void>) | null
  readonly tokenTtlSeconds: number
  readonly bus: Bus
  readonly eventStreams: EventStreams
  /** This thread's own; closed by whoever opened it, after the last answer. */
  readonly journal: Omit<JournalWriter, 'close'>
  /** Brings what is in the journal into the database, for a count that has to start from usage. */
  drainUsage(): Promise<void>
  limits(): LimitSettings
  /** Content that can be read without a key: plans that sell it are warned of. */
  publicTypes?(): readonly PublicType[]
  /** What else ends with a user, in the same transaction. */
  onUserDeleted?(tx: Tx, user: User): Promise<void>
}

export async function createAccess(deps: AccessDeps) {
  const { db, clock, random, log, revisions, publicUrl } = deps
  const { reader, writer } = db.main
  const directory = await createDirectory({ reader, clock, revisions })
  const changes = createChanges({ db, clock, revisions, follow: directory.follow })
  const events = createKeyEvents({ ...deps, streams: createStreamNotes(deps) })
  const passwords = createPasswords({ random })
  const origin = (request: FastifyRequest) => publicOrigin(request, publicUrl)

  const plans = createPlans({ db, changes })
  const keys = createKeys({ db, clock, random, changes, events })
  const oauth = createOAuth({ ...deps, directory, changes, keys, origin })
  const users = createUsers({ db, changes, passwords, events, random, onUserDeleted })
  const passwordCheck = createPasswordCheck({ reader, passwords, counters: deps.counters })
  const signIns = createSignIns({ reader, writer, clock, random, passwordCheck, bus: deps.bus })
  const passwordResets = createPasswordResets({ ...deps, changes, passwords })
  const tickets = createTickets({ writer, clock, random })
  const lastUsed = createLastUsed({
    write: (ids, atMs) => noteUses(writer, ids, atMs),
    clock,
    log,
  })
  const firstStart = createFirstStart({ db, changes, passwords, events, random, log })

  const secretEndOf = createSecretEnd(directory)
  const usage = createUsage({
    ...deps,
    keys: createKeyLookup(reader),
    secretEndOf,
    countsOf: (keyId) => limits.countsOf(keyId),
    correctMonth: (...given) => limits.correct(...given),
    appendEvent: (tx, event) => deps.appendEvents(tx, [event]),
  })
  const { seed, close: endSeeding } = createSeeding({ ...deps, store: db.aux })
  const refusals = createLimitRefusals()
  const limits = createLimits({
    ...{ counters: deps.counters, settings: deps.limits, seed },
    onRefused: refusals.note,
  })
  directory.onChange((changed) => usage.keysChanged(changed?.keyIds))
  const sink: UsageSink = {
    append: (entry) => deps.journal.append(encodeUsage(entry)),
    appendSoon: (entry, written) => deps.journal.appendSoon(encodeUsage(entry), written),
    hasRoom: deps.journal.hasRoom,
  }

  const cookies = createCookieCheck({ signIns, publicUrl })
  const checked = { directory, lastUsed, now: clock.now }
  const checkKey = createKeyCheck(checked)
  const authenticate = createAuthenticate({
    key: checkKey,
    token: createTokenCheck({ ...checked, findToken: oauth.findToken }),
    basic: createBasicCheck({ enabled: deps.basic, passwordCheck, random }),
    ticket: createTicketCheck({ ...checked, tickets, users }),
    cookie: cookies.check,
  })
  const streamWatch = watchStreams({ ...deps, authenticate, directory, users, now: clock.now })
  const publicTypes = () => deps.publicTypes?.() ?? []
  const { settings } = deps
  const views = createViews(deps)
  const parts = {
    ...{ users, plans, keys, signIns, tickets, views, passwordResets, settings, publicTypes },
  }
  return {
    authenticate,
    /** Who is signed in, for requests that no page of another site may make. */
    signedIn: cookies.checkSameOrigin,
    /** The level of a key that may be used now; throws the refusal of any other. */
    levelOfKey(rawKey: string) {
      const found = checkKey(rawKey)
      return found instanceof Promise ? found.then(({ actor }) => actor.access) : found.actor.access
    },
    /** Counts what is sent in without a key, by address; throws when it is too much. */
    async admitForm(request: FastifyRequest): Promise<void> {
      const outcome = await limits.checkAnonymousWrite(request.ip)
      if (outcome?.refusal) throw outcome.refusal
    },
    /** For a mount; `unknownPaths` is who is told that a path does not exist. */
    guard: createGuard({ authenticate, limits, meters: createMeters({ sink, clock }), sink }),
    routes: async (app: HttpApp) => {
      await accessRoutes({ ...parts, clock, origin, publicUrl })(app)
      await oauth.clientRoutes(app)
      usage.routes(app)
    },
    /** For a person: `/password`. */
    pages: passwordPage,
    /** For the journal's drain: it must have run once before the first request is let in. */
    handleUsage: usage.handle,
    start: usage.start,
    oauth: { tokenRoutes: oauth.tokenRoutes, discoveryRoute: oauth.discoveryRoute },
    users,
    plans,
    keys,
    /** For a dialect with credentials of its own: see `OwnCredential`. */
    logins: createLogins({ reader, passwords }),
    checkRecord: createRecordCheck(checked),
    firstStart: firstStart.run,
    limitRefusals: refusals.all,
    onChange: directory.onChange,
    /** For streams that are open for long. */
    secretEndOf,
    /** For threads without a database: what they cannot know by themselves. */
    answer: answerFrom(createRpcService({ directory, lastUsed, oauth, seed }), log),
    /** Where clients see us: absolute URLs in answers begin so. */
    origin,
    async close() {
      await streamWatch.stop()
      await passwordResets.close()
      endSeeding()
      await usage.stop()
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
  const events = createKeyEvents({ ...deps, streams: createStreamNotes(deps) })
  return createFirstStart({ ...deps, changes, passwords, events }).issueAdminKey(email, name)
}

/** For the operator on the host: sets the password of a user, made here when none is given. */
export async function setPassword(
  deps: AdminDeps,
  {
    email,
    password = deps.random.text(PASSWORD_LENGTH),
  }: { email: string; password?: string | undefined },
): Promise<string> {
  const changes = createChanges({ ...deps, follow: async () => {} })
  const events = createKeyEvents({ ...deps, streams: createStreamNotes(deps) })
  const onUserDeleted = async () => {}
  const users = createUsers({
    ...deps,
    changes,
    passwords: createPasswords(deps),
    events,
    onUserDeleted,
  })
  const found = await findUserByEmail(deps.db.main.reader, email)
  if (!found) throw new OperatorError(`There is no user with the e-mail address ${email}.`)
  await users.update(found.user.id, { password })
  return password
}
