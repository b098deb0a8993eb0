/**
 * The content delivery face of the store: published content as JSON, read-only, with a preview of
 * drafts, under `/cms/delivery/api/v2` as front-ends of Umbraco's Delivery API expect it.
 */
import type { DeliveryDeps } from './deps.ts'
import { renderDeliveryError } from './errors.ts'
import { openApiRoutes } from './routes/openapi.ts'
import { deliveryRoutes, onRequest } from './routes.ts'

export type { DeliveryDeps } from './deps.ts'

export function createDelivery(deps: DeliveryDeps) {
  return {
    onRequest,
    plugin: deliveryRoutes(deps),
    renderError: renderDeliveryError,
    /** Below `/cms/openapi`. */
    openapi: openApiRoutes(deps),
  }
}
