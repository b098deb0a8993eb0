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

const ACTIONS = ['created', 'updated', 'deleted', 'published', 'unpublished'] as const

export type EntryAction = (typeof ACTIONS)[number]

/** `article.published` */
export function eventNameOf(
  { singularName }: Pick<ContentType, 'singularName'>,
  action: EntryAction,
) {
  return `${OTHERS.has(singularName) ? 'content_' : ''}${singularName}.${action}`
}

/** All events that entries of the type may raise. */
export function eventNamesOf(type: Pick<ContentType, 'singularName'>): readonly string[] {
  return ACTIONS.map((action) => eventNameOf(type, action))
}
