import type { Kysely } from 'kysely'
import type { ContentTables } from '../tables.ts'
import { type FolderIds, type FolderRow, folderId } from './folders.ts'

type Db = Kysely<ContentTables>

/** Folders that were made by name, and those that files lie in, as they spell them. */
export async function findFolderRows(db: Db): Promise<FolderRow[]> {
  const named = await db
    .selectFrom('content_folders')
    .select(['path as folder', 'created_at', 'updated_at'])
    .execute()
  const used = await db
    .selectFrom('content_files')
    .select(({ fn }) => [
      'folder',
      fn.min('created_at').as('created_at'),
      fn.max('updated_at').as('updated_at'),
    ])
    .groupBy('folder')
    .execute()
  return [...named, ...used]
}

/** A folder has the id of its first path, and takes it along when it is moved. */
export async function findFolderIds(db: Db): Promise<FolderIds> {
  const moved = await db
    .selectFrom('content_folders')
    .select(['path', 'id'])
    .where('id', 'is not', null)
    .execute()
  const left = await db.selectFrom('content_left_folders').select(['path', 'times']).execute()
  const ids = new Map(moved.map(({ path, id }) => [path, id]))
  const times = new Map(left.map((row) => [row.path, row.times]))
  return (path) => ids.get(path) ?? folderId(path, times.get(path))
}

/** One that was moved, or lies in one that was. */
interface MovedFolder {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly createdAtMs: number
}

export async function keepId(db: Db, folder: MovedFolder, nowMs: number): Promise<void> {
  const { id, from, to, createdAtMs } = folder
  await db
    .insertInto('content_folders')
    .values({ path: to, id, created_at: createdAtMs, updated_at: nowMs })
    .onConflict((on) => on.column('path').doUpdateSet({ id, updated_at: nowMs }))
    .execute()
  await db
    .insertInto('content_left_folders')
    .values({ path: from, times: 1 })
    .onConflict((on) =>
      on.column('path').doUpdateSet((row) => ({
        times: row('content_left_folders.times', '+', 1),
      })),
    )
    .execute()
}

export async function insertFolder(db: Db, path: string, nowMs: number): Promise<void> {
  await db
    .insertInto('content_folders')
    .values({ path, id: null, created_at: nowMs, updated_at: nowMs })
    .onConflict((on) => on.column('path').doNothing())
    .execute()
}

/** A folder and the files directly in it get another path; those below it are moved one by one. */
export async function renameFolder(db: Db, from: string, to: string, nowMs: number): Promise<void> {
  await db
    .updateTable('content_folders')
    .set({ path: to, updated_at: nowMs })
    .where('path', '=', from)
    .execute()
  await db
    .updateTable('content_files')
    .set({ folder: to, updated_at: nowMs })
    .where('folder', '=', from)
    .execute()
}

export async function deleteFolders(db: Db, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return
  await db.deleteFrom('content_folders').where('path', 'in', paths).execute()
}

export async function countFilesIn(db: Db, spellings: readonly string[]): Promise<number> {
  if (spellings.length === 0) return 0
  const { count } = await db
    .selectFrom('content_files')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('folder', 'in', spellings)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function findFileIdsIn(
  db: Db,
  spellings: readonly string[],
  limit: number,
): Promise<number[]> {
  if (spellings.length === 0) return []
  const rows = await db
    .selectFrom('content_files')
    .select('id')
    .where('folder', 'in', spellings)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
