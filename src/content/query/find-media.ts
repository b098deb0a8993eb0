import type { MediaFile } from '../entry.ts'
import { fold } from '../fold.ts'
import { findFolderIds } from '../media/folder-store.ts'
import {
  type FolderIds,
  type FolderRow,
  folderPath,
  foldersOf,
  isInside,
  parseMediaPath,
} from '../media/folders.ts'
import { compareItems, mergedPage } from '../media/merge.ts'
import type { MediaFolder, MediaItem, MediaList, MediaPage, MediaQuery } from '../media/words.ts'
import type { Viewer } from '../viewer.ts'
import { allOf as allFilters, compare, isOneOf } from './dialect/filters.ts'
import type { createFind, FilesRead, FindDeps } from './find.ts'
import { type Piece, sql } from './fragment.ts'
import { textAt, wholeAt } from './load/rows.ts'
import { mediaShownTo } from './media-shown.ts'
import { type Asking, toAsking } from './plan.ts'
import type { Condition } from './resolved.ts'
import { createRunner } from './run.ts'
import type { Values } from './slot.ts'
import { allOf, type Compiling, createPlanning } from './sql/context.ts'
import { compileCondition } from './sql/filter.ts'
import { createTemplates, type Question } from './templates.ts'
import { firstPage } from './walk.ts'

interface MediaRead extends FilesRead, Pick<MediaQuery, 'admits' | 'sort'> {}

/** Media as people see it: files in folders. Folders exist by the files in them. */
export function createFindMedia(
  { readFiles, fileTemplates }: Pick<ReturnType<typeof createFind>, 'readFiles' | 'fileTemplates'>,
  { db, model, countPlan }: FindDeps,
) {
  const prepare = fileTemplates<MediaRead>()
  const preparePath = fileTemplates()
  const runner = createRunner(db.main)
  const prepareFolders = createTemplates<object, object, Asking>({ model, make, sizeOf: () => 0 })
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
    const admits = (folder: MediaFolder) => read.admits(folder, question.values)
    const all = hasFolders ? foldersOf(rows, await folderIds()) : []
    const folders = listedFolders(all, within, read.sort, admits)
    const from = Math.max(0, start - folders.length)
    const size = limit === 0 ? 0 : start + limit - from
    const { files, total } = await readFiles(asked(from, size))
    return {
      items: mergedPage(folders, files.map(toItem), read.sort, { from, start, limit }),
      total: (total ?? 0) + folders.length,
    }
  }

  async function findFolders(viewer: Viewer): Promise<readonly MediaFolder[]> {
    return foldersOf(await folderRows(viewer), await folderIds())
  }

  async function findMediaPath(viewer: Viewer, path: string): Promise<MediaItem | undefined> {
    const asked = parseMediaPath(path)
    if (!asked) return undefined
    const rows = await folderRows(viewer)
    const whole = asked.parent === '/' ? `/${asked.name}` : `${asked.parent}/${asked.name}`
    const folder = foldersOf(rows, await folderIds()).find((each) => fold(each.path) === whole)
    if (folder) return { kind: 'folder', folder }
    const spellings = rows
      .map((row) => row.folder)
      .filter((spelling) => fold(folderPath(spelling)) === asked.parent)
    const { files } = await readFiles(
      preparePath(viewer, {
        model: model(),
        template: 'at a path',
        values: [asked.name, spellings],
        read: ({ text, list }) => ({
          query: {
            filter: {
              kind: 'and',
              of: [compare('name', 'eq', text(0), { fold: true }), isOneOf('folder', list(1))],
            },
            ...{ search: '', sort: [] },
            page: firstPage(1),
          },
        }),
      }),
    )
    return files[0] && toItem(files[0])
  }

  function folderIds(): Promise<FolderIds> {
    return findFolderIds(db.main.reader)
  }

  /** One row for each spelling of a folder in which the viewer sees files. */
  async function folderRows(viewer: Viewer): Promise<readonly FolderRow[]> {
    const question = { model: model(), template: '', values: [], read: () => ({}) }
    const { rows } = await runner.runPlanned(
      prepareFolders(viewer, question).plan,
      [],
      viewer.asker,
    )
    return (rows[0] ?? []).map((row) => ({
      folder: textAt(row, 0),
      created_at: wholeAt(row, 1),
      updated_at: wholeAt(row, 2),
    }))
  }

  function make(viewer: Viewer): Asking {
    countPlan()
    const snapshot = model()
    const planning = createPlanning(
      { ...runner, dialect: db.dialect, countPlan, mostRelated: Number.POSITIVE_INFINITY },
      snapshot,
    )
    const to = planning.compiling('live')
    const piece = compileFolders(to, mediaShownTo(viewer, snapshot))
    return toAsking(planning, [piece], to.mayScan)
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
      const isInFolders = isWithin ? isOneOf('folder', slots.list(at + 2)) : null
      const all = allFilters([filter, isInFolders])
      const numbers = { start: slots.whole(at), limit: slots.whole(at + 1) }
      const page = { kind: 'offset', ...numbers, count: true } as const
      return { query: { filter: all, search: '', sort, page }, sort, admits }
    },
  }
}

function toItem(file: MediaFile): MediaItem {
  return { kind: 'file', file }
}

function listedFolders(
  folders: readonly MediaFolder[],
  within: MediaPage['within'],
  sort: MediaQuery['sort'],
  admits: (folder: MediaFolder) => boolean,
): readonly MediaItem[] {
  const place = within ?? { path: '/', deep: true }
  return folders
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

const FILE = { kind: 'file', alias: 'd' } as const

/** The folders in which such files lie, with the times of the first and the last of these. */
function compileFolders(to: Compiling, conditions: readonly Condition[]): Piece {
  const isShown = conditions.map((condition) => compileCondition(to, FILE, condition))
  const within = to.mayScan ? [to.dialect.withinDeadline('d.id')] : []
  return sql`select d.folder, min(d.created_at), max(d.updated_at) from content_files as d where ${allOf([...within, ...isShown])} group by d.folder`
}
