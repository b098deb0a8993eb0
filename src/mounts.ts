/** Who owns which URLs: every part of the product with its error shape, its guard and its routes. */
import { type AccessModule, renderOAuthError } from '#access'
import { type createCms, renderCmsError } from '#cms'
import type { Commerce } from '#commerce'
import type { createCommerceDialect, createStock } from '#commerce-dialect'
import type { Config } from '#config'
import type { Content } from '#content'
import type { createDelivery } from '#delivery'
import { type Gateway, renderAdminError } from '#gateway'
import { type createGraphql, renderGraphqlError } from '#graphql'
import { type HttpPlugin, healthRoutes, type Metrics, type Mount, type ReadinessCheck } from '#http'
import { renderError } from '#http-text'
import type { createJsonApi } from '#jsonapi'
import type { Operation } from '#operation'
import type { createRest } from '#rest'
import type { createScrapers } from '#scrapers'
import { renderWebhooksError, type WebhooksModule } from '#webhooks'
import { consoleFiles } from './console-files.ts'
import { landingPage } from './landing-page.ts'
import { type Platform, version } from './platform.ts'

interface Parts {
  readonly config: Pick<Config, 'roles' | 'gateway' | 'commerce'>
  readonly platform: Platform
  readonly gateway: Gateway
  readonly gatewayUrl: string | null
  readonly operator: ReturnType<Gateway['routes']>
  readonly metrics: Metrics
  readonly access: AccessModule
  readonly content: Content
  readonly webhooks: WebhooksModule
  readonly scrapers: ReturnType<typeof createScrapers>
  readonly cms: ReturnType<typeof createCms>
  readonly rest: ReturnType<typeof createRest>
  readonly jsonapi: ReturnType<typeof createJsonApi>
  readonly delivery: ReturnType<typeof createDelivery>
  readonly graphql: ReturnType<typeof createGraphql>
  readonly commerce: Commerce
  readonly commerceDialect: ReturnType<typeof createCommerceDialect>
  readonly stock: ReturnType<typeof createStock>
  readonly operation: Operation
  readonly idempotency: NonNullable<Mount['idempotency']>
}

export function createMounts(parts: Parts): Mount[] {
  return [
    systemMount(parts),
    { prefix: '/console', renderError, plugin: served(parts, consoleFiles()) },
    ...versionMounts(parts),
    ...dialectMounts(parts),
    ...(parts.config.commerce.enabled ? [commerceMount(parts)] : []),
    ...webhookMounts(parts),
    ...oauthMounts(parts),
    ...gatewayMounts(parts),
  ]
}

/** Nothing while this process does not serve the API. */
function served({ config }: Parts, plugin: HttpPlugin): HttpPlugin {
  return async (app) => {
    if (config.roles.includes('api')) await plugin(app)
  }
}

function systemMount(parts: Parts): Mount {
  const { platform, gateway, gatewayUrl, access, metrics } = parts
  return {
    prefix: '/',
    renderError,
    plugin: async (app) => {
      await served(parts, landingPage({ version, gatewayUrl }))(app)
      await served(parts, access.pages)(app)
      await healthRoutes({ log: platform.log, checks: readiness(platform, gateway) })(app)
      await metrics.routes(app)
    },
  }
}

/** `/api/v1` and `/api/v2`: administration, content, and what is registered below the first. */
function versionMounts(parts: Parts): Mount[] {
  const { access, content, rest, scrapers, commerce, webhooks, idempotency, operation } = parts
  const guard = access.guard('any')
  const { cache } = content
  const first = rest.mount(
    1,
    served(parts, async (app) => {
      await access.routes(app)
      await content.adminRoutes(app)
      await scrapers.routes(app)
      await commerce.routes(app)
      await operation.routes(app)
      // Not awaited: it must be filled after the mount, whose last hooks it would miss otherwise.
      app.register(content.mediaRoutes(1))
    }),
  )
  const second = rest.mount(
    2,
    served(parts, (app) => void app.register(content.mediaRoutes(2))),
  )
  const below = { guest: true, guard, openapi: true } as const
  return [
    { ...first, guard, cache, idempotency },
    { ...second, guard, cache, idempotency, openapi: true },
    {
      prefix: '/api',
      ...{ guest: true, renderError, guard },
      plugin: served(parts, rest.unknownVersions),
    },
    {
      prefix: '/api/v1/webhooks',
      ...{ ...below, onRequest: first.onRequest, renderError: renderWebhooksError, idempotency },
      plugin: served(parts, webhooks.registrationRoutes),
    },
  ]
}

