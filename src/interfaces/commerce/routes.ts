import type { HTTPMethods, RouteOptions } from 'fastify'
import type { RouteAccess } from '#access'
import type { HttpApp } from '#http'
import type { CommerceDialectDeps } from './deps.ts'
import { createShowAll } from './read/by-skus.ts'
import { createShopReads } from './read/shop.ts'
import { createReads } from './read.ts'
import { type Context, contextOf, sendJson, storeCodeOf } from './request.ts'
import { bulkRoutes } from './routes/bulk.ts'
import { orderRoutes } from './routes/orders.ts'
import { createWrites } from './write.ts'

/** What a route answers: the text of its body. */
type Action = (context: Context) => Promise<string | Buffer>

/** Registers a route of the dialect below `/rest`. */
export type AddRoute = (
  method: HTTPMethods,
  url: string,
  access: RouteAccess,
  action: Action,
  options?: Partial<Pick<RouteOptions, 'config' | 'bodyLimit'>>,
) => void

/** Contract §9: bodies of products and bulks. */
const BODY_LIMIT = 16 * 1024 * 1024
const PRODUCTS = '/V1/products'
const ONE = `${PRODUCTS}/:sku`

/** The mount of `/rest`. */
export function commerceRoutes(deps: CommerceDialectDeps) {
  const reads = createReads(deps)
  const writes = createWrites(deps, reads.prepareShow)
  const shop = createShopReads(deps)
  return async (app: HttpApp): Promise<void> => {
    const add = createAdd(deps, app)
    add('POST', '/V1/integration/admin/token', 'none', writes.issueToken, {
      config: { signsIn: true },
    })
    add('GET', PRODUCTS, 'read', reads.list, cached(deps))
    add('POST', PRODUCTS, 'write', writes.post)
    add('GET', ONE, 'read', reads.one, cached(deps))
    add('PUT', ONE, 'write', writes.put)
    add('DELETE', ONE, 'write', writes.remove)
    add('GET', `${ONE}/media`, 'read', reads.gallery, cached(deps))
    add('GET', '/V1/stockItems/:sku', 'read', reads.stockItem, cached(deps))
    add('GET', '/V1/stockStatuses/:sku', 'read', reads.stockStatus, cached(deps))
    add('PUT', `${ONE}/stockItems/:itemId`, 'write', writes.setStock)
    bulkRoutes(deps, createShowAll(deps.content))(add)
    orderRoutes(deps)(add)
    add('GET', '/V1/modules', 'read', shop.modules)
    add('GET', '/V1/store/storeViews', 'read', shop.storeViews)
    add('GET', '/V1/store/storeConfigs', 'read', shop.storeConfigs)
    add('GET', '/V1/store/websites', 'read', shop.websites)
    add('GET', `${PRODUCTS}/types`, 'read', shop.types)
    add('GET', `${PRODUCTS}/attribute-sets/sets/list`, 'read', shop.attributeSets)
    add('GET', `${PRODUCTS}/attributes`, 'read', shop.attributes)
    add('GET', '/V1/categories', 'read', shop.categories)
    add('GET', '/V1/categories/list', 'read', shop.categoryList)
  }
}

function createAdd(deps: CommerceDialectDeps, app: HttpApp): AddRoute {
  return (method, url, access, action, { config, ...options } = {}) => {
    app.route({
      ...{ method, url, bodyLimit: BODY_LIMIT, ...options },
      config: { ...config, access, idempotentFor: storeCodeOf },
      handler: async (request, reply) =>
        sendJson(reply, await action(contextOf(deps, request, reply))),
    })
  }
}

/** Responses of reads depend on the store, which is no part of the routed URL. */
function cached({ content }: CommerceDialectDeps) {
  const cache = {
    headers: ['accept'],
    seen: (request: Parameters<typeof storeCodeOf>[0]) =>
      `${content.model().revision} ${storeCodeOf(request)}`,
  }
  return { config: { cache } }
}
