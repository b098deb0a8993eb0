import type { ContentModel, ContentType, FieldSet } from '../../model.ts'
import { type Sql, sql } from '../fragment.ts'
import { allOf, anyOf, type Compiling, column } from './context.ts'

/**
 * Content model §9: for callers without a key, media that no live copy of a public type refers to do
 * not exist. Private attributes do not count: nobody sees what they refer to.
 */
export function isPublicFile(to: Compiling, model: ContentModel, alias: string): Sql {
  to.noteScan()
  const links = to.alias('l')
  const owners = model.types
    .filter((type) => type.publicRead)
    .flatMap((type) => ownedBy(to, type, mediaOf(model, type), links))
  return sql`exists (select 1 from content_links as ${sql.ref(links)} where ${allOf([
    sql`${column(links, 'target')} = ${column(alias, 'uuid')}`,
    anyOf(owners),
  ])})`
}

function ownedBy(
  to: Compiling,
  type: ContentType,
  attributeNos: readonly number[],
  links: string,
): readonly Sql[] {
  if (attributeNos.length === 0) return []
  const copy = to.alias('v')
  const attribute = sql.join(attributeNos.map((no) => sql.lit(no)))
  const isLive = sql`exists (select 1 from ${sql.table(type.table)} as ${sql.ref(copy)} where ${column(copy, 'copy_no')} = ${column(links, 'owner_copy')} and ${column(copy, 'live')} = 1)`
  return [sql`(${column(links, 'attribute_no')} in (${attribute}) and ${isLive})`]
}

/** Of the type and of the components inside it, however deep. */
function mediaOf(model: ContentModel, set: FieldSet, seen = new Set<FieldSet>()): number[] {
  if (seen.has(set)) return []
  seen.add(set)
  return set.attributes
    .filter((attribute) => !attribute.private)
    .flatMap((attribute) => {
      if (attribute.type === 'media') return [attribute.no]
      if (attribute.type !== 'component') return []
      const component = model.findComponent(attribute.component)
      return component ? mediaOf(model, component, seen) : []
    })
}
