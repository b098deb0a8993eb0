import { type EntryAction, eventNameOf, eventNamesOf, isProduct } from './entries/event-names.ts'
import type { ContentModel, ContentType } from './model.ts'
import { may } from './permissions.ts'

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
    ...productEvents(visibilityOf(model.types.find(isProduct))),
    ...mediaEvents(),
    scheduleEvent(),
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
    visibility: visibilityOf(type),
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

/** What keys of the level `read` may not read, they do not hear of. */
function visibilityOf(type: ContentType | undefined): ContentEventInfo['visibility'] {
  return !type || may('read', type, 'read') ? 'live' : 'staff'
}

function sentenceOf(action: string): string {
  return new Map(Object.entries(DONE)).get(action) ?? action
}

function productEvents(visibility: ContentEventInfo['visibility']): ContentEventInfo[] {
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
      visibility,
      examplePayload,
    })),
    {
      name: 'stock.updated',
      description: 'The stock of a product was changed',
      visibility,
      examplePayload: { sku: 'MUG-1', stock: 3, available: true, previous_stock: 4, live: true },
    },
  ]
}

function scheduleEvent(): ContentEventInfo {
  return {
    name: 'content.schedule_failed',
    description: 'An entry could not be published or unpublished at its time',
    visibility: 'staff',
    examplePayload: {
      ...{ id: 7, document_id: DOCUMENT, content_type: 'article', locale: null },
      ...{ url: '/api/v1/articles/7', action: 'publish', at: AT, code: 'not_publishable' },
      message: 'title is required',
      details: [{ field: 'title', message: 'title is required' }],
      live: false,
    },
  }
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
