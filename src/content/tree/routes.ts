import { variantAbove } from '../entries/paths.ts'
import type { ContentModel, ContentType } from '../model.ts'
import type { AboveRow } from './store.ts'
import type { Route, RoutedEntry, StartItem } from './words.ts'

/** What stands above each parent, by the parent's documentId, nearest first. */
export type Above = ReadonlyMap<string, readonly AboveRow[]>

export function collectionStart(type: ContentType): StartItem {
  return { kind: 'collection', id: type.uuid, path: type.pluralName, type }
}

export function rootStart(type: ContentType, documentId: string): StartItem {
  return { kind: 'root', id: documentId, path: '', type }
}

/** Where the route of an entry begins. */
export function startOf(model: ContentModel, above: Above, entry: RoutedEntry): StartItem {
  const { type, documentId, parent, isRoot } = entry
  if (isRoot) return rootStart(type, documentId)
  const own = parent === null ? undefined : above.get(parent)
  return (own && topOf(model, own, entry.locale ?? '')) ?? collectionStart(type)
}

/** The variants an entry hangs below by its language, up to a root or to one without a parent. */
function topOf(
  model: ContentModel,
  rows: readonly AboveRow[],
  locale: string,
): StartItem | undefined {
  for (const variants of Map.groupBy(rows, ({ depth }) => depth).values()) {
    const above = variantAbove(variants, locale, model.defaultLocale)
    const type = above && model.typeByNo(above.type_no)
    if (!type) return undefined
    if (above.is_root === 1) return rootStart(type, above.document_id)
    if (above.parent === null) return collectionStart(type)
  }
  return undefined
}

export function routeOf(model: ContentModel, above: Above, entry: RoutedEntry): Route {
  const { id, path, type, kind } = startOf(model, above, entry)
  const startItem = { id, path }
  // Without a path of its own it can still be asked for by its id.
  if (entry.path === null) return { path: `/${entry.documentId}/`, startItem }
  if (entry.isRoot) return { path: '/', startItem }
  const prefix = kind === 'collection' ? prefixOf(type) : ''
  const own = entry.path.startsWith(`${prefix}/`) ? entry.path.slice(prefix.length) : entry.path
  return { path: `${own}/`, startItem }
}

/** The stored path of what stands at these steps below a start item. */
export function pathBelow({ kind, type }: StartItem, steps: readonly string[]): string {
  return `${kind === 'collection' ? prefixOf(type) : ''}/${steps.join('/')}`
}

/** The one entry of a single type stands at its name, beside the collections. */
function prefixOf({ kind, pluralName }: ContentType): string {
  return kind === 'singleType' ? '' : `/${pluralName}`
}
