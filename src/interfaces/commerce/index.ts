/**
 * The commerce dialect below `/rest`: integrations of a well-known shop system work with it unmodified. Products are
 * entries of the one content store.
 */
import type { CommerceDialectDeps, StockDeps } from './deps.ts'
import { renderCommerceError } from './errors.ts'
import { createDescribed } from './routes/openapi.ts'
import { renderStockError, STOCK_PATHS, stockRoutes } from './routes/stock.ts'
import { commerceRoutes } from './routes.ts'

export type { CommerceDialectDeps } from './deps.ts'
export { routeByStore } from './request.ts'

/** The stock resource, below `/api` as a guest. */
export function createStock(deps: StockDeps) {
  return { plugin: stockRoutes(deps), renderError: renderStockError, claims: STOCK_PATHS }
}

export function createCommerceDialect(deps: CommerceDialectDeps) {
  const described = createDescribed()
  const plugin = commerceRoutes(deps, described)
  return { plugin, renderError: renderCommerceError, document: described.document }
}
