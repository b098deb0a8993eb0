/** From entries to the text of products: joined as text, because lists show many of them. */
import { CATEGORIES, CUSTOM_ATTRIBUTES, isCustom, STOCK_ITEM, STOCK_MEMBERS } from '#commerce'
import type { Entry, Included, JsonObject, JsonValue, MediaFile, Part } from '#content'
import type { ContentType } from '#content-model'
import { isObject, memoizeOf } from '#kernel'
import { renderWireTime, toWireTime } from './times.ts'

/** What the dialect's own stock items say where nothing else is stored. */
const STOCK_DEFAULTS = {
  is_qty_decimal: false,
  manage_stock: true,
  use_config_manage_stock: true,
  min_qty: 0,
  min_sale_qty: 1,
  max_sale_qty: 10_000,
  backorders: 0,
}
const STOCK_REST = JSON.stringify(STOCK_DEFAULTS).slice(1)

/** A product with all its members (contract §4.1); `entry` has what is shown of categories and files included. */
export function renderProductText(entry: Entry): string {
  const values = entry.values()
  const categories = idsIn(entry.included.get(CATEGORIES))
  const created = renderWireTime(entry.createdAtMs)
  const updated =
    entry.updatedAtMs === entry.createdAtMs ? created : renderWireTime(entry.updatedAtMs)
  return `{"id":${entry.id},"sku":${text(values['sku'])},"name":${text(values['name'])},"attribute_set_id":${number(values['attribute_set_id'], '4')},"price":${number(values['price'])},"status":${entry.status === 'draft' ? 2 : 1},"visibility":${number(values['visibility'], '4')},"type_id":${typeIdOf(values)},"created_at":"${created}","updated_at":"${updated}","weight":${number(values['weight'])},"extension_attributes":{"website_ids":[1],"category_links":[${linksTo(categories)}],"stock_item":${renderStockItem(entry)}},"product_links":[],"options":[],"media_gallery_entries":${renderGallery(entry)},"tier_prices":[],"custom_attributes":[${attributesOf(entry, values, categories)}]}`
}

export function renderStockItem(entry: Entry): string {
  const values = entry.values()
  const stored = values[STOCK_ITEM]
  const { id } = entry
  const own = `{"item_id":${id},"product_id":${id},"stock_id":1,"qty":${quantityOf(values)},"is_in_stock":${isInStock(values)},`
  if (!isObject(stored)) return own + STOCK_REST
  const { item_id, product_id, stock_id, qty, is_in_stock, ...others } = stored
  return own + JSON.stringify({ ...STOCK_DEFAULTS, ...others }).slice(1)
}

export function renderStockStatus(entry: Entry): string {
  const values = entry.values()
  const quantity = quantityOf(values)
  const status = isInStock(values) && quantity > 0 ? 1 : 0
  return `{"product_id":${entry.id},"stock_id":1,"qty":${quantity},"stock_status":${status},"stock_item":${renderStockItem(entry)}}`
}

/** The files of all media attributes, in the order of the attributes. */
export function renderGallery({ type, included }: Entry): string {
  const files = shownOf(type).media.flatMap((name) =>
    filesIn(included.get(name)).map((file) => ({ name, file })),
  )
  if (files.length === 0) return '[]'
  return JSON.stringify(
    files.map(({ name, file }, at) => ({
      id: file.id,
      media_type: file.mime.startsWith('video/') ? 'external-video' : 'image',
      label: file.alternativeText,
      position: at + 1,
      disabled: false,
      types: at === 0 && name === 'image' ? ['image', 'small_image', 'thumbnail'] : [],
      file: file.url,
    })),
  )
}

interface CustomValue {
  readonly name: string
  readonly begin: string
  render(value: JsonValue): string
}

interface Shown {
  /** Values among the custom attributes, with the text before each. */
  readonly custom: readonly CustomValue[]
  readonly related: readonly string[]
  readonly components: readonly string[]
  readonly media: readonly string[]
}

