/**
 * Products as a shop's integrations know them, over the one content store: saving by SKU and stock, the
 * credentials of that dialect, asynchronous changes and orders. It speaks no HTTP of its own but for administration.
 */

import type { ProductContent } from './products/find.ts'
import { createProducts, type Products } from './products/products.ts'

export { type FoundProducts, MOST_FOUND, type ProductContent } from './products/find.ts'
export { skuOf } from './products/parse.ts'
export {
  CATEGORIES,
  CUSTOM_ATTRIBUTES,
  isCustom,
  OWN_MEMBERS,
  PRODUCT,
  productType,
  STOCK_ITEM,
  STOCK_MEMBERS,
} from './products/product-type.ts'
export type {
  GivenProduct,
  Products,
  Saved,
  SavedItem,
  SaveItem,
  SaveOptions,
} from './products/products.ts'
export {
  DEFAULT_STORE,
  findStore,
  localeOf,
  type Store,
  storeCodeOf,
  storesOf,
} from './products/stores.ts'
export { type Fault, missing, refused, unknownProduct, wrongType } from './refusals.ts'

export interface CommerceDeps {
  readonly content: ProductContent
}

export interface Commerce {
  readonly products: Products
}

export function createCommerce({ content }: CommerceDeps): Commerce {
  return { products: createProducts({ content }) }
}
