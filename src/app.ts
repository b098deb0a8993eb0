/** The composition root of the API: builds every module by hand and says who owns which URLs. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import {
  ACCESS_EVENTS,
  type AccessDeps,
  type AccessModule,
  createAccess,
  createConsumers,
  createPeople,
  createTrustGateway,
  type Generated,
  type PublicType,
} from '#access'
import { createCms } from '#cms'
import { COMMERCE_EVENTS, createCommerce } from '#commerce'
import { createCommerceDialect, createStock, routeByStore } from '#commerce-dialect'
import type { Config } from '#config'
import { type Content, createContent, eventNamesOf } from '#content'
import { parseFilter } from '#content-query'
import { createDelivery } from '#delivery'
import { createEventReader, createOutbox } from '#events'
import { GATEWAY_EVENTS, type Gateway } from '#gateway'
import { createGraphql } from '#graphql'
import {
  createEventStreams,
  createHttpServer,
  createIdempotency,
  createMetrics,
  type HttpApp,
  type Metrics,
  publicOrigin,
} from '#http'
import { createJournalDrain, createJournalWriter } from '#journal'
import { createJsonApi, routeByLanguage } from '#jsonapi'
import { hasAccess, parseDate, random, sendMail } from '#kernel'
import { createOperation } from '#operation'
import { createRest, routeByAccept, type VersionEnd } from '#rest'
import { createScrapers, listLiveRuns } from '#scrapers'
import { createWebhooks, WEBHOOK_EVENTS, type WebhooksModule } from '#webhooks'
import { readApiCertificate } from './api-certificate.ts'
import { findLatestChanges } from './latest-changes.ts'
import { createMounts } from './mounts.ts'
import { freeIn, registerOperationMetrics, usedBy } from './operation-metrics.ts'
import { chromiumOf, type Platform, uploadsOf, version } from './platform.ts'
import { apiUrlOf } from './ports.ts'
import { readExamples } from './recorded-examples.ts'

interface Deps {
  readonly config: Config
  readonly platform: Platform
  readonly gateway: Gateway
  readonly gatewayUrl: string | null
  /** Of gateways whose word counts. */
  readonly secrets: readonly string[]
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

