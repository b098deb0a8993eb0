import { compareBytes } from '#kernel'
import { fold } from '../fold.ts'
import type { SortKey } from '../query/ast.ts'
import type { MediaItem } from './words.ts'

type Value = string | number | null

/**
 * One page of two sorted lists. `files` begin with the one at `from` of all files, which is as many
 * before the page as there are folders, so that all files of the page are among them.
 */
export function mergedPage(
  folders: readonly MediaItem[],
  files: readonly MediaItem[],
  sort: readonly SortKey[],
  { from, start, limit }: { readonly from: number; readonly start: number; readonly limit: number },
): readonly MediaItem[] {
  // Sorting is stable, so folders come before files that are equal.
  const all = [...folders, ...files].sort((one, other) => compareItems(sort, one, other))
  return all.slice(start - from, start - from + limit)
}

export function compareItems(sort: readonly SortKey[], one: MediaItem, other: MediaItem): number {
  for (const { path, order } of sort) {
    const difference = compareValues(shownValue(one, path[0]), shownValue(other, path[0]))
    if (difference !== 0) return order === 'asc' ? difference : -difference
  }
  return 0
}

/** Folders have no other values, which sorts them lowest. */
function shownValue(item: MediaItem, field: string | undefined): Value {
  const shown = item.kind === 'file' ? item.file : item.folder
  if (field === 'name') return shown.name
  if (field === 'createdAt') return shown.createdAtMs
  if (field === 'updatedAt') return shown.updatedAtMs
  return null
}

function compareValues(one: Value, other: Value): number {
  if (typeof one === 'string' && typeof other === 'string') {
    return compareBytes(fold(one), fold(other)) || compareBytes(one, other)
  }
  return Number(one) - Number(other)
}
