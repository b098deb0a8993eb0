import type { JsonValue } from '#content'
import type { ContentModel, ContentType } from '#content-model'
import { DomainError } from '#kernel'

export const PRODUCT = 'product'

/** Members of a product that are attributes of the same name, with what a product without a value shows. */
export const OWN_MEMBERS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['sku', null],
  ['name', null],
  ['price', null],
  ['weight', null],
  ['visibility', 4],
  ['type_id', 'simple'],
  ['attribute_set_id', 4],
])

/** Attributes that the members of `stock_item` come from. */
export const STOCK_MEMBERS = { qty: 'stock', is_in_stock: 'is_in_stock' } as const
/** Unversioned JSON: members of `stock_item` that have no attribute of their own. */
export const STOCK_ITEM = 'stock_item'
/** JSON: attributes of shops that the content type does not have. */
export const CUSTOM_ATTRIBUTES = 'custom_attributes'
export const CATEGORIES = 'categories'

const NEEDED = ['sku', 'name', 'price', STOCK_MEMBERS.qty, STOCK_MEMBERS.is_in_stock]

/** The content type whose entries are products; refused where it is not there or lacks what a product needs. */
export function productType(model: ContentModel): ContentType {
  const type = model.findType(PRODUCT)
  const lacking = NEEDED.filter((name) => !type?.attribute.has(name))
  if (type && lacking.length === 0) return type
  const message = type
    ? `The content type product lacks ${lacking.join(', ')}; add them to serve products here.`
    : 'There is no content type product; create it to serve products here.'
  throw new DomainError('not_found', 'no_products', message)
}

/** Whether values of this attribute are shown among `custom_attributes`. */
export function isCustom(name: string): boolean {
  return !OWN_MEMBERS.has(name) && !HIDDEN.has(name)
}

/** Attributes of the type that are no custom ones: they have members of their own. */
export function isStoreOwn(name: string): boolean {
  return HIDDEN.has(name) && name !== CATEGORIES
}

const HIDDEN = new Set<string>([
  ...Object.values(STOCK_MEMBERS),
  STOCK_ITEM,
  CUSTOM_ATTRIBUTES,
  CATEGORIES,
])
