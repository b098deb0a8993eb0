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

export type EntryAction = 'created' | 'updated' | 'deleted' | 'published' | 'unpublished'

/** `article.published` */
export function eventNameOf(
  { singularName }: Pick<ContentType, 'singularName'>,
  action: EntryAction,
) {
  return `${OTHERS.has(singularName) ? 'content_' : ''}${singularName}.${action}`
}
