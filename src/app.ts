/** The composition root of the API: builds every module by hand and says who owns which URLs. */
import type { FastifyRequest } from 'fastify'
import { type AccessModule, createAccess, type Generated, renderOAuthError } from '#access'
import type { Config } from '#config'
import { type Gateway, renderAdminError } from '#gateway'
import {
  createEventStreams,
  createHttpServer,
  createIdempotency,
  createJournalDrain,
  createJournalWriter,
  createMetrics,
  createOutbox,
  type HttpApp,
  hasAccess,
  healthRoutes,
  landingPage,
  type Mount,
  type ReadinessCheck,
  random,
  renderError,
} from '#kernel'
import { type Platform, version } from './platform.ts'

interface Deps {
  readonly config: Config
  readonly platform: Platform
  readonly gateway: Gateway
  readonly gatewayUrl: string | null
  /** Shows the operator what is shown once; never written to the log. */
  print(text: string): void
}

export interface App {
  readonly http: HttpApp
  /** Streams would keep the server from draining; this ends them first. */
  endStreams(): void
  /** After the last answer: what it left in the journal is brought into the database. */
  close(): Promise<void>
}

export async function createApp(deps: Deps): Promise<App> {
  const { config, platform, gateway, gatewayUrl } = deps
  const { log, ids, database, box, nodeId } = platform
  const metrics = await createMetrics({ mayRead: mayReadMetrics })
  const { access, endStreams, close: closeAccess } = await openAccess(config, platform)
  const shown = announce(config, await access.firstStart(config.admin))
  if (shown !== null) deps.print(shown)
  const servesApi = config.roles.includes('api')
  const operator = gateway.routes({
    adminKey: config.gateway.adminKey,
    authenticate: (request) => access.authenticate(request, 'admin'),
    levelOf: async (userId) => (await access.users.find(userId))?.access,
  })

  const mounts: Mount[] = [
    {
      prefix: '/',
      renderError,
      plugin: async (app) => {
        if (servesApi) await landingPage({ version, gatewayUrl })(app)
        if (servesApi) await access.usagePage(app)
        await healthRoutes({ log, checks: readiness(platform, gateway) })(app)
        await metrics.routes(app)
      },
    },
    {
      prefix: '/api/v1',
      renderError,
      guard: access.guard('any'),
      idempotency: {
        idempotency: createIdempotency({ db: database, owner: nodeId, random, secrets: box }),
        userOf: (request) => request.actor?.userId ?? 'nobody',
        log,
      },
      plugin: async (app) => {
        if (servesApi) await access.routes(app)
      },
    },
    {
      prefix: '/oauth',
      renderError: renderOAuthError,
      guard: access.guard('none'),
      plugin: async (app) => {
        if (servesApi) await access.oauth.tokenRoutes(app)
      },
    },
    {
      prefix: '/.well-known',
      guest: true,
      renderError,
      plugin: async (app) => {
        if (servesApi) await access.oauth.discoveryRoute(app)
      },
    },
    ...['/gateway/admin', ...config.gateway.adminPrefixes].map((prefix) => ({
      ...{ prefix, renderError: renderAdminError, etag: false },
      plugin: operator.admin,
    })),
    { prefix: '/gateway/control', renderError: renderAdminError, plugin: operator.control },
    { prefix: '/gateway/prometheus', renderError: renderAdminError, plugin: operator.metrics },
  ]
  const http = await createHttpServer({
    log,
    ids,
    mounts,
    limits: { bodyBytes: config.http.bodyLimit },
    trustedProxies: config.trustedProxies,
    cors: { origins: config.cors.origins },
    isDevelopment: config.env === 'development',
    observers: [metrics.observe],
    isStoreAway: database.dialect.isUnavailable,
    ...(servesApi ? { openapi: describe(access) } : {}),
  })
  http.decorateRequest('meter', null)
  http.decorateRequest('usageEndpoint', null)
  return { http, endStreams, close }

  /** Gateway contract §1: the keys that open the administration, those of viewers included. */
  async function mayReadMetrics(request: FastifyRequest): Promise<boolean> {
    if (operator.isStaticKey(request)) return true
    const principal = await access.authenticate(request, 'admin')
    if (principal === null) return false
    if (hasAccess(principal.actor, 'admin')) return true
    return (await access.users.find(principal.actor.userId))?.access === 'admin'
  }

  async function close() {
    await http.close()
    await closeAccess()
  }
}

/** Access with its journal: what the last process left there counts before anything is decided. */
export async function openAccess({ auth, oauth, publicUrl }: Config, platform: Platform) {
  const { database: db, journal, clock, bus, log, ids, settings } = platform
  const { revisions, counters } = platform
  const eventStreams = createEventStreams()
  const writer = createJournalWriter({ address: journal.address, name: 'api', clock, log })
  const access: AccessModule = await createAccess({
    ...{ db, clock, random, log, bus, revisions, counters, settings, eventStreams },
    appendEvents: createOutbox({ ids, clock, bus }).appendAll,
    basic: auth.basic,
    publicUrl,
    tokenTtlSeconds: oauth.tokenTtlSeconds,
    limits: () => settings.get('limits'),
    journal: writer,
    drainUsage: () => drain.drainAll(),
  })
  const handle = access.handleUsage
  const drain = createJournalDrain({ journal, store: db.aux, handle, clock, log })
  await drain.drainAll()
  drain.start()
  await access.start()
  return { access, endStreams: eventStreams.closeAll, close }

  async function close() {
    await access.close()
    writer.close()
    await drain.stop()
  }
}

/** The one read that needs no key; who presents one is metered, who does not may be limited. */
function describe({ guard }: AccessModule) {
  const routeConfig = { access: 'none' } as const
  return { title: 'Entrepot', version, guard: guard('none'), routeConfig }
}

function announce({ admin }: Config, { password, key }: Generated): string | null {
  const rows = [
    ['Admin e-mail', password && admin.email],
    ['Admin password', password],
    ['Admin key', key],
  ]
  const lines = rows.flatMap(([name, value]) => (value ? [`  ${name?.padEnd(15)} ${value}`] : []))
  return lines.length > 0 ? ['Created, and shown only now:', ...lines, ''].join('\n') : null
}

function readiness({ database }: Platform, gateway: Gateway) {
  const checks: Record<string, ReadinessCheck> = {
    async storage() {
      await database.main.reader.selectFrom('kernel_migrations').select('name').limit(1).execute()
    },
  }
  checks['gateway'] = () => {
    const { threads, listening } = gateway.status()
    if (listening < threads) throw new Error(`${listening} of ${threads} threads listen`)
  }
  return checks
}
