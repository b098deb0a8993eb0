import { CUSTOM_ATTRIBUTES, isCustom, OWN_MEMBERS, STOCK_ITEM, STOCK_MEMBERS } from '#commerce'
import type { Entry, Included, JsonObject, JsonValue, MediaFile } from '#content'
import { isObject } from '#kernel'
import { renderWireTime } from './times.ts'

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

/** A product with all its members (contract §4.1); `entry` has categories and files included. */
export function renderProduct(entry: Entry) {
  const values = entry.values()
  const categoryIds = idsIn(entry.included.get('categories'))
  return {
    id: entry.id,
    ...Object.fromEntries([...OWN_MEMBERS].slice(0, 2).map((own) => memberOf(values, own))),
    attribute_set_id: memberOf(values, ['attribute_set_id', 4])[1],
    price: values['price'] ?? null,
    status: entry.status === 'draft' ? 2 : 1,
    visibility: memberOf(values, ['visibility', 4])[1],
    type_id: memberOf(values, ['type_id', 'simple'])[1],
    created_at: renderWireTime(entry.createdAtMs),
    updated_at: renderWireTime(entry.updatedAtMs),
    weight: values['weight'] ?? null,
    extension_attributes: {
      website_ids: [1],
      category_links: categoryIds.map((id, position) => ({ position, category_id: id })),
      stock_item: renderStockItem(entry),
    },
    product_links: [],
    options: [],
    media_gallery_entries: renderGallery(entry),
    tier_prices: [],
    custom_attributes: [...attributesOf(entry, values, categoryIds)],
  }
}

export function renderStockItem(entry: Entry) {
  const values = entry.values()
  const stored = values[STOCK_ITEM]
  return {
    item_id: entry.id,
    product_id: entry.id,
    stock_id: 1,
    qty: quantityOf(values),
    is_in_stock: values[STOCK_MEMBERS.is_in_stock] === true,
    ...STOCK_DEFAULTS,
    ...(isObject(stored) ? stored : {}),
  }
}

export function renderStockStatus(entry: Entry) {
  const item = renderStockItem(entry)
  const isAvailable = item.is_in_stock && item.qty > 0
  return {
    product_id: entry.id,
    stock_id: 1,
    qty: item.qty,
    stock_status: isAvailable ? 1 : 0,
    stock_item: item,
  }
}

/** The files of all media attributes, in the order of the attributes. */
export function renderGallery({ type, included }: Entry) {
  const media = type.attributes.filter((attribute) => attribute.type === 'media')
  const files = media.flatMap(({ name }) =>
    filesIn(included.get(name)).map((file) => ({ name, file })),
  )
  return files.map(({ name, file }, at) => ({
    id: file.id,
    media_type: file.mime.startsWith('video/') ? 'external-video' : 'image',
    label: file.alternativeText,
    position: at + 1,
    disabled: false,
    types: at === 0 && name === 'image' ? ['image', 'small_image', 'thumbnail'] : [],
    file: file.url,
  }))
}

function quantityOf(values: JsonObject): number {
  const stock = values[STOCK_MEMBERS.qty]
  return typeof stock === 'number' ? stock : 0
}

function memberOf(values: JsonObject, [name, fallback]: readonly [string, JsonValue]) {
  return [name, values[name] ?? fallback] as const
}

function* attributesOf(entry: Entry, values: JsonObject, categoryIds: readonly string[]) {
  for (const { name, type } of entry.type.attributes) {
    if (!isCustom(name)) continue
    if (type === 'relation') {
      const ids = idsIn(entry.included.get(name))
      if (ids.length > 0) yield { attribute_code: name, value: ids }
      continue
    }
    const value = values[name] ?? null
    if (value !== null) yield { attribute_code: name, value }
  }
  if (categoryIds.length > 0) yield { attribute_code: 'category_ids', value: categoryIds }
  const others = values[CUSTOM_ATTRIBUTES]
  if (!isObject(others)) return
  for (const [name, value] of Object.entries(others)) yield { attribute_code: name, value }
}

/** Texts, as the dialect has them. */
function idsIn(included: Included | undefined): string[] {
  return included?.kind === 'ids' ? included.ids.map(({ id }) => String(id)) : []
}

function filesIn(included: Included | undefined): readonly MediaFile[] {
  if (included?.kind === 'files') return included.files
  return included?.kind === 'file' && included.file ? [included.file] : []
}
