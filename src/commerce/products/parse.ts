import type { JsonObject, JsonValue } from '#content'
import type { ContentType } from '#content-model'
import { type Fault, missing, refused } from '../refusals.ts'
import { parseCustomAttributes, toIds } from './parse-attributes.ts'
import { parseStockItem } from './parse-stock.ts'
import { CATEGORIES, CUSTOM_ATTRIBUTES, OWN_MEMBERS, STOCK_ITEM } from './product-type.ts'
import { createValues, type ValueReader } from './values.ts'

/** What a body changes of a product, before it is known whether the product exists. */
export interface ProductChange {
  readonly sku: string
  /** 1 = published, 2 = unpublished. */
  readonly status: 1 | 2 | undefined
  /** By attribute of the content type. */
  readonly values: Readonly<Record<string, unknown>>
  /** Single members of JSON attributes; null removes one. */
  readonly members: Readonly<Record<string, Readonly<Record<string, JsonValue | null>>>>
}

const MAX_SKU = 64
const TYPES = ['simple', 'virtual', 'downloadable', 'configurable', 'bundle', 'grouped']
/** Types whose price follows from other products (contract §4.3). */
const UNPRICED = new Set(['configurable', 'bundle', 'grouped'])
/** Sent back by clients that change what they have read. */
const READ_ONLY = new Set(['id', 'entity_id', 'created_at', 'updated_at'])
const EMPTY_LISTS = new Set(['product_links', 'options', 'tier_prices'])

/** The product as the dialect writes it, names in snake_case; `inPath` wins over the SKU in the body. */
export function parseProduct(
  type: ContentType,
  given: JsonObject | Readonly<Record<string, unknown>>,
  inPath?: string,
): ProductChange {
  const read = createValues()
  const members = new Map<string, unknown>(Object.entries(given))
  const values: Record<string, unknown> = {}
  const single: Record<string, Readonly<Record<string, JsonValue | null>>> = {}
  const attributes = members.get('custom_attributes') ?? []
  const custom = parseCustomAttributes(type, read.list('custom_attributes', attributes) ?? [], read)
  Object.assign(values, custom.values)
  if (Object.keys(custom.others).length > 0) single[CUSTOM_ATTRIBUTES] = custom.others
  for (const [name, value] of custom.members) if (!members.has(name)) members.set(name, value)

  const sku = skuOf(inPath ?? members.get('sku'), read.faults)
  values['sku'] = sku
  for (const [name, value] of members) {
    if (name === 'sku' || name === 'status' || name === 'custom_attributes') continue
    if (OWN_MEMBERS.has(name)) setOwn(name, value)
    else if (name === 'extension_attributes') parseExtensions(value)
    else if (EMPTY_LISTS.has(name) || name === 'media_gallery_entries') checkList(name, value, read)
    else if (!READ_ONLY.has(name)) {
      read.faults.push({
        message: 'There is no property "%fieldName".',
        parameters: { fieldName: name },
      })
    }
  }
  const status = members.has('status') ? statusOf(members.get('status'), read) : undefined
  for (const name of Object.keys(single)) refuseLacking(name)
  if (read.faults.length > 0) throw refused(read.faults)
  return { sku, status, values, members: single }

  function setOwn(name: string, value: unknown) {
    const parsed = value === null ? null : ownValue(name, value, read)
    const fallback = OWN_MEMBERS.get(name) ?? null
    if (!type.attribute.has(name) && parsed === fallback) return
    refuseLacking(name)
    values[name] = parsed ?? fallback
  }

  function parseExtensions(value: unknown) {
    for (const [name, inner] of Object.entries(read.object('extension_attributes', value) ?? {})) {
      if (name === 'stock_item') {
        const stock = parseStockItem(read.object(name, inner) ?? {}, read)
        Object.assign(values, stock.values)
        if (Object.keys(stock.others).length > 0) single[STOCK_ITEM] = stock.others
      } else if (name === 'category_links') values[CATEGORIES] = linkedIds(inner, read)
      else if (name !== 'website_ids') {
        const parameters = { fieldName: `extension_attributes.${name}` }
        read.faults.push({ message: 'There is no property "%fieldName".', parameters })
      }
    }
  }

  /** A shop may have defined its products by itself. */
  function refuseLacking(name: string) {
    if (type.attribute.has(name)) return
    const message = 'The content type product has no attribute "%fieldName"; add it to keep this.'
    read.faults.push({ message, parameters: { fieldName: name } })
  }
}

