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

/** Those below the root; `entries` are all that the caller may see. What is under something else is, too. */
function topOf(entries: readonly Entry[]): Found[] {
  const known = new Set(entries.map(({ documentId }) => documentId))
  const byParent = Map.groupBy(entries, ({ parent }) =>
    parent !== null && known.has(parent) ? parent : null,
  )
  return childrenOf(byParent, null, rootOf(entries).id, 1, [])
}

/** All categories in the order of the tree. */
function flattened(entries: readonly Entry[]) {
  return topOf(entries).flatMap(function all(found): Found[] {
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

/** Down to `depth` levels below the root, or below the category `from`; undefined when there is none. */
export function renderTree(entries: readonly Entry[], from: number | undefined, depth: number) {
  const root = rootOf(entries)
  if (from !== undefined && from !== root.id) {
    const found = flattened(entries).find(({ entry }) => entry.id === from)
    return found && { ...found.category, children_data: toTrees(found.children, depth) }
  }
  const children = topOf(entries)
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
  byParent: ReadonlyMap<string | null, readonly Entry[]>,
  parent: string | null,
  parentId: number,
  level: number,
  above: readonly number[],
): Found[] {
  return (byParent.get(parent) ?? [])
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
      const children = childrenOf(byParent, entry.documentId, entry.id, level + 1, path)
      return { entry, category, path, children }
    })
}
