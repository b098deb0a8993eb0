import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { SqlDialect } from '#db'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import type { MediaFile } from '../entry.ts'
import { fold } from '../fold.ts'
import type { ContentTables } from '../tables.ts'
import { folderPath } from './folders.ts'
import { toMediaFile } from './store.ts'

export const MEDIA_SORTS = ['id', 'name', 'mime', 'created_at', 'updated_at'] as const

/** Sorting by name is without regard to case, as everywhere (content model §10.2). */
const COLUMNS = {
  ...Object.fromEntries(MEDIA_SORTS.map((name) => [name, `content_files.${name}`])),
  name: 'content_files.name_fold',
}

export async function findFiles(
  db: Kysely<ContentTables>,
  { contains }: Pick<SqlDialect, 'contains'>,
  list: ListQuery,
  isShown: RawBuilder<SqlBool> | null,
): Promise<FoundPage<MediaFile>> {
  const name = list.filter('name')
  let filtered = db.selectFrom('content_files')
  if (isShown) filtered = filtered.where(isShown)
  if (name !== undefined) filtered = filtered.where('name_fold', '=', fold(name))
  const part = list.filter('q')
  if (part !== undefined) {
    filtered = filtered.where(({ ref }) => contains(ref('name_fold'), sql`${fold(part)}`))
  }
  const folder = list.filter('folder')
  // The second is how files of before may spell it.
  if (folder !== undefined) {
    const path = folderPath(folder)
    filtered = filtered.where('folder', 'in', [path, `${path}/`, folder])
  }
  for (const column of ['mime', 'ext'] as const) {
    const value = list.filter(column)
    if (value !== undefined) filtered = filtered.where(column, '=', value)
  }
  const page = await findPage(filtered, (query) => query.selectAll(), list, COLUMNS)
  return { ...page, rows: page.rows.map(toMediaFile) }
}
