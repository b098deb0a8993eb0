import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AccessLevel } from '#kernel'
import type { ContentModel } from '../model.ts'
import { mediaReferences, type Referring } from '../query/media-shown.ts'

/**
 * Content model §9, of rows of `content_files`: files to which only types refer that a caller may not read do not exist
 * for it. Null: there are no such types.
 */
export function isShownTo(level: AccessLevel, model: ContentModel): RawBuilder<SqlBool> | null {
  const { shown, hidden } = mediaReferences(level, model)
  if (hidden.length === 0) return null
  return sql<SqlBool>`(${isReferred(shown, true)} or not ${isReferred(hidden, false)})`
}

function isReferred(by: Referring, live: boolean): RawBuilder<SqlBool> {
  if (by.length === 0) return sql<SqlBool>`(1 = 0)`
  const owners = by.map(({ type, attributeNos }) => {
    const isLive = live ? sql` and copy.live = 1` : sql``
    return sql`(link.attribute_no in (${sql.join(attributeNos)}) and exists (
      select 1 from ${sql.table(type.table)} as copy where copy.copy_no = link.owner_copy${isLive}))`
  })
  return sql<SqlBool>`exists (select 1 from content_links as link
    where link.target = content_files.uuid and (${sql.join(owners, sql` or `)}))`
}
