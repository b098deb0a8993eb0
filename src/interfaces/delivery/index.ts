/**
 * The content delivery face of the store: published content as JSON, read-only, with a preview of
 * drafts, under `/cms/delivery/api/v2` as front-ends of Umbraco's Delivery API expect it.
 */
import type { DeliveryDeps } from './deps.ts'
import { renderDeliveryError } from './errors.ts'
import { refuseTakenNames } from './query/known-fields.ts'
import { openApiRoutes } from './routes/openapi.ts'
import { deliveryRoutes, onRequest } from './routes.ts'

export type { DeliveryDeps } from './deps.ts'

export function createDelivery(deps: DeliveryDeps) {
  refuseTakenNames(deps.content.indexFields.fields, deps.settings().indexFields)
  return {
    onRequest,
    plugin: deliveryRoutes(deps),
    renderError: renderDeliveryError,
    /** Below `/cms/openapi`. */
    openapi: openApiRoutes(deps),
    document: { title: 'Content delivery', path: '/cms/openapi/delivery.json' },
  }
}