/** The same content for clients of other systems. */
function dialectMounts(parts: Parts): Mount[] {
  const { access, content, cms, jsonapi, delivery, graphql, stock, idempotency } = parts
  const guard = access.guard('none')
  const { cache } = content
  return [
    {
      prefix: '/api',
      ...{ renderError: renderCmsError, onRequest: cms.onRequest, guard, cache },
      plugin: served(parts, async (app) => {
        await content.schemaRoutes(app)
        await cms.plugin(app)
      }),
    },
    {
      prefix: '/jsonapi',
      ...{
        renderError: jsonapi.renderError,
        onRequest: jsonapi.onRequest,
        guard,
        cache,
        idempotency,
      },
      plugin: served(parts, jsonapi.plugin),
    },
    {
      prefix: '/cms/delivery/api/v2',
      ...{ renderError: delivery.renderError, onRequest: delivery.onRequest, guard, cache },
      plugin: served(parts, delivery.plugin),
    },
    {
      prefix: '/cms/openapi',
      ...{ renderError: delivery.renderError, guard },
      plugin: served(parts, delivery.openapi),
    },
    {
      prefix: '/graphql',
      ...{ renderError: renderGraphqlError, onRequest: graphql.onRequest, guard, cache },
      plugin: served(parts, graphql.plugin),
    },
    {
      prefix: '/router',
      ...{ renderError: jsonapi.paths.renderError, guard },
      plugin: served(parts, jsonapi.paths.plugin),
    },
    {
      prefix: '/subrequests',
      renderError: jsonapi.subrequests.renderError,
      plugin: served(parts, jsonapi.subrequests.plugin),
    },
    {
      prefix: '/api',
      ...{ guest: true, renderError: stock.renderError, guard, claims: stock.claims },
      plugin: served(parts, stock.plugin),
    },
    { prefix: '/uploads', renderError, plugin: served(parts, content.uploadsRoutes) },
  ]
}

function commerceMount(parts: Parts): Mount {
  const { access, content, commerce, commerceDialect, idempotency } = parts
  const guard = access.guard('any', commerce.ownCredential)
  const { renderError, plugin } = commerceDialect
  return {
    prefix: '/rest',
    ...{ renderError, guard, cache: content.cache, idempotency },
    plugin: served(parts, plugin),
  }
}

function webhookMounts(parts: Parts): Mount[] {
  const { access, webhooks, idempotency } = parts
  return [
    {
      prefix: '/webhooks',
      ...{ renderError: renderWebhooksError, guard: access.guard('any'), idempotency },
      openapi: true,
      plugin: served(parts, webhooks.routes),
    },
  ]
}

function oauthMounts(parts: Parts): Mount[] {
  const { guard, oauth } = parts.access
  return [
    {
      prefix: '/oauth',
      ...{ renderError: renderOAuthError, openapi: true, guard: guard('none') },
      plugin: served(parts, oauth.tokenRoutes),
    },
    {
      prefix: '/.well-known',
      ...{ guest: true, openapi: true, renderError },
      plugin: served(parts, oauth.discoveryRoute),
    },
  ]
}

/** Not of the API: a node that is only a gateway is administered too. */
function gatewayMounts({ config, operator }: Parts): Mount[] {
  const admin = ['/gateway/admin', ...config.gateway.adminPrefixes]
  return [
    ...admin.map((prefix) => ({
      ...{ prefix, renderError: renderAdminError, etag: false },
      plugin: operator.admin,
    })),
    { prefix: '/gateway/control', renderError: renderAdminError, plugin: operator.control },
    { prefix: '/gateway/prometheus', renderError: renderAdminError, plugin: operator.metrics },
  ]
}

function readiness({ database }: Platform, gateway: Gateway) {
  const checks: Record<string, ReadinessCheck> = {
    async storage() {
      await database.main.reader.selectFrom('kernel_migrations').select('name').limit(1).execute()
    },
  }
  checks['gateway'] = () => {
    const { threads, listening, isStopping } = gateway.status()
    // They stop beside this port, which answers as before until its own connections are over.
    if (listening < threads && !isStopping)
      throw new Error(`${listening} of ${threads} threads listen`)
  }
  return checks
}
