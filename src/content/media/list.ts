import type { Kysely } from 'kysely'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import type { MediaFile } from '../entry.ts'
import { fold } from '../fold.ts'
import type { ContentTables } from '../tables.ts'
import { toMediaFile } from './store.ts'

export const MEDIA_SORTS = ['id', 'name', 'mime', 'created_at', 'updated_at'] as const

/** Sorting by name is without regard to case, as everywhere (content model §10.2). */
const COLUMNS = {
  ...Object.fromEntries(MEDIA_SORTS.map((name) => [name, `content_files.${name}`])),
  name: 'content_files.name_fold',
}

export async function findFiles(
  db: Kysely<ContentTables>,
  list: ListQuery,
): Promise<FoundPage<MediaFile>> {
  const name = list.filter('name')
  let filtered = db.selectFrom('content_files')
  if (name !== undefined) filtered = filtered.where('name_fold', '=', fold(name))
  for (const column of ['mime', 'ext', 'folder'] as const) {
    const value = list.filter(column)
    if (value !== undefined) filtered = filtered.where(column, '=', value)
  }
  const page = await findPage(filtered, (query) => query.selectAll(), list, COLUMNS)
  return { ...page, rows: page.rows.map(toMediaFile) }
}
