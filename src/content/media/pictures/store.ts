import type { Expression, Kysely } from 'kysely'
import type { MediaFile, PictureFormat } from '../../entry.ts'
import type { ContentTables } from '../../tables.ts'

type Db = Kysely<ContentTables>

/** Leaves the picture to the worker. */
export async function askForFormats(
  db: Db,
  { id, hash }: Pick<MediaFile, 'id' | 'hash'>,
  nowMs: number,
): Promise<void> {
  const row = { file_id: id, hash, due_at: nowMs, attempts: 0 }
  await db
    .insertInto('content_pictures')
    .values({ ...row, lease_owner: null, lease_until: null })
    .execute()
}

export async function forgetPicture(db: Db, fileId: number): Promise<void> {
  await db.deleteFrom('content_pictures').where('file_id', '=', fileId).execute()
}

export function picturesDue(db: Db, nowMs: number | Expression<number>) {
  return db.selectFrom('content_pictures').where('due_at', '<=', nowMs)
}

/** Keeps claims, which are writes, away from an idle database. */
export async function isSomethingDue(db: Db, nowMs: number): Promise<boolean> {
  const row = await picturesDue(db, nowMs).select('file_id').limit(1).executeTakeFirst()
  return row !== undefined
}

/** What the worker is to do with a picture, by the holder of its lease only. */
export interface Held {
  readonly fileId: number
  readonly hash: string
  readonly holder: string
}

/** False when the picture has other bytes by now, or another holder. */
export async function finishPicture(db: Db, { fileId, hash, holder }: Held): Promise<boolean> {
  const [done] = await db
    .deleteFrom('content_pictures')
    .where('file_id', '=', fileId)
    .where('hash', '=', hash)
    .where('lease_owner', '=', holder)
    .execute()
  return (done?.numDeletedRows ?? 0n) > 0n
}

export async function tryLater(db: Db, held: Held, dueAtMs: number): Promise<void> {
  await db
    .updateTable('content_pictures')
    .set((row) => ({
      due_at: dueAtMs,
      attempts: row('attempts', '+', 1),
      lease_owner: null,
      lease_until: null,
    }))
    .where('file_id', '=', held.fileId)
    .where('lease_owner', '=', held.holder)
    .execute()
}

export async function saveFormats(
  db: Db,
  fileId: number,
  formats: Readonly<Record<string, PictureFormat>>,
  measured: { readonly width: number; readonly height: number },
): Promise<void> {
  const isNone = Object.keys(formats).length === 0
  await db
    .updateTable('content_files')
    .set((row) => ({
      formats: isNone ? null : JSON.stringify(formats),
      width: row.fn.coalesce('width', row.val(measured.width)),
      height: row.fn.coalesce('height', row.val(measured.height)),
    }))
    .where('id', '=', fileId)
    .execute()
}
