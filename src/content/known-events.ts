import { type EntryAction, eventNameOf, eventNamesOf, isProduct } from './entries/event-names.ts'
import type { ContentModel, ContentType } from './model.ts'

/** An event that the content store emits, for whoever offers subscriptions. */
export interface ContentEventInfo {
  readonly name: string
  readonly description: string
  readonly examplePayload: Readonly<Record<string, unknown>>
  readonly visibility: 'live' | 'staff'
}

const AT = '2026-05-04T10:20:30.123Z'
const DOCUMENT = '0195a8c2-7c1e-7b3a-9d44-1f6a2b90c001'

const DONE: Readonly<Record<EntryAction, string>> = {
  created: 'was created',
  updated: 'was changed',
  deleted: 'was deleted',
  published: 'was published',
  unpublished: 'was unpublished',
}

/** Webhooks contract §3.1: those of products and files always, five for every other type. */
export function contentEvents(model: ContentModel): ContentEventInfo[] {
  const types = model.types.filter((type) => !isProduct(type))
  return [
    ...productEvents(),
    ...mediaEvents(),
    ...types.flatMap((type) => eventNamesOf(type).map((name) => entryEvent(model, type, name))),
  ]
}

function entryEvent(model: ContentModel, type: ContentType, name: string): ContentEventInfo {
  const action = name.slice(name.lastIndexOf('.') + 1)
  const isGone = action === 'unpublished'
  const { singularName, pluralName, kind, displayName } = type
  const url = kind === 'singleType' ? `/api/v1/${singularName}` : `/api/v1/${pluralName}/7`
  return {
    name,
    description: `${displayName} ${sentenceOf(action)}`,
    visibility: 'live',
    examplePayload: {
      id: 7,
      document_id: DOCUMENT,
      content_type: singularName,
      locale: type.localized ? model.defaultLocale : null,
      status: isGone ? 'draft' : 'published',
      version: action === 'created' ? 1 : 4,
      updated_at: AT,
      url,
      live: true,
    },
  }
}

function sentenceOf(action: string): string {
  return new Map(Object.entries(DONE)).get(action) ?? action
}

function productEvents(): ContentEventInfo[] {
  const product = { singularName: 'product' }
  const examplePayload = {
    id: 42,
    sku: 'MUG-1',
    name: 'Mug',
    price: 12.5,
    status: 'published',
    updated_at: AT,
    live: true,
  }
  const actions = ['created', 'updated', 'deleted'] as const
  return [
    ...actions.map((action) => ({
      name: eventNameOf(product, action),
      description: `A product ${DONE[action]}`,
      visibility: 'live' as const,
      examplePayload,
    })),
    {
      name: 'stock.updated',
      description: 'The stock of a product was changed',
      visibility: 'live',
      examplePayload: { sku: 'MUG-1', stock: 3, available: true, previous_stock: 4, live: true },
    },
  ]
}

function mediaEvents(): ContentEventInfo[] {
  const examplePayload = { id: 5, url: '/uploads/crane_4f1c9a.png', mime: 'image/png', size: 18.21 }
  return [
    {
      name: 'media.created',
      description: 'A file was uploaded',
      visibility: 'staff',
      examplePayload,
    },
    {
      name: 'media.deleted',
      description: 'A file was deleted',
      visibility: 'staff',
      examplePayload,
    },
  ]
}
