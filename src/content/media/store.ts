import type { Insertable, Kysely, RawBuilder, Selectable, SqlBool } from 'kysely'
import type { Crop, FocalPoint, MediaFile } from '../entry.ts'
import { fold } from '../fold.ts'
import type { ContentTables } from '../tables.ts'
import { folderPath } from './folders.ts'
import type { Received } from './receive.ts'

type Db = Kysely<ContentTables>
type FileRow = Selectable<ContentTables['content_files']>
/** What answers show of a file. */
type ShownFile = Pick<
  FileRow,
  | 'id'
  | 'uuid'
  | 'folder'
  | 'name'
  | 'hash'
  | 'ext'
  | 'mime'
  | 'alternative_text'
  | 'caption'
  | 'width'
  | 'height'
  | 'formats'
  | 'size_bytes'
  | 'preview_url'
  | 'provider'
  | 'focal_point'
  | 'crops'
  | 'created_at'
  | 'updated_at'
>

/** What people say of a file; absent members stay as they are. */
export interface FileInfo {
  readonly name?: string
  readonly alternativeText?: string | null
  readonly caption?: string | null
  readonly folder?: string
  readonly focalPoint?: FocalPoint | null
  readonly crops?: readonly Crop[]
}

export async function insertFile(
  db: Db,
  file: Insertable<ContentTables['content_files']>,
): Promise<MediaFile> {
  const row = await db
    .insertInto('content_files')
    .values(file)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toMediaFile(row)
}

/** `isShown`: only when it is. */
export async function findFile(
  db: Db,
  target: FileTarget,
  isShown: RawBuilder<SqlBool> | null = null,
): Promise<MediaFile | undefined> {
  const row = await db
    .selectFrom('content_files')
    .selectAll()
    .$if('id' in target, (query) => query.where('id', '=', 'id' in target ? target.id : 0))
    .$if('uuid' in target, (query) => query.where('uuid', '=', 'uuid' in target ? target.uuid : ''))
    .$if(isShown !== null, (query) => (isShown ? query.where(isShown) : query))
    .executeTakeFirst()
  return row && toMediaFile(row)
}

export type FileTarget = { readonly id: number } | { readonly uuid: string }

export async function updateFile(
  db: Db,
  id: number,
  change: FileInfo & Partial<Pick<Received, 'hash'>>,
  bytes: Received | undefined,
  nowMs: number,
): Promise<MediaFile | undefined> {
  const row = await db
    .updateTable('content_files')
    .set({ ...toColumns(change), ...(bytes ? bytesOf(bytes) : {}), updated_at: nowMs })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row && toMediaFile(row)
}

/** Removes the file and every reference to it, in live and working copies alike; false when another was quicker. */
export async function deleteFile(db: Db, file: MediaFile): Promise<boolean> {
  await db.deleteFrom('content_links').where('target', '=', file.uuid).execute()
  const deleted = await db
    .deleteFrom('content_files')
    .where('id', '=', file.id)
    .returning('id')
    .executeTakeFirst()
  return deleted !== undefined
}

export function bytesOf({ hash, ext, mime, width, height, sizeBytes }: Received) {
  return { hash, ext, mime, width, height, size_bytes: sizeBytes, formats: null }
}

export function toColumns(info: FileInfo) {
  const { name, alternativeText, caption, folder, focalPoint, crops } = info
  return {
    ...(name === undefined ? {} : { name, name_fold: fold(name) }),
    ...(alternativeText === undefined
      ? {}
      : { alternative_text: alternativeText, alternative_text_fold: foldOrNull(alternativeText) }),
    ...(caption === undefined ? {} : { caption, caption_fold: foldOrNull(caption) }),
    ...(folder === undefined ? {} : { folder: folderPath(folder) }),
    ...(focalPoint === undefined ? {} : { focal_point: focalPoint && JSON.stringify(focalPoint) }),
    ...(crops === undefined ? {} : { crops: JSON.stringify(crops) }),
  }
}

function foldOrNull(text: string | null): string | null {
  return text === null ? null : fold(text)
}

export function toMediaFile(row: ShownFile): MediaFile {
  const isPicture = row.mime.startsWith('image/')
  return {
    id: row.id,
    uuid: row.uuid,
    folder: row.folder,
    name: row.name,
    hash: row.hash,
    ext: row.ext,
    mime: row.mime,
    alternativeText: row.alternative_text,
    caption: row.caption,
    width: row.width,
    height: row.height,
    formats: row.formats === null ? null : JSON.parse(row.formats),
    sizeBytes: row.size_bytes,
    url: `/uploads/${row.hash}${row.ext}`,
    previewUrl: row.preview_url,
    provider: row.provider,
    focalPoint: isPicture && row.focal_point !== null ? JSON.parse(row.focal_point) : null,
    crops: isPicture ? JSON.parse(row.crops ?? '[]') : null,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  }
}
