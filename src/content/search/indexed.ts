import type { IndexedTable, IndexedText } from '#db'
import { kindOf } from '../fields/index.ts'
import { columnOf, foldColumnOf } from '../fields/kind.ts'
import { type Attribute, type ContentType, isScalar, type ScalarAttribute } from '../model.ts'
import { type Sql, sql } from '../query/fragment.ts'
import { shownNumber } from './shown-number.ts'

/** The index of all types. */
export const INDEX = 'content_search'

type Searched = Pick<ContentType, 'no' | 'attributes' | 'displayField'>

/** What `q` looks into. */
export function searchedOf({ attributes }: Pick<ContentType, 'attributes'>): ScalarAttribute[] {
  return attributes.filter(isScalar).filter(isSearched)
}

function isSearched(attribute: ScalarAttribute): boolean {
  return attribute.searchable && !attribute.private && kindOf(attribute).searched
}

/** Found by its value and not by parts of it: databases write such numbers each in their own way. */
export function isFoundWhole(attribute: ScalarAttribute): boolean {
  return kindOf(attribute).column.kind === 'double'
}

/** How the copies of a type stand in the index. */
export function indexedOf(type: Searched): IndexedTable {
  const searched = searchedOf(type)
  const titles = searched.filter(({ name }) => name === type.displayField)
  const title = titles.flatMap(textsOf)
  const text = [ID, ...searched.flatMap(textsOf)]
  return {
    table: `content_v${type.no}`,
    tableNo: type.no,
    key: 'copy_no',
    columns: [...new Set([...title, ...text].map(({ column }) => column))],
    ...{ title, text },
    facts: {
      type_no: { is: type.no },
      id: { column: 'id' },
      live: { column: 'live' },
      work: { column: 'work' },
      locale: { column: 'locale' },
    },
  }
}

const ID: IndexedText = {
  kind: 'shown',
  column: 'id',
  sql: (alias) => sql`cast(${sql.ref(`${alias}.id`)} as text)`,
}

function textsOf(attribute: ScalarAttribute): readonly IndexedText[] {
  const column = columnOf(attribute)
  if (kindOf(attribute).column.folded) {
    return [{ kind: 'folded', column: foldColumnOf(attribute) }]
  }
  if (attribute.type === 'tags') return [{ kind: 'list', column, folded: tagsOf(attribute) }]
  if (isFoundWhole(attribute)) return []
  const shown = (alias: string) => shownNumber(attribute, sql.ref(`${alias}.${column}`))
  return [{ kind: 'shown', column, sql: shown }]
}

function tagsOf({ no }: Attribute): (alias: string) => Sql {
  return (alias) =>
    sql`select fold from content_tags where owner_copy = ${sql.ref(`${alias}.copy_no`)} and attribute_no = ${sql.lit(no)} and owner_part = 0`
}

/** What the index holds of a type: compared with what it held before, it tells whether to build it anew. */
export interface IndexSource {
  readonly title: readonly string[]
  readonly text: readonly string[]
}

export function sourceOf({ title, text }: IndexedTable): IndexSource {
  const columns = (texts: readonly IndexedText[]) => texts.map(({ column }) => column)
  return { title: columns(title), text: columns(text) }
}
