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
import type { MediaFolder, MediaItem, MediaList, MediaPage, MediaQuery } from '../media/words.ts'
import type { ContentModel } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import type { AskFiles, FilesRead } from './ask-files.ts'
import type { Filter } from './ast.ts'
import { textAt, wholeAt } from './load/cells.ts'
import { toFile } from './load/files.ts'
import type { Slot, Values } from './slot.ts'
import type { Question } from './templates.ts'

interface MediaRead extends FilesRead, Pick<MediaQuery, 'admits' | 'sort'> {}

const EVERYTHING = { filter: null, search: '', sort: [], start: 0, limit: 0 } as const

/** Media as people see it: files in folders. Folders exist by the files in them. */
export function createFindMedia({ askFiles, fileTemplates }: AskFiles, model: () => ContentModel) {
  const prepare = fileTemplates<MediaRead>()
  const prepareOwn = fileTemplates<FilesRead>()
  return { findMedia, findFolders, findMediaPath }

  async function findMedia(
    viewer: Viewer,
    question: Question<MediaQuery>,
    { within, hasFolders, start, limit }: MediaPage,
  ): Promise<MediaList> {
    const rows = within || hasFolders ? await folderRows(viewer) : []
    const spellings = within ? spellingsIn(rows, within) : []
    const asked = (from: number, size: number) =>
      prepare(viewer, pieceOf(question, within !== null, [from, size, spellings]))
    const { read } = asked(0, 0)
    const admits = (folder: MediaFolder) => hasFolders && read.admits(folder, question.values)
    const folders = listedFolders(rows, within, read.sort, admits)
    const from = Math.max(0, start - folders.length)
    const size = limit === 0 ? 0 : start + limit - from
    const files = await readFiles(asked(from, size), size)
    return {
      items: mergedPage(folders, files.items, read.sort, { from, start, limit }),
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
    const { items } = await readFiles(
      prepareOwn(viewer, {
        model: model(),
        template: 'at a path',
        values: [asked.name, spellings],
        read: ({ text, list }) => ({
          query: {
            ...{ filter: allOf({ ...isNamed, values: [text(0)] }, isOneOf(list(1))) },
            ...{ search: '', sort: [], start: 0, limit: 1 },
          },
        }),
      }),
      1,
    )
    return items[0]
  }

  /** One row for each spelling of a folder in which the viewer sees files. */
  async function folderRows(viewer: Viewer): Promise<readonly FolderRow[]> {
    const read = () => ({ query: EVERYTHING })
    const asked = prepareOwn(viewer, { model: model(), template: 'folders', values: [], read })
    const rows = await askFiles(asked, 'folders')
    return rows.map((row) => ({
      folder: textAt(row, 0),
      created_at: wholeAt(row, 1),
      updated_at: wholeAt(row, 2),
    }))
  }

  /** Files and total come from one statement and so are of one moment. */
  async function readFiles(asked: ReturnType<typeof prepareOwn>, limit: number) {
    const rows = limit > 0 ? await askFiles(asked, 'counted') : []
    const [first] = rows
    const [counted] = first ? [] : await askFiles(asked, 'total')
    const items = rows.map((row) => toItem(toFile(row, 0)))
    return { items, total: Number(first?.at(-1) ?? counted?.[0] ?? 0) }
  }
}

/** One piece of the files of a list; `piece` says where it begins, its size, and in which folders. */
function pieceOf(
  { model, template, values, read }: Question<MediaQuery>,
  isWithin: boolean,
  piece: Values,
): Question<MediaRead> {
  const at = values.length
  return {
    ...{ model, template: `${isWithin} ${template}`, values: [...values, ...piece] },
    read(slots) {
      const { filter, sort: asked, admits } = read(slots)
      const sort = [...asked, { path: ['createdAt'], order: 'asc' } as const]
      const all = allOf(filter, isWithin ? isOneOf(slots.list(at + 2)) : null)
      const page = { start: slots.whole(at), limit: slots.whole(at + 1) }
      return { query: { filter: all, search: '', sort, ...page }, sort, admits }
    },
  }
}

function toItem(file: MediaFile): MediaItem {
  return { kind: 'file', file }
}

function listedFolders(
  rows: readonly FolderRow[],
  within: MediaPage['within'],
  sort: MediaQuery['sort'],
  admits: (folder: MediaFolder) => boolean,
): readonly MediaItem[] {
  const place = within ?? { path: '/', deep: true }
  return foldersOf(rows)
    .filter((folder) => isInside(folder.path, place) && admits(folder))
    .map((folder): MediaItem => ({ kind: 'folder', folder }))
    .sort((one, other) => compareItems(sort, one, other))
}

/** Files directly in the folder lie in it under its own path; with `deep` under those inside it. */
function spellingsIn(rows: readonly FolderRow[], within: NonNullable<MediaPage['within']>) {
  return rows
    .map((row) => row.folder)
    .filter((spelling) => {
      const path = folderPath(spelling)
      return path === within.path || (within.deep && isInside(path, within))
    })
}

function isOneOf(list: Slot<readonly string[]>): Filter {
  const compare = { kind: 'compare', operator: 'in', fold: false, values: [] } as const
  return { ...compare, field: 'folder', list }
}

function allOf(...filters: readonly (Filter | null)[]): Filter {
  return { kind: 'and', of: filters.filter((filter) => filter !== null) }
}
