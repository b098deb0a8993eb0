import type { Cells } from '#db'
import type { MediaFile } from '../../entry.ts'
import { toMediaFile } from '../../media/store.ts'
import { sql } from '../fragment.ts'
import { textAt, textOrNullAt, wholeAt, wholeOrNullAt } from './rows.ts'

const NAMES = [
  'id',
  'uuid',
  'folder',
  'name',
  'hash',
  'ext',
  'mime',
  'alternative_text',
  'caption',
  'width',
  'height',
  'formats',
  'size_bytes',
  'preview_url',
  'provider',
  'focal_point',
  'crops',
  'created_at',
  'updated_at',
] as const

export const FILE_SOURCE = {
  key: 'id',
  columns: NAMES.map((name) => sql.ref(`d.${name}`)),
  source: (key: ReturnType<typeof sql.ref>) => sql`join content_files as d on d.id = ${key}`,
}

/** `at`: where the columns of `FILE_SOURCE` begin. */
export function toFile(row: Cells, at: number): MediaFile {
  const column = (name: (typeof NAMES)[number]) => at + NAMES.indexOf(name)
  return toMediaFile({
    id: wholeAt(row, column('id')),
    uuid: textAt(row, column('uuid')),
    folder: textAt(row, column('folder')),
    name: textAt(row, column('name')),
    hash: textAt(row, column('hash')),
    ext: textAt(row, column('ext')),
    mime: textAt(row, column('mime')),
    alternative_text: textOrNullAt(row, column('alternative_text')),
    caption: textOrNullAt(row, column('caption')),
    width: wholeOrNullAt(row, column('width')),
    height: wholeOrNullAt(row, column('height')),
    formats: textOrNullAt(row, column('formats')),
    size_bytes: wholeAt(row, column('size_bytes')),
    preview_url: textOrNullAt(row, column('preview_url')),
    provider: textAt(row, column('provider')),
    focal_point: textOrNullAt(row, column('focal_point')),
    crops: textOrNullAt(row, column('crops')),
    created_at: wholeAt(row, column('created_at')),
    updated_at: wholeAt(row, column('updated_at')),
  })
}
