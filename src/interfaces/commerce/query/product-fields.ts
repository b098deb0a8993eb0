import { refused, type Store } from '#commerce'
import { isCompared } from '#content'
import { type ContentModel, type ContentType, isScalar } from '#content-model'

/** What a name in criteria means for products. */
export type ProductField =
  /** A member of the store's own, or an attribute. */
  | { readonly kind: 'column'; readonly name: string; readonly isText: boolean }
  /** Compared to the second, as it is shown. */
  | { readonly kind: 'time'; readonly name: string }
  | { readonly kind: 'day'; readonly name: string }
  | { readonly kind: 'related'; readonly name: string }
  | { readonly kind: 'tags'; readonly name: string }
  /** 1 and 2 (contract §4.1). */
  | { readonly kind: 'status' }
  /** The same for every product. */
  | { readonly kind: 'fixed'; readonly value: string | number }

interface Asking {
  readonly model: ContentModel
  readonly type: ContentType
  readonly store: Store
}

const OTHER_NAMES: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({
    entity_id: 'id',
    qty: 'stock',
    category_id: 'categories',
    category_ids: 'categories',
  }),
)
const TIMES: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({ created_at: 'createdAt', updated_at: 'updatedAt' }),
)
/** What products of a type without such an attribute show. */
const DEFAULTS: ReadonlyMap<string, string | number> = new Map<string, string | number>(
  Object.entries({
    visibility: 4,
    type_id: 'simple',
    attribute_set_id: 4,
  }),
)
const TEXTS = new Set(['string', 'text', 'richtext', 'email', 'uid', 'enumeration'])

/** Refuses names that no product has, and those that only one shop's attributes have (they are not indexed). */
export function fieldOf({ model, type, store }: Asking, given: string): ProductField {
  if (given === 'status') return { kind: 'status' }
  if (given === 'website_id') return { kind: 'fixed', value: 1 }
  if (given === 'store') return { kind: 'fixed', value: store.code }
  if (given === 'store_id') return { kind: 'fixed', value: storeIdOf(model, store) }
  const time = TIMES.get(given)
  if (time !== undefined) return { kind: 'time', name: time }
  const name = OTHER_NAMES.get(given) ?? given
  if (name === 'id') return { kind: 'column', name, isText: false }
  const attribute = type.attribute.get(name)
  if (!attribute) {
    const value = DEFAULTS.get(name)
    if (value !== undefined) return { kind: 'fixed', value }
    throw unknownField(given)
  }
  if (attribute.private) throw unknownField(given)
  if (attribute.type === 'relation' || attribute.type === 'media') return { kind: 'related', name }
  if (attribute.type === 'tags') return { kind: 'tags', name }
  if (!isScalar(attribute) || !isCompared(attribute)) throw unknownField(given)
  if (attribute.type === 'datetime') return { kind: 'time', name }
  if (attribute.type === 'date') return { kind: 'day', name }
  return { kind: 'column', name, isText: TEXTS.has(attribute.type) }
}

/** 1 is the default locale, others follow in the order of the locales. */
function storeIdOf({ locales }: ContentModel, { locale }: Store): number {
  const others = locales.filter(({ isDefault }) => !isDefault)
  return others.findIndex(({ code }) => code === locale) + 2 || 1
}

export function unknownField(given: string) {
  const message = 'Products cannot be filtered or sorted by "%fieldName".'
  return refused({ message, parameters: { fieldName: given } })
}
