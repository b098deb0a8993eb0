import type { ContentType, ScalarAttribute } from '../../model.ts'
import { isFoundWhole, searchedOf } from '../../search/indexed.ts'
import { shownNumber } from '../../search/shown-number.ts'
import { inZones, type ZoneTexts } from '../../search/zone-texts.ts'
import { type Sql, sql } from '../fragment.ts'
import { scalarColumn } from '../names/fields.ts'
import type { ResolvedSearch } from '../resolved.ts'
import { anyOf, type Compiling, column } from './context.ts'

/** Case-insensitive substring over id and all searchable text, number and enumeration attributes, and texts in zones. */
export function compileSearch(
  to: Compiling,
  type: ContentType,
  alias: string,
  search: ResolvedSearch,
  zones: readonly ZoneTexts[],
): Sql {
  to.noteScan()
  const part = sql.val(search.text)
  const conditions = [
    ...searchedOf(type).flatMap((attribute) => searchAttribute(to, attribute, alias, search)),
    ...inZones(zones, column(alias, 'copy_no'), (text) => to.dialect.contains(text, part)),
  ]
  if (!search.isDigits) return anyOf(conditions)
  const id = sql`cast(${column(alias, 'id')} as text)`
  return anyOf([to.dialect.contains(id, sql.val(search.text)), ...conditions])
}

const OF_FILES = ['name_fold', 'alternative_text_fold', 'caption_fold']

export function searchFiles(to: Compiling, alias: string, { text }: ResolvedSearch): Sql {
  to.noteScan()
  return anyOf(OF_FILES.map((name) => to.dialect.contains(column(alias, name), sql.val(text))))
}

function searchAttribute(
  to: Compiling,
  attribute: ScalarAttribute,
  alias: string,
  { text, isDigits, isNumber }: ResolvedSearch,
): readonly Sql[] {
  const part = sql.val(text)
  const { fold: folded, sql: value } = scalarColumn(attribute)
  if (folded) return [to.dialect.contains(folded(alias), part)]
  if (attribute.type === 'tags') return [searchTags(to, attribute.no, alias, part)]
  if (!isDigits) return []
  if (isFoundWhole(attribute)) return isNumber ? [sql`${value(alias)} = ${text.map(Number)}`] : []
  return [to.dialect.contains(shownNumber(attribute, value(alias)), part)]
}

function searchTags(to: Compiling, attributeNo: number, alias: string, part: Sql): Sql {
  const tag = to.alias('g')
  return sql`exists (select 1 from content_tags as ${sql.ref(tag)} where ${column(tag, 'owner_copy')} = ${column(alias, 'copy_no')} and ${column(tag, 'attribute_no')} = ${sql.lit(attributeNo)} and ${column(tag, 'owner_part')} = 0 and ${to.dialect.contains(column(tag, 'fold'), part)})`
}
