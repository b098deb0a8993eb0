/** The composition root of the API: builds every module by hand and says who owns which URLs. */
import { type AccessModule, createAccess, type Generated, renderOAuthError } from '#access'
import type { Config } from '#config'
import type { GatewayControl } from '#gateway'
import {
  createHttpServer,
  createMetrics,
  createOutbox,
  type HttpApp,
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
  readonly gateway: GatewayControl | null
  readonly gatewayUrl: string | null
  /** Shows the operator what is shown once; never written to the log. */
  print(text: string): void
}

export async function createApp(deps: Deps): Promise<HttpApp> {
  const { config, platform, gateway, gatewayUrl } = deps
  const { log, ids } = platform
  const metrics = await createMetrics()
  const access = await openAccess(config, platform)
  const generated = await access.firstStart(config.admin)
  const shown = announce(config, generated)
  if (shown !== null) deps.print(shown)
  const servesApi = config.roles.includes('api')

  const mounts: Mount[] = [
    {
      prefix: '/',
      renderError,
      plugin: async (app) => {
        if (servesApi) await landingPage({ version, gatewayUrl })(app)
        await healthRoutes({ log, checks: readiness(platform, gateway) })(app)
        await metrics.routes(app)
      },
    },
    {
      prefix: '/api/v1',
      renderError,
      plugin: async (app) => {
        if (!servesApi) return
        access.guard(app)
        await access.routes(app)
      },
    },
    {
      prefix: '/oauth',
      renderError: renderOAuthError,
      plugin: async (app) => {
        if (!servesApi) return
        access.guard(app, 'none')
        await access.oauth.tokenRoutes(app)
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
  ]
  const app = await createHttpServer({
    log,
    ids,
    mounts,
    limits: { bodyBytes: config.http.bodyLimit },
    trustedProxies: config.trustedProxies,
    cors: { origins: config.cors.origins },
    isDevelopment: config.env === 'development',
    observers: [metrics.observe],
    ...(servesApi ? { openapi: { title: 'Entrepot', version } } : {}),
  })
  app.addHook('onClose', access.close)
  return app
}

function openAccess({ auth, oauth, publicUrl }: Config, platform: Platform): Promise<AccessModule> {
  const { database: db, settings, ids, clock, bus, log, revisions, counters } = platform
  const { appendAll: appendEvents } = createOutbox({ ids, clock, bus })
  const { basic } = auth
  return createAccess({
    ...{ db, clock, random, log, revisions, counters, settings, appendEvents },
    ...{ basic, publicUrl, tokenTtlSeconds: oauth.tokenTtlSeconds },
  })
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

function readiness({ database }: Platform, gateway: GatewayControl | null) {
  const checks: Record<string, ReadinessCheck> = {
    async storage() {
      await database.main.reader.selectFrom('kernel_migrations').select('name').limit(1).execute()
    },
  }
  if (gateway) {
    checks['gateway'] = () => {
      const { threads, listening } = gateway.status()
      if (listening < threads) throw new Error(`${listening} of ${threads} threads listen`)
    }
  }
  return checks
}
