import type { Cells } from '#db'
import type { MediaFile } from '../../entry.ts'
import { toMediaFile } from '../../media/store.ts'
import { sql } from '../fragment.ts'
import { textAt, textOrNullAt, wholeAt, wholeOrNullAt } from './cells.ts'

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
  const place = (name: (typeof NAMES)[number]) => at + NAMES.indexOf(name)
  return toMediaFile({
    id: wholeAt(row, place('id')),
    uuid: textAt(row, place('uuid')),
    folder: textAt(row, place('folder')),
    name: textAt(row, place('name')),
    hash: textAt(row, place('hash')),
    ext: textAt(row, place('ext')),
    mime: textAt(row, place('mime')),
    alternative_text: textOrNullAt(row, place('alternative_text')),
    caption: textOrNullAt(row, place('caption')),
    width: wholeOrNullAt(row, place('width')),
    height: wholeOrNullAt(row, place('height')),
    formats: textOrNullAt(row, place('formats')),
    size_bytes: wholeAt(row, place('size_bytes')),
    preview_url: textOrNullAt(row, place('preview_url')),
    provider: textAt(row, place('provider')),
    created_at: wholeAt(row, place('created_at')),
    updated_at: wholeAt(row, place('updated_at')),
  })
}
