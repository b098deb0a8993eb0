import type { NewEvent } from '#events'
import { renderTime } from '#kernel'
import type { JsonValue } from '../json.ts'
import type { ContentType } from '../model.ts'
import type { Body } from './body.ts'
import {
  type EntryAction,
  eventNameOf,
  isProduct,
  isPublication,
  STOCK_EVENT,
} from './event-names.ts'
import { statusOf } from './render.ts'
import type { Registered } from './store/registry.ts'

/** What one write did to one entry. */
export interface Happened {
  readonly type: ContentType
  readonly entry: Registered
  readonly body: Body
  readonly actions: readonly EntryAction[]
  /** The live copy appeared, changed or went away. */
  readonly live: boolean
  readonly url: string
}

/** Products have a row of their own in the catalogue: no publishing, and what shops ask for. */
export function eventsOf(happened: Happened): NewEvent[] {
  return isProduct(happened.type) ? productEvents(happened) : entryEvents(happened)
}

function entryEvents({ type, entry, actions, live, url }: Happened): NewEvent[] {
  const payload = {
    id: entry.id,
    document_id: entry.document_id,
    content_type: type.singularName,
    locale: type.localized ? entry.locale : null,
    status: statusOf(entry),
    version: entry.version,
    updated_at: renderTime(entry.updated_at),
    url,
    live,
  }
  return actions.map((action) => ({ type: eventNameOf(type, action), payload, live }))
}

function productEvents({ type, entry, body, actions, live }: Happened): NewEvent[] {
  const payload = {
    id: entry.id,
    // The feed of changes names every entry by these.
    document_id: entry.document_id,
    locale: type.localized ? entry.locale : null,
    sku: valueIn(type, body, 'sku'),
    name: valueIn(type, body, 'name'),
    price: valueIn(type, body, 'price'),
    status: statusOf(entry),
    updated_at: renderTime(entry.updated_at),
    live,
  }
  const told = actions.map((action) => (isPublication(action) ? 'updated' : action))
  const first = told.includes('created') ? ['created' as const] : [...new Set(told)]
  return first.map((action) => ({ type: eventNameOf(type, action), payload, live }))
}

/** Attributes whose change has an event of its own. */
const STOCK: ReadonlySet<string> = new Set(['stock', 'is_in_stock'])

export function hasOwnEvent(type: ContentType, attributeName: string): boolean {
  return isProduct(type) && STOCK.has(attributeName)
}

/** `live`: the product is published. */
export function stockEvent(
  type: ContentType,
  entry: Registered,
  before: Body,
  after: Body,
): NewEvent {
  const live = entry.has_live === 1
  const stock = valueIn(type, after, 'stock')
  const isInStock = valueIn(type, after, 'is_in_stock') !== false
  const payload = {
    sku: valueIn(type, after, 'sku'),
    stock,
    available: isInStock && typeof stock === 'number' && stock > 0,
    previous_stock: valueIn(type, before, 'stock'),
    live,
    // The feed of changes names every entry by these.
    id: entry.id,
    document_id: entry.document_id,
    locale: type.localized ? entry.locale : null,
  }
  return { type: STOCK_EVENT, payload, live }
}

function valueIn(type: ContentType, { values }: Body, name: string): JsonValue {
  const attribute = type.attribute.get(name)
  return (attribute && values.get(attribute.no)) ?? null
}

/** Where `/api/v1` has an entry. */
export function pathInApi(type: ContentType, { id }: Registered): string {
  if (type.kind === 'singleType') return `/api/v1/${type.singularName}`
  return `/api/v1/${type.pluralName}/${id}`
}
