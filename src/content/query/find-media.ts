import type { MediaFile } from '../entry.ts'
import { fold } from '../fold.ts'
import {
  type FolderRow,
  folderPath,
  foldersOf,
  isInside,
  parseMediaPath,
} from '../media/folders.ts'
import { compareItems, mergedPage } from '../media/merge.ts'
import type { MediaFolder, MediaItem, MediaList, MediaQuery } from '../media/words.ts'
import type { Viewer } from '../viewer.ts'
import type { AskFiles, FilesQuery } from './ask-files.ts'
import type { Filter, SortKey } from './ast.ts'
import { textAt, wholeAt } from './load/cells.ts'
import { toFile } from './load/files.ts'

const EVERYTHING = { filter: null, search: '', sort: [], start: 0, limit: 0 } as const

/** Media as people see it: files in folders. Folders exist by the files in them. */
export function createFindMedia(askFiles: AskFiles) {
  return { findMedia, findFolders, findMediaPath }

  async function findMedia(viewer: Viewer, query: MediaQuery): Promise<MediaList> {
    const { start, limit } = query
    const sort = [...query.sort, { path: ['createdAt'], order: 'asc' } as const]
    const rows = query.within || query.folders ? await folderRows(viewer) : []
    const folders = listedFolders(rows, query, sort)
    const from = Math.max(0, start - folders.length)
    const filter = allOf(query.filter, query.within && inside(rows, query.within))
    const size = limit === 0 ? 0 : start + limit - from
    const files = await readFiles(viewer, { filter, sort, start: from, limit: size })
    return {
      items: mergedPage(folders, files.items, sort, { from, start, limit }),
      total: files.total + folders.length,
    }
  }

  async function findFolders(viewer: Viewer): Promise<readonly MediaFolder[]> {
    return foldersOf(await folderRows(viewer))
  }

  async function findMediaPath(viewer: Viewer, path: string): Promise<MediaItem | undefined> {
    const asked = parseMediaPath(path)
    if (!asked) return undefined
    const rows = await folderRows(viewer)
    const whole = asked.parent === '/' ? `/${asked.name}` : `${asked.parent}/${asked.name}`
    const folder = foldersOf(rows).find((each) => fold(each.path) === whole)
    if (folder) return { kind: 'folder', folder }
    const spellings = rows
      .map((row) => row.folder)
      .filter((spelling) => fold(folderPath(spelling)) === asked.parent)
    const isNamed = { kind: 'compare', field: 'name', operator: 'eq', fold: true } as const
    const filter = allOf({ ...isNamed, values: [asked.name] }, isOneOf(spellings))
    const { items } = await readFiles(viewer, { filter, sort: [], start: 0, limit: 1 })
    return items[0]
  }

  /** One row for each spelling of a folder in which the viewer sees files. */
  async function folderRows(viewer: Viewer): Promise<readonly FolderRow[]> {
    const rows = await askFiles(viewer, 'folders', EVERYTHING)
    return rows.map((row) => ({
      folder: textAt(row, 0),
      created_at: wholeAt(row, 1),
      updated_at: wholeAt(row, 2),
    }))
  }

  /** Files and total come from one statement and so are of one moment. */
  async function readFiles(viewer: Viewer, page: Page) {
    const query = { ...page, search: '' }
    const rows = page.limit > 0 ? await askFiles(viewer, 'counted', query) : []
    const [first] = rows
    const [counted] = first ? [] : await askFiles(viewer, 'total', query)
    const items = rows.map((row) => toItem(toFile(row, 0)))
    return { items, total: Number(first?.at(-1) ?? counted?.[0] ?? 0) }
  }
}

type Page = Omit<FilesQuery, 'search' | 'nulls'>

function toItem(file: MediaFile): MediaItem {
  return { kind: 'file', file }
}

function listedFolders(
  rows: readonly FolderRow[],
  { within, folders }: MediaQuery,
  sort: readonly SortKey[],
): readonly MediaItem[] {
  if (!folders) return []
  const place = within ?? { path: '/', deep: true }
  return foldersOf(rows)
    .filter((folder) => isInside(folder.path, place) && folders(folder))
    .map((folder): MediaItem => ({ kind: 'folder', folder }))
    .sort((one, other) => compareItems(sort, one, other))
}

/** Files directly in the folder lie in it under its own path; with `deep` under those inside it. */
function inside(rows: readonly FolderRow[], within: NonNullable<MediaQuery['within']>): Filter {
  const spellings = rows
    .map((row) => row.folder)
    .filter((spelling) => {
      const path = folderPath(spelling)
      return path === within.path || (within.deep && isInside(path, within))
    })
  return isOneOf(spellings)
}

function isOneOf(spellings: readonly string[]): Filter {
  const compare = { kind: 'compare', operator: 'in', fold: false } as const
  return { ...compare, field: 'folder', values: spellings }
}

function allOf(...filters: readonly (Filter | null)[]): Filter {
  return { kind: 'and', of: filters.filter((filter) => filter !== null) }
}
