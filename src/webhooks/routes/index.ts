import type { FastifyRequest } from 'fastify'
import type { CallerOf } from './shared.ts'

export interface RouteDeps {
  readonly callerOf: CallerOf
  /** Where clients see us: absolute URLs in answers begin so. */
  origin(request: FastifyRequest): string
}

export { deliveryRoutes } from './deliveries.ts'
export { eventTypeRoutes } from './event-types.ts'
export { eventRoutes } from './events.ts'
export { notificationRoutes } from './notifications.ts'
export { registrationRoutes } from './registrations.ts'
export { createCallerOf } from './shared.ts'
export { streamRoutes } from './stream.ts'
export { subscriptionRoutes } from './subscriptions.ts'