/** What a new product needs besides (contract §4.3). */
export function missingOnCreate({ values }: ProductChange): readonly Fault[] {
  return missingIn(values).map(missing)
}

/** What a new product needs is not taken from one that exists; what is not sent stays as it is. */
export function missingOnUpdate(
  { values }: ProductChange,
  known: ProductChange['values'],
): readonly Fault[] {
  const lacking = missingIn({ ...known, ...values })
  return lacking.filter((name) => Object.hasOwn(values, name)).map(missing)
}

function missingIn(values: ProductChange['values']): readonly string[] {
  const isPriced = !UNPRICED.has(String(values['type_id'] ?? 'simple'))
  const needed = isPriced ? ['name', 'price'] : ['name']
  return needed.filter((name) => [undefined, null, ''].some((none) => values[name] === none))
}

/** Surrounding blanks are no part of it. */
function skuOf(given: unknown, faults: Fault[]): string {
  const sku =
    typeof given === 'number' ? String(given) : typeof given === 'string' ? given.trim() : ''
  if (sku === '') faults.push(missing('sku'))
  if (sku.length > MAX_SKU) {
    const parameters = { fieldName: 'sku', value: String(MAX_SKU) }
    faults.push({ message: '"%fieldName" must have at most %value characters.', parameters })
  }
  return sku
}

function ownValue(name: string, value: unknown, read: ValueReader): JsonValue | undefined {
  switch (name) {
    case 'price':
    case 'weight':
      return amountOf(name, value, read)
    case 'visibility':
      return oneOf(name, read.whole(name, value), [1, 2, 3, 4], read)
    case 'attribute_set_id':
      return read.whole(name, value)
    case 'type_id':
      return oneOf(name, read.text(name, value), TYPES, read)
    default:
      return read.text(name, value)
  }
}

function amountOf(name: string, value: unknown, read: ValueReader): number | undefined {
  const amount = read.number(name, value)
  if (amount === undefined || amount >= 0) return amount
  read.faults.push({
    message: '"%fieldName" must not be below 0.',
    parameters: { fieldName: name },
  })
  return undefined
}

function oneOf<Value extends string | number>(
  name: string,
  value: Value | undefined,
  allowed: readonly Value[],
  read: ValueReader,
): Value | undefined {
  if (value === undefined || allowed.includes(value)) return value
  const parameters = { fieldName: name, value: String(value), type: allowed.join(', ') }
  read.faults.push({ message: '"%fieldName" must be one of %type, got "%value".', parameters })
  return undefined
}

function statusOf(value: unknown, read: ValueReader): 1 | 2 | undefined {
  const status = read.whole('status', value)
  if (status === 1 || status === 2 || status === undefined) return status
  oneOf('status', status, [1, 2], read)
  return undefined
}

function linkedIds(value: unknown, read: ValueReader): number[] {
  const links = read.list('category_links', value) ?? []
  return links.flatMap((link) => {
    const id = read.object('category_links', link)?.['category_id'] ?? null
    // A link to nothing would take the product out of all its categories.
    if (id === null) read.faults.push(missing('extension_attributes.category_links.category_id'))
    return toIds('category_id', id, read)
  })
}

/** Files are uploaded elsewhere; what was read may be sent back. */
function checkList(name: string, value: unknown, read: ValueReader) {
  const list = value === null ? [] : (read.list(name, value) ?? [])
  const isUpload = (item: unknown) => read.object(name, item)?.['content'] !== undefined
  const isRefused = name === 'media_gallery_entries' ? list.some(isUpload) : list.length > 0
  if (!isRefused) return
  const message =
    name === 'media_gallery_entries'
      ? '"%fieldName" cannot bring files; upload them to /api/v1/media.'
      : '"%fieldName" is not kept here; leave it out or empty.'
  read.faults.push({ message, parameters: { fieldName: name } })
}
