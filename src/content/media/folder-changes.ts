import type { Kysely } from 'kysely'
import type { Database, Tx } from '#db'
import { type Clock, conflict, invalid, notFound } from '#kernel'
import type { ContentModel } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import * as store from './folder-store.ts'
import { type FolderRow, folderPath, foldersOf, isInside } from './folders.ts'
import type { Media } from './media.ts'
import type { MediaFolder } from './words.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly media: Pick<Media, 'remove'>
  model(): ContentModel
  touch(tx: Tx, typeNos: readonly number[]): void
}

const LOCK = 'media folders'
const AT_ONCE = 100

/**
 * Folders as those see them who look after files: a folder is there because somebody made it, or
 * because a file lies in it or below. A folder that was made stays when it is empty.
 */
export function createFolders({ db, clock, media, model, touch }: Deps) {
  const reader: Kysely<ContentTables> = db.main.reader
  return { list: () => list(reader), get, create, move, remove }

  async function list(from: Kysely<ContentTables>): Promise<readonly MediaFolder[]> {
    return foldersOf(await store.findFolderRows(from), await store.findFolderIds(from))
  }

  async function get(id: string, from = reader): Promise<MediaFolder> {
    const folder = (await list(from)).find((each) => each.id === id)
    if (!folder) throw notFound('folder')
    return folder
  }

  async function create(spelling: string): Promise<MediaFolder> {
    const path = parseNew(spelling)
    return changing(async (trx) => {
      if ((await list(trx)).some((each) => each.path === path)) throw exists(path)
      await store.insertFolder(trx, path, clock.now())
      return at(trx, path)
    })
  }

  /** With all that lies in it; folders keep their ids. */
  async function move(id: string, spelling: string): Promise<MediaFolder> {
    const to = parseNew(spelling)
    return changing(async (trx, tx) => {
      const { path } = await get(id, trx)
      if (to === path) return at(trx, path)
      if (isBelow(to, path)) throw notIntoItself(path)
      const rows = await store.findFolderRows(trx)
      const all = await list(trx)
      if (all.some((each) => each.path === to)) throw exists(to)
      for (const spelled of spellingsBelow(rows, path)) {
        const moved = `${to}${folderPath(spelled).slice(path.length)}`
        await store.renameFolder(trx, spelled, moved, clock.now())
      }
      for (const each of all.filter((one) => one.path === path || isBelow(one.path, path))) {
        const moved = { ...each, from: each.path, to: `${to}${each.path.slice(path.length)}` }
        await store.keepId(trx, moved, clock.now())
      }
      // Whatever shows a file of it; which ones those are would cost more than to read them again.
      touch(
        tx,
        model().types.map(({ no }) => no),
      )
      return at(trx, to)
    })
  }

  /** One that holds something is refused unless all of it is to go, files first. */
  async function remove(id: string, isDeep: boolean): Promise<void> {
    const { path } = await get(id)
    for (;;) {
      const isGone = await changing((trx) => removeEmpty(trx, path, isDeep))
      if (isGone) return
      const spellings = spellingsBelow(await store.findFolderRows(reader), path)
      const ids = await store.findFileIdsIn(reader, spellings, AT_ONCE)
      for (const fileId of ids) await media.remove(fileId).catch(passOverMissing)
    }
  }

  async function removeEmpty(trx: Kysely<ContentTables>, path: string, isDeep: boolean) {
    const rows = await store.findFolderRows(trx)
    const below = (await list(trx)).filter((each) => isBelow(each.path, path))
    const files = await store.countFilesIn(trx, spellingsBelow(rows, path))
    if (!isDeep && files + below.length > 0) throw notEmpty(path, files, below.length)
    if (files > 0) return false
    await store.deleteFolders(trx, [path, ...below.map((each) => each.path)])
    return true
  }

  async function at(trx: Kysely<ContentTables>, path: string): Promise<MediaFolder> {
    const folder = (await list(trx)).find((each) => each.path === path)
    if (!folder) throw notFound('folder')
    return folder
  }

  /** One after the other: each looks at all of them first. */
  function changing<T>(work: (trx: Kysely<ContentTables>, tx: Tx) => Promise<T>): Promise<T> {
    return db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<ContentTables>()
      await db.dialect.lockName(LOCK).execute(trx)
      return work(trx, tx)
    })
  }
}

export type Folders = ReturnType<typeof createFolders>

/** Of the folder itself and of all below it. */
function spellingsBelow(rows: readonly FolderRow[], path: string): string[] {
  const spellings = rows.map(({ folder }) => folder)
  return [...new Set(spellings)].filter((spelling) => {
    const own = folderPath(spelling)
    return own === path || isBelow(own, path)
  })
}

function isBelow(path: string, top: string): boolean {
  return isInside(path, { path: top, deep: true })
}

function parseNew(spelling: string): string {
  const path = folderPath(spelling)
  if (path !== '/') return path
  const message = 'The top is there already; name a folder in it, such as /photos'
  throw invalid([{ path: ['path'], rule: 'invalid', message }])
}

function passOverMissing(error: unknown): void {
  if (!(error instanceof Error && 'kind' in error && error.kind === 'not_found')) throw error
}

function exists(path: string) {
  return conflict('folder_exists', `There is a folder ${path} already`)
}

function notIntoItself(path: string) {
  return conflict('folder_into_itself', `${path} cannot be moved into itself`)
}

function notEmpty(path: string, files: number, folders: number) {
  const message = `${path} holds ${files} files and ${folders} folders; move them, or delete it with ?recursive=true`
  return conflict('folder_not_empty', message, { files, folders })
}