/** When it cannot be built, what it had opened is closed again. */
export async function createApp(deps: Deps): Promise<App> {
  const opened = await openAccess(deps.config, deps.platform)
  try {
    return await assemble(deps, opened)
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function assemble(deps: Deps, opened: OpenedAccess): Promise<App> {
  const { config, platform, gateway, gatewayUrl } = deps
  const { log, ids, database, box, nodeId } = platform
  const metrics = await createMetrics({ mayRead: mayReadMetrics, asked: database.main.asked })
  const { access, endStreams, close: closeAccess } = opened
  gateway.answerWith(access.answer)
  access.onChange((changed) => gateway.forget(changed))
  const shown = announce(config, await access.firstStart(config.admin))
  if (shown !== null) deps.print(shown)
  const { registry } = metrics
  const endMetrics = await registerOperationMetrics({
    ...{ config, registry, db: database, clock: platform.clock, bus: platform.bus },
    refusals: access.limitRefusals,
    journal: opened.journal,
  })
  const content = await openContent(config, platform, metrics)
  opened.onSale(() => publicTypesOf(content))
  const servesApi = config.roles.includes('api')
  const webhooks = await openWebhooks(deps, opened, metrics, content)
  const cms = createCms({
    content,
    maxDepth: () => platform.settings.get('content').maxDepth,
    transaction: database.main.transaction,
    people: createPeople(database.main.reader),
  })
  const idempotency = {
    idempotency: createIdempotency({ db: database, owner: nodeId, random, secrets: box }),
    userOf: (request: FastifyRequest) => request.actor?.userId ?? `nobody at ${request.ip}`,
    log,
  }
  const rest = openRest(deps, content)
  const jsonapi = openJsonApi(deps, opened, content)
  const delivery = createDelivery({
    ...{ content, version, levelOfKey: access.levelOfKey, examplesOf },
    settings: () => platform.settings.get('delivery'),
  })
  const graphql = createGraphql({
    content,
    admitForm: access.admitForm,
    settings: () => platform.settings.get('graphql'),
    isDevelopment: config.env === 'development',
    report: (error, request) => request.server.reportFailure(error, request),
  })
  const commerce = openCommerce(deps, access, content)
  const commerceDialect = createCommerceDialect({
    ...{ content, commerce, settings: config.commerce, origin: access.origin },
  })
  const operation = openOperation(deps, opened, { content, webhooks })
  const stock = createStock({ content, settings: () => platform.settings.get('jsonapi') })
  const operator = gateway.routes({
    adminKey: config.gateway.adminKey,
    authenticate: (request) => access.authenticate(request, 'admin'),
    signedIn: access.signedIn,
    levelOf: async (userId) => (await access.users.find(userId))?.access,
  })

  const mounts = createMounts({
    ...{ config, platform, gateway, gatewayUrl, operator, metrics, idempotency },
    ...{
      access,
      content,
      webhooks,
      cms,
      rest,
      jsonapi,
      delivery,
      graphql,
      commerce,
      commerceDialect,
      stock,
      operation,
    },
    scrapers: openScrapers(deps, opened, content),
  })
  const shop = config.commerce.enabled ? [commerceDialect.document] : []
  const documents = [cms.document, jsonapi.document, ...shop, gateway.document]
  const http = await createHttpServer({
    log,
    accessLog: platform.requestLog,
    ids,
    mounts,
    limits: { bodyBytes: config.http.bodyLimit },
    tls: readApiCertificate(config),
    trustedProxies: config.trustedProxies,
    cors: { origins: config.cors.origins },
    isDevelopment: config.env === 'development',
    observers: [metrics.observe, operation.observe],
    isUnavailable: database.dialect.isUnavailable,
    trustGateway: createTrustGateway({ secrets: deps.secrets, clock: platform.clock }),
    ...(servesApi ? { redirect: routeRequest } : {}),
    ...(servesApi
      ? {
          openapi: {
            ...describe(access),
            sections: describeAll,
            documents,
            others: [delivery.document],
            examplesOf,
          },
        }
      : {}),
  })
  http.decorateRequest('meter', null)
  http.decorateRequest('usageEndpoint', null)
  http.decorateRequest('forwardedActor', null)
  return { http, endStreams, close }

  function examplesOf(path: string) {
    return readExamples(path, content.model())
  }

  async function describeAll() {
    return [rest.describe(), await webhooks.describe()]
  }

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
    endMetrics()
    await operation.close()
    graphql.close()
    await content.close()
    await webhooks.close()
    await closeAccess()
  }
}

function openRest({ config, platform }: Deps, content: Content) {
  const { database: db, clock, box } = platform
  const { publicUrl, roles, versions } = config
  return createRest({
    content,
    parseFilters: parseFilter,
    eventNamesOf,
    events: createEventReader({ db, clock }),
    transaction: db.main.transaction,
    isDeadlock: db.dialect.isDeadlock,
    cursorKey: box.derive('cursors'),
    origin: (request) => publicOrigin(request, publicUrl),
    isServed: roles.includes('api'),
    ends: {
      1: toEnd(versions.v1Deprecated, versions.v1Sunset),
      2: toEnd(versions.v2Deprecated, versions.v2Sunset),
    },
  })
}

function openOperation(
  { config, platform, gateway }: Deps,
  { eventStreams }: OpenedAccess,
  { content, webhooks }: { readonly content: Content; readonly webhooks: WebhooksModule },
) {
  const { database: db, clock, log, bus, nodeId, logFile } = platform
  const events = createEventReader({ db, clock })
  return createOperation({
    ...{ db, clock, log, bus, eventStreams, nodeId, version, logFile },
    roles: config.roles,
    backupDirectory: config.backup.directory,
    gatewayThreads: () => gateway.status().threads,
    gatewayTotals: gateway.totals,
    failingNodes: gateway.unhealthyNodes,
    failingSubscriptions: webhooks.failing,
    liveRuns: (limit) => listLiveRuns(db, limit),
    storage: async () => ({ parts: await storedBy(config, platform), free: freeIn(config) }),
    latestChanges: (limit) => findLatestChanges(events, content, limit),
  })
}

/** Files by themselves; a database that lies elsewhere says how large it is. */
async function storedBy(config: Config, { database }: Platform): Promise<Record<string, number>> {
  const files = usedBy(config)
  if (config.databaseUrl === undefined) return files
  const { rows } = await sql<{ bytes: number }>`select ${database.dialect.size} as bytes`.execute(
    database.main.reader,
  )
  return { database: Number(rows[0]?.bytes ?? 0), ...files }
}

/** What a path alone does not decide: the version by header, the language before `/jsonapi`. */
function routeRequest(url: string, headers: IncomingHttpHeaders): string {
  return routeByAccept(routeByStore(routeByLanguage(url)), headers)
}

function openJsonApi({ config, platform }: Deps, { access }: OpenedAccess, content: Content) {
  const { database: db, settings } = platform
  return createJsonApi({
    content,
    users: { ...createPeople(db.main.reader), onChange: (listener) => access.onChange(listener) },
    settings: () => settings.get('jsonapi'),
    origin: (request) => publicOrigin(request, config.publicUrl),
    transaction: db.main.transaction,
  })
}

function openScrapers({ config, platform }: Deps, opened: OpenedAccess, content: Content) {
  const { database: db, clock, ids, log, bus, box, settings } = platform
  const { access, eventStreams } = opened
  return createScrapers({
    ...{ db, clock, bus, log, box, eventStreams, version },
    publicUrl: config.publicUrl,
    isDevelopment: config.env === 'development',
    settings: () => settings.get('scrapers'),
    toEventSteps: createOutbox({ ids, clock, bus }).toSteps,
    recordUsage: (request) => request.meter?.record(200) !== false,
    origin: access.origin,
    hasCollection: (name) => content.model().findType(name) !== undefined,
    hasMedia: (name, attribute) =>
      content.model().findType(name)?.attribute.get(attribute)?.type === 'media',
    chromium: chromiumOf(config),
  })
}

function openCommerce({ config, platform }: Deps, access: AccessModule, content: Content) {
  const { database: db, clock, ids, bus, log, box } = platform
  return createCommerce({
    ...{ db, clock, ids, bus, random, log, box, access, content },
    appendEvents: createOutbox({ ids, clock, bus }).appendAll,
    maxBulkItems: config.commerce.maxBulkItems,
    publicUrl: config.publicUrl,
    allowSha1: config.commerce.oauthAllowSha1,
  })
}

/** Settings checked that these are dates. */
function toEnd(deprecated: string | undefined, sunset: string | undefined): VersionEnd {
  return {
    deprecatedAtMs: deprecated === undefined ? undefined : parseDate(deprecated),
    sunsetAtMs: sunset === undefined ? undefined : parseDate(sunset),
  }
}

/** Webhooks with what they need of the other modules. */
async function openWebhooks(
  { config, platform }: Deps,
  opened: OpenedAccess,
  metrics: Metrics,
  content: Content,
): Promise<WebhooksModule> {
  const { database: db, clock, ids, log, bus, box, settings } = platform
  const { access, eventStreams } = opened
  const webhooks = await createWebhooks({
    ...{ db, clock, ids, random, log, bus, box, eventStreams, metrics },
    isDevelopment: config.env === 'development',
    settings: () => settings.get('webhooks'),
    knownEvents: () => [
      ...ACCESS_EVENTS,
      ...WEBHOOK_EVENTS,
      ...GATEWAY_EVENTS,
      ...COMMERCE_EVENTS,
      ...content.knownEvents(),
    ],
    onEventsChanged: content.onModelChange,
    recordEvents: createOutbox({ ids, clock, bus }).recordAll,
    findConsumer: createConsumers(db.main.reader, clock.now).find,
    onAccessChange: (listener) =>
      access.onChange((changed) =>
        listener(
          ({ userId, apiKeyId }) =>
            !changed || changed.userIds.has(userId) || changed.keyIds.has(apiKeyId ?? 0),
        ),
      ),
    secretEndOf: access.secretEndOf,
    recordUsage: (request) => request.meter?.record(200) !== false,
    origin: access.origin,
  })
  opened.onUserDeleted((tx, user) => webhooks.endConsumer(tx, user.uuid))
  return webhooks
}

/** Access with its journal: what the last process left there counts before anything is decided. */
export async function openAccess(config: Config, platform: Platform) {
  const { auth, oauth, publicUrl, smtp } = config
  const { database: db, journal, clock, bus, log, ids, settings } = platform
  const { revisions, counters } = platform
  const eventStreams = createEventStreams()
  const writer = createJournalWriter({ address: journal.address, name: 'api', clock, log })
  let endUser: OnUserDeleted = async () => {}
  let publicTypes: () => readonly PublicType[] = () => []
  const access: AccessModule = await createAccess({
    ...{ db, clock, random, log, bus, revisions, counters, settings, eventStreams },
    appendEvents: createOutbox({ ids, clock, bus }).appendAll,
    basic: auth.basic,
    publicUrl,
    linkOrigin: publicUrl?.replace(/\/+$/, '') ?? apiUrlOf(config),
    sendMail: createMailer(smtp),
    tokenTtlSeconds: oauth.tokenTtlSeconds,
    limits: () => settings.get('limits'),
    journal: writer,
    drainUsage: () => drain.drainAll(),
    onUserDeleted: (tx, user) => endUser(tx, user),
    publicTypes: () => publicTypes(),
  })
  const handle = access.handleUsage
  const drain = createJournalDrain({ journal, store: db.aux, handle, clock, log })
  try {
    await drain.drainAll()
    drain.start()
    await access.start()
  } catch (error) {
    await close()
    throw error
  }
  return {
    ...{ access, eventStreams, endStreams: eventStreams.closeAll, onUserDeleted, onSale, close },
    journal: drain.state,
  }

  /** What else ends with a user; said later, by a module that is built on access. */
  function onUserDeleted(end: OnUserDeleted) {
    endUser = end
  }

  /** What everybody may read, so that whoever sells it is told. */
  function onSale(find: typeof publicTypes) {
    publicTypes = find
  }

  async function close() {
    await access.close()
    writer.close()
    await drain.stop()
  }
}

function createMailer({ url, sender }: Config['smtp']): AccessDeps['sendMail'] {
  return url === undefined ? null : (mail) => sendMail({ url, sender }, mail)
}

type OnUserDeleted = NonNullable<AccessDeps['onUserDeleted']>
type OpenedAccess = Awaited<ReturnType<typeof openAccess>>

/** By the paths under which plans would sell them. */
function publicTypesOf(content: Content): PublicType[] {
  const open = content.model().types.filter(({ publicRead }) => publicRead)
  return open.map(({ kind, singularName, pluralName, entityType, bundle }) => ({
    name: singularName,
    paths: [
      ...['/api/v1', '/api/v2', '/api'].map((prefix) =>
        kind === 'singleType' ? `${prefix}/${singularName}` : `${prefix}/${pluralName}`,
      ),
      `/jsonapi/${entityType}/${bundle}`,
    ],
  }))
}

function openContent(config: Config, platform: Platform, metrics: Metrics) {
  const { database: db, clock, ids, log, bus, revisions, settings } = platform
  const { publicUrl, starter } = config
  return createContent({
    starter,
    ...{ db, clock, ids, random, log, bus, revisions, metrics },
    appendEvents: createOutbox({ ids, clock, bus }).appendAll,
    uploads: uploadsOf(config),
    answersMaxBytes: config.answers.maxBytes,
    answersMaxRelated: config.answers.maxRelated,
    indexModules: config.indexModules,
    publicUrl,
    origin: (request) => publicOrigin(request, publicUrl),
    settings: () => settings.get('content'),
  })
}

/** The one read that needs no key; who presents one is metered, who does not may be limited. */
function describe({ guard, origin }: AccessModule) {
  const routeConfig = { access: 'none' } as const
  return { title: 'Entrepot', version, guard: guard('none'), routeConfig, origin }
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
