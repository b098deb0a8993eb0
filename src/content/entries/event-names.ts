import type { ContentType } from '../model.ts'

/** Other parts of the product have events of these names (webhooks contract §3.1). */
const OTHERS: ReadonlySet<string> = new Set([
  'run',
  'order',
  'stock',
  'webhook',
  'media',
  'bulk',
  'key',
  'usage',
  'gateway',
])

/** Of products: their stock has a row of its own in the catalogue. */
export const STOCK_EVENT = 'stock.updated'

const ACTIONS = ['created', 'updated', 'deleted', 'published', 'unpublished'] as const

export type EntryAction = (typeof ACTIONS)[number]

/** The names of all events that tell of entries of this type. */
export function eventNamesOf(type: Pick<ContentType, 'singularName'>): readonly string[] {
  const told = ACTIONS.filter((action) => !isProduct(type) || !isPublication(action))
  const names = told.map((action) => eventNameOf(type, action))
  return isProduct(type) ? [...names, STOCK_EVENT] : names
}

/** Products have a row of their own in the catalogue, in which publishing is an update. */
export function isProduct({ singularName }: Pick<ContentType, 'singularName'>): boolean {
  return singularName === 'product'
}

export function isPublication(action: EntryAction): boolean {
  return action === 'published' || action === 'unpublished'
}

/** `article.published` */
export function eventNameOf(
  { singularName }: Pick<ContentType, 'singularName'>,
  action: EntryAction,
) {
  return `${OTHERS.has(singularName) ? 'content_' : ''}${singularName}.${action}`
}
