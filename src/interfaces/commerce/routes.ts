import type { HTTPMethods, RouteOptions } from 'fastify'
import type { RouteAccess } from '#access'
import type { HttpApp } from '#http'
import type { CommerceDialectDeps } from './deps.ts'
import { createShopReads } from './read/shop.ts'
import { createReads, createShowAll } from './read.ts'
import { type Context, contextOf, sendJson, storeCodeOf } from './request.ts'
import { bulkRoutes } from './routes/bulk.ts'
import type { Described } from './routes/openapi.ts'
import { orderRoutes } from './routes/orders.ts'
import { createWrites } from './write.ts'

/** What a route answers: the text of its body. */
type Action = (context: Context) => Promise<string | Buffer>

/** What the reference says of a route: a title and two sentences. */
export interface Words {
  readonly summary: string
  readonly description: string
}

export function words(summary: string, description: string): Words {
  return { summary, description }
}

/** Registers a route of the dialect below `/rest`; null: the reference does not name it. */
export type AddRoute = (
  method: HTTPMethods,
  url: string,
  access: RouteAccess,
  action: Action,
  words: Words | null,
  options?: Partial<Pick<RouteOptions, 'config' | 'bodyLimit'>>,
) => void

/** Contract §9: bodies of products and bulks. */
const BODY_LIMIT = 16 * 1024 * 1024
const PRODUCTS = '/V1/products'
const ONE = `${PRODUCTS}/:sku`

/** The mount of `/rest`. */
export function commerceRoutes(deps: CommerceDialectDeps, described: Pick<Described, 'add'>) {
  const reads = createReads(deps)
  const writes = createWrites(deps, reads.prepareShow)
  const shop = createShopReads(deps)
  return async (app: HttpApp): Promise<void> => {
    const add = createAdd(deps, app, described)
    add(
      'POST',
      '/V1/integration/admin/token',
      'none',
      writes.issueToken,
      words(
        'Get a token',
        'Takes the e-mail address and password of an admin and answers with a bearer token for an hour. Six wrong passwords lock the name for half an hour.',
      ),
      {
        config: { signsIn: true },
      },
    )
    add(
      'GET',
      PRODUCTS,
      'read',
      reads.list,
      words(
        'Search products',
        'Products by `searchCriteria`, filtered, sorted and in pages; `fields` leaves out members. `total_count` counts all that were found.',
      ),
      cached(deps),
    )
    add(
      'POST',
      PRODUCTS,
      'write',
      writes.post,
      words(
        'Save a product',
        'Creates the product, or changes it when its SKU is there already. Members that are not sent stay as they are.',
      ),
    )
    add(
      'GET',
      ONE,
      'read',
      reads.one,
      words(
        'Read a product',
        'One product by its SKU with stock and custom attributes. `fields` leaves out members.',
      ),
      cached(deps),
    )
    add(
      'PUT',
      ONE,
      'write',
      writes.put,
      words(
        'Save a product by its SKU',
        'The SKU of the address wins over that of the body. An unknown one makes a new product.',
      ),
    )
    add(
      'DELETE',
      ONE,
      'write',
      writes.remove,
      words(
        'Delete a product',
        'Removes the product and answers `true`. An unknown SKU is answered with 404.',
      ),
    )
    add(
      'GET',
      `${ONE}/media`,
      'read',
      reads.gallery,
      words(
        'List pictures of a product',
        'Its media gallery entries in their order. Their files are those of the media library.',
      ),
      cached(deps),
    )
    add(
      'GET',
      '/V1/stockItems/:sku',
      'read',
      reads.stockItem,
      words(
        'Read the stock of a product',
        'Quantity, state and rules of the stock item. It is the same that the product shows.',
      ),
      cached(deps),
    )
    add(
      'GET',
      '/V1/stockStatuses/:sku',
      'read',
      reads.stockStatus,
      words(
        'Read the stock status of a product',
        'Whether the product can be sold, and how many there are. It needs less than the whole stock item.',
      ),
      cached(deps),
    )
    add(
      'PUT',
      `${ONE}/stockItems/:itemId`,
      'write',
      writes.setStock,
      words(
        'Set the stock of a product',
        'Sets quantity and state of the stock item. The change is told as an event like any other.',
      ),
    )
    bulkRoutes(deps, createShowAll(deps.content))(add)
    orderRoutes(deps)(add)
    add(
      'GET',
      '/V1/modules',
      'read',
      shop.modules,
      words(
        'List modules',
        'Names of modules that clients look for before they begin. They say which parts of the dialect are there.',
      ),
    )
    add(
      'GET',
      '/V1/store/storeViews',
      'read',
      shop.storeViews,
      words(
        'List store views',
        'Each language is a store view. Its code can stand in the path of any request.',
      ),
    )
    add(
      'GET',
      '/V1/store/storeConfigs',
      'read',
      shop.storeConfigs,
      words(
        'List store configurations',
        'Base URLs, language and currency of each store view. Clients read it before their forms.',
      ),
    )
    add(
      'GET',
      '/V1/store/websites',
      'read',
      shop.websites,
      words('List websites', 'There is one website. All store views belong to it.'),
    )
    add(
      'GET',
      `${PRODUCTS}/types`,
      'read',
      shop.types,
      words('List product types', 'Kinds of products by name. Products here are simple ones.'),
    )
    add(
      'GET',
      `${PRODUCTS}/attribute-sets/sets/list`,
      'read',
      shop.attributeSets,
      words(
        'List attribute sets',
        'There is one set with all attributes. Products name it in `attribute_set_id`.',
      ),
    )
    add(
      'GET',
      `${PRODUCTS}/attributes`,
      'read',
      shop.attributes,
      words(
        'List attributes',
        'Attributes of products, those of your own included. They are the attributes of the type `product`.',
      ),
    )
    add(
      'GET',
      '/V1/categories',
      'read',
      shop.categories,
      words(
        'Read the tree of categories',
        'All categories below their root. They are entries of the type `category`.',
      ),
    )
    add(
      'GET',
      '/V1/categories/list',
      'read',
      shop.categoryList,
      words(
        'Search categories',
        'Categories by `searchCriteria`, without their tree. `total_count` counts all that were found.',
      ),
    )
  }
}

function createAdd(
  deps: CommerceDialectDeps,
  app: HttpApp,
  described: Pick<Described, 'add'>,
): AddRoute {
  return (method, url, access, action, said, { config, ...options } = {}) => {
    if (said) described.add({ method: String(method), url, isOpen: access === 'none', ...said })
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