const shownOf = memoizeOf((type: ContentType): Shown => {
  const named = (kind: string) => type.attributes.filter((each) => each.type === kind)
  const own = type.attributes.filter(({ name }) => isCustom(name))
  return {
    custom: own
      .filter(({ type: kind }) => !['relation', 'media', 'component'].includes(kind))
      .map(({ name, type: kind }) => ({ name, begin: beginOf(name), render: rendererOf(kind) })),
    related: own.filter(({ type: kind }) => kind === 'relation').map(({ name }) => name),
    components: own.filter(({ type: kind }) => kind === 'component').map(({ name }) => name),
    media: named('media').map(({ name }) => name),
  }
})

function attributesOf(
  { type, included }: Entry,
  values: JsonObject,
  categories: readonly number[],
): string {
  const { custom, related, components } = shownOf(type)
  let shown = ''
  for (const { name, begin, render } of custom) {
    const value = values[name]
    if (value !== null && value !== undefined) shown += `${begin}${render(value)}},`
  }
  for (const name of related) {
    const ids = idsIn(included.get(name))
    if (ids.length > 0) shown += `${beginOf(name)}[${quoted(ids)}]},`
  }
  for (const name of components) {
    const value = renderComponents(included.get(name))
    if (value !== undefined) shown += `${beginOf(name)}${JSON.stringify(value)}},`
  }
  if (categories.length > 0) shown += `${beginOf('category_ids')}[${quoted(categories)}]},`
  const others = values[CUSTOM_ATTRIBUTES]
  if (isObject(others)) {
    for (const [name, value] of Object.entries(others)) {
      shown += `${beginOf(name)}${JSON.stringify(value)}},`
    }
  }
  return shown.slice(0, -1)
}

/** Times and days in the form of the dialect (contract §2). */
function rendererOf(kind: string): CustomValue['render'] {
  if (kind === 'datetime') return (value) => `"${toWireTime(String(value))}"`
  if (kind === 'date') return (value) => `"${value} 00:00:00"`
  return (value) => JSON.stringify(value)
}

function beginOf(name: string): string {
  return `{"attribute_code":${JSON.stringify(name)},"value":`
}

function linksTo(ids: readonly number[]): string {
  return ids.map((id, position) => `{"position":${position},"category_id":"${id}"}`).join()
}

/** Ids are texts, as the dialect has them. */
function quoted(ids: readonly number[]): string {
  return ids.map((id) => `"${id}"`).join()
}

function typeIdOf(values: JsonObject): string {
  const given = values['type_id']
  return typeof given === 'string' ? JSON.stringify(given) : '"simple"'
}

function quantityOf(values: JsonObject): number {
  const stock = values[STOCK_MEMBERS.qty]
  return typeof stock === 'number' ? stock : 0
}

function isInStock(values: JsonObject): boolean {
  return values[STOCK_MEMBERS.is_in_stock] === true
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? JSON.stringify(value) : 'null'
}

function number(value: JsonValue | undefined, fallback = 'null'): string {
  return typeof value === 'number' ? String(value) : fallback
}

function idsIn(included: Included | undefined): readonly number[] {
  return included?.kind === 'ids' ? included.ids.map(({ id }) => id) : []
}

function filesIn(included: Included | undefined): readonly MediaFile[] {
  if (included?.kind === 'files') return included.files
  return included?.kind === 'file' && included.file ? [included.file] : []
}

/** Components as they are written: with their ids, and what they refer to by ids. None: undefined. */
function renderComponents(included: Included | undefined): JsonValue | undefined {
  if (included?.kind === 'parts') {
    return included.parts.length > 0 ? included.parts.map(renderPart) : undefined
  }
  return included?.kind === 'part' && included.part ? renderPart(included.part) : undefined
}

function renderPart(part: Part): JsonObject {
  const { component, included } = part
  const values = part.values()
  const shown: Record<string, JsonValue> = { id: part.id }
  for (const attribute of component.attributes) {
    const found = included.get(attribute.name)
    const value = found ? within(found) : values[attribute.name]
    if (value !== undefined) shown[attribute.name] = value
  }
  return shown
}

function within(included: Included): JsonValue {
  if (included.kind === 'ids') return included.ids.map(({ id }) => id)
  return renderComponents(included) ?? (included.kind === 'parts' ? [] : null)
}
