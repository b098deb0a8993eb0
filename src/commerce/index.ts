/**
 * Products as a shop's integrations know them, over the one content store: saving by SKU and stock, the
 * credentials of that dialect, asynchronous changes and orders. It speaks no HTTP of its own but for administration.
 */

import type { OwnCredential } from '#access'
import type { Bus } from '#bus'
import type { Tx } from '#db'
import type { NewEvent } from '#events'
import type { HttpPlugin } from '#http'
import type { Ids } from '#kernel'
import { type Bulks, createBulks } from './bulks/bulks.ts'
import { type CredentialDeps, createCredentials } from './credentials/credentials.ts'
import { createOrders, type Orders } from './orders/orders.ts'
import type { ProductContent } from './products/find.ts'
import { createProducts, type Products } from './products/products.ts'

export type { Accepted } from './bulks/accept.ts'
export type { BulkStatus, Counts, Operation } from './bulks/status.ts'
export { type BulkMethod, isOperationStatus, STATUS, TOPICS } from './bulks/tables.ts'
export { resetCommerceSecrets } from './credentials/lost-secrets.ts'
export { AMOUNT_UNIT } from './criteria.ts'
export { COMMERCE_EVENTS } from './feedback/events.ts'
export type { Order } from './orders/store.ts'
export type { DocumentKind } from './orders/tables.ts'
export { type FoundProducts, MOST_FOUND, type ProductContent } from './products/find.ts'
export {
  CATEGORIES,
  CUSTOM_ATTRIBUTES,
  isCustom,
  PRODUCT,
  productType,
  STOCK_ITEM,
  STOCK_MEMBERS,
} from './products/product-type.ts'
export type {
  GivenProduct,
  Products,
  Saved,
  SaveItem,
  SaveOptions,
} from './products/products.ts'
export {
  findStore,
  localeOf,
  type Store,
  storeCodeOf,
} from './products/stores.ts'
export { type Fault, missing, refused, unknownProduct, wrongType } from './refusals.ts'
export { dayAt, dayOf, nextDayFrom, parseMoment } from './times.ts'

export interface CommerceDeps extends CredentialDeps {
  readonly ids: Ids
  readonly bus: Pick<Bus, 'publish'>
  readonly content: ProductContent
  readonly maxBulkItems: number
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
}

export interface Commerce {
  readonly products: Products
  readonly bulks: Bulks
  readonly orders: Orders
  /** For the guard of the dialect's mount. */
  readonly ownCredential: OwnCredential
  /** A token for `username` and `password`, of whoever may change products. */
  issueToken(given: Readonly<Record<string, unknown>>, address: string): Promise<string>
  /** Administration, for `/api/v1`. */
  readonly routes: HttpPlugin
}

export function createCommerce(deps: CommerceDeps): Commerce {
  const { own, issueToken, routes } = createCredentials(deps)
  const products = createProducts(deps)
  return {
    ...{ products, ownCredential: own, issueToken, routes },
    bulks: createBulks(deps),
    orders: createOrders({ ...deps, products }),
  }
}
