/** The composition root of the API: builds every module by hand and says who owns which URLs. */
import type { Config } from '#config'
import type { GatewayControl } from '#gateway'
import {
  createHttpServer,
  createMetrics,
  type HttpApp,
  healthRoutes,
  landingPage,
  type Mount,
  type ReadinessCheck,
  renderError,
} from '#kernel'
import { type Platform, version } from './platform.ts'

interface Deps {
  readonly config: Config
  readonly platform: Platform
  readonly gateway: GatewayControl | null
  readonly gatewayUrl: string | null
}

export async function createApp({ config, platform, gateway, gatewayUrl }: Deps): Promise<HttpApp> {
  const { log, ids } = platform
  const metrics = await createMetrics()
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
    { prefix: '/api/v1', renderError, plugin: () => {} },
  ]
  return createHttpServer({
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
