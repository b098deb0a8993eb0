/**
 * Tells subscribers what happened, at least once and verifiably: event types, subscriptions,
 * publishing, deliveries, the live feed. Sending itself is in the worker (`startWebhookJobs`).
 */
import type { FastifyRequest } from 'fastify'
import type { Bus } from '#bus'
import type { Database, Tx } from '#db'
import { createEventReader, type NewEvent } from '#events'
import type { EventStreams, HttpApp, Metrics } from '#http'
import { createLoop } from '#jobs'
import type { Actor, Clock, Ids, Log, Random } from '#kernel'
import type { SecretBox } from '#secrets'
import { createDeliveries } from './deliveries.ts'
import { createEndpoints } from './endpoints.ts'
import { createEventTypes } from './event-types.ts'
import { createEvents } from './events.ts'
import { createFailing } from './failing.ts'
import { registerMetrics } from './metrics.ts'
import { describeEvents } from './openapi.ts'
import type { Consumer, EventTypeInfo } from './records.ts'
import { createRegistrations } from './registrations.ts'
import { createReplays } from './replays.ts'
import {
  createCallerOf,
  deliveryRoutes,
  eventRoutes,
  eventTypeRoutes,
  notificationRoutes,
  registrationRoutes,
  streamRoutes,
  subscriptionRoutes,
} from './routes/index.ts'
import { createSecrets } from './secrets.ts'
import { createLiveFeed } from './stream.ts'
import { createSubscriptions } from './subscriptions.ts'

export { WEBHOOK_EVENTS } from './catalogue.ts'
export { renderWebhooksError } from './errors.ts'
export { startWebhookJobs } from './jobs.ts'
export { resetWebhookSecrets } from './lost-secrets.ts'
export type { EventTypeInfo } from './records.ts'
export { renderStreamed } from './streamed.ts'

/** Being told of changes is quicker; this is for one that could not be taken over. */
const FOLLOW_EVERY_MS = 60_000

export interface WebhookSettings {
  readonly maxSubscriptionsPerConsumer: number
  readonly rotationWindowSeconds: number
  readonly maxPayloadBytes: number
  readonly retentionDays: number
  readonly httpsOnly: boolean
  readonly allowNets: readonly string[]
}

export interface WebhooksDeps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly random: Random
  readonly log: Log
  readonly bus: Bus
  readonly box: SecretBox
  readonly eventStreams: EventStreams
  readonly metrics: Pick<Metrics, 'registry'>
  /** Endpoints on this machine are allowed (webhooks contract §10). */
  readonly isDevelopment: boolean
  settings(): WebhookSettings
  /** What the parts of the product emit; `onEventsChanged` tells when that is something else. */
  knownEvents(): readonly EventTypeInfo[]
  onEventsChanged(listener: () => void): () => void
  recordEvents(tx: Tx, events: readonly NewEvent[]): Promise<{ id: string; createdAtMs: number }[]>
  findConsumer(id: string): Promise<Consumer | undefined>
  onAccessChange(listener: (concerns: (actor: Actor) => boolean) => void): () => void
  secretEndOf(request: FastifyRequest): Promise<number | null>
  recordUsage(request: FastifyRequest): boolean
  origin(request: FastifyRequest): string
}

export async function createWebhooks(deps: WebhooksDeps) {
  const { db, clock, bus, log, metrics } = deps
  const reader = createEventReader({ db, clock })
  const eventTypes = createEventTypes({ db, clock })
  const secrets = createSecrets(deps)
  const endpoints = createEndpoints(deps)
  const subscriptions = createSubscriptions({ ...deps, secrets, endpoints, eventTypes })
  const shared = { ...deps, subscriptions, eventTypes, events: reader }
  const deliveries = createDeliveries(shared)
  const replays = createReplays(shared)
  const registrations = createRegistrations({ db, subscriptions })
  const events = createEvents(shared)
  const feed = createLiveFeed(shared)
  const callerOf = createCallerOf(deps)
  const takeOver = () => eventTypes.takeOver(deps.knownEvents())
  await takeOver()
  const following = createLoop({
    ...{ name: 'event types', everyMs: FOLLOW_EVERY_MS, log, random: deps.random },
    wake: deps.onEventsChanged,
    run: takeOver,
  })
  const ends = [
    await registerMetrics({
      db,
      bus,
      events: reader,
      registry: metrics.registry,
      openStreams: feed.size,
    }),
    feed.close,
  ]
  const route = { ...deps, callerOf, subscriptions, deliveries, replays, eventTypes, feed }
  return {
    /** For the mount `/webhooks`. */
    async routes(app: HttpApp) {
      await subscriptionRoutes(route)(app)
      await deliveryRoutes(route)(app)
      await eventTypeRoutes(route)(app)
      await eventRoutes({ ...route, events })(app)
      await streamRoutes(route)(app)
      await notificationRoutes(route)(app)
    },
    /** For the mount `/api/v1/webhooks`. */
    registrationRoutes: registrationRoutes({ ...route, registrations }),
    /** Subscriptions whose endpoint fails or has been given up, of all consumers. */
    failing: createFailing(db),
    /** What ends with a user, in the transaction that deletes it. */
    endConsumer: subscriptions.endConsumer,
    /** What the OpenAPI document says of what is sent, with the types that there are now. */
    describe: async () => describeEvents(await eventTypes.listAll()),
    async close() {
      for (const end of ends) end()
      await following.stop()
    },
  }
}

export type WebhooksModule = Awaited<ReturnType<typeof createWebhooks>>
