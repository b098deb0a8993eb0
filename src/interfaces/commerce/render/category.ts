import type { Entry } from '#content'
import { renderWireTime } from './times.ts'

interface Category {
  readonly id: number
  readonly parent_id: number
  readonly name: string
  readonly is_active: boolean
  readonly position: number
  readonly level: number
}

interface CategoryTree extends Category {
  readonly children_data: readonly CategoryTree[]
}

interface Root {
  readonly id: number
  readonly parent_id: number | null
}

/** Above all categories, which are numbered as entries are: it has no entry (contract §8). */
const ROOT: Root = { id: 1, parent_id: 0 }
/** Where a category has the number 1: nothing may be its own parent, and no category changes its number. */
const OTHER_ROOT: Root = { id: 0, parent_id: null }

function rootOf(entries: readonly Entry[]): Root {
  return entries.some(({ id }) => id === ROOT.id) ? OTHER_ROOT : ROOT
}

/** All categories in the order of the tree; `entries` are all that the caller may see. */
function flattened(entries: readonly Entry[]) {
  return childrenOf(entries, null, rootOf(entries).id, 1, []).flatMap(function all(found): Found[] {
    return [found, ...found.children.flatMap(all)]
  })
}

export function renderCategories(entries: readonly Entry[]) {
  const root = rootOf(entries)
  return flattened(entries).map(({ entry, category, path }) => ({
    ...category,
    created_at: renderWireTime(entry.createdAtMs),
    updated_at: renderWireTime(entry.updatedAtMs),
    path: [root.id, ...path].join('/'),
    include_in_menu: true,
  }))
}

/** Down to `depth` levels below the root. */
export function renderTree(entries: readonly Entry[], depth: number) {
  const root = rootOf(entries)
  const children = childrenOf(entries, null, root.id, 1, [])
  return {
    ...root,
    name: 'Root Catalog',
    is_active: true,
    position: 0,
    level: 0,
    children_data: toTrees(children, depth),
  }
}

interface Found {
  readonly entry: Entry
  readonly category: Category
  readonly path: readonly number[]
  readonly children: readonly Found[]
}

function toTrees(found: readonly Found[], depth: number): CategoryTree[] {
  if (depth < 1) return []
  return found.map(({ category, children }) => ({
    ...category,
    children_data: toTrees(children, depth - 1),
  }))
}

function childrenOf(
  entries: readonly Entry[],
  parent: string | null,
  parentId: number,
  level: number,
  above: readonly number[],
): Found[] {
  return entries
    .filter((entry) => entry.parent === parent)
    .toSorted((one, other) => one.sortOrder - other.sortOrder || one.id - other.id)
    .map((entry, at) => {
      const path = [...above, entry.id]
      const name = entry.values()['name']
      const category = {
        id: entry.id,
        parent_id: parentId,
        name: typeof name === 'string' ? name : '',
        is_active: entry.status !== 'draft',
        position: at + 1,
        level,
      }
      const children = childrenOf(entries, entry.documentId, entry.id, level + 1, path)
      return { entry, category, path, children }
    })
}
