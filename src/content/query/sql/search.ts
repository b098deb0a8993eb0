import { SHORTEST_PART, spacedPart } from '#db'
import { fold } from '../../fold.ts'
import type { ContentType, ScalarAttribute } from '../../model.ts'
import { INDEX, isFoundWhole, searchedOf } from '../../search/indexed.ts'
import { shownNumber } from '../../search/shown-number.ts'
import { inZones, type ZoneTexts } from '../../search/zone-texts.ts'
import { type Sql, sql } from '../fragment.ts'
import { scalarColumn } from '../names/fields.ts'
import { type Condition, partsOf, type ResolvedPart, type ResolvedSearch } from '../resolved.ts'
import type { Slot } from '../slot.ts'
import { anyOf, type Compiling, column, isVisible } from './context.ts'

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

type Comparison = Extract<Condition, { kind: 'compare' }>

/** Each selects `no`, the numbers of copies of any type. */
export interface Candidates {
  /** All that belong to the part of the list, and perhaps more: also what waits to be taken in. */
  readonly all: Sql
  /** Those that are taken in: what waits says nothing of how many have the text. */
  readonly settled: Sql
}

/**
 * What the search index finds of a part of a list. Null: the index cannot help. The conditions of the list decide in
 * any case; they count as a scan also here, because what is found may be half of all there is.
 */
export function candidatesOf(to: Compiling, part: ResolvedPart): Candidates | null {
  const { scope, search, zones, condition } = part
  if (scope.kind === 'file' || !scope.type.searched) return null
  const { type } = scope
  // The index knows nothing of zones.
  if (search && zones.length > 0) return null
  if (search && isLong(search.text)) {
    return withWaiting(to, type, [having(to, search.text), ...wholeNumbers(to, type, search)])
  }
  const names = new Set(textColumns(type))
  const served = partsOf(condition).find((each) => isServed(each, names))
  if (served?.kind !== 'compare') return null
  const [text] = served.values
  return text ? withWaiting(to, type, [having(to, certainText(served, text))]) : null
}

function textColumns(type: ContentType): string[] {
  const texts = searchedOf(type).filter((attribute) => scalarColumn(attribute).fold !== null)
  return texts.map((attribute) => scalarColumn(attribute).name)
}

function isServed(condition: Condition, names: ReadonlySet<string>): condition is Comparison {
  if (condition.kind !== 'compare' || condition.operator !== 'contains') return false
  const [text] = condition.values
  if (!text || condition.column.registry || !names.has(condition.column.name)) return false
  return isLong(certainText(condition, text))
}

function certainText({ fold: isFold }: Comparison, text: Slot): Slot<string> {
  return text.map((value) => (isFold ? fold(String(value)) : certainPart(String(value))))
}

/** Marks, and parts of Hangul syllables: they may be one character with what stands before them. */
const JOINING = String.raw`[\p{M}\u1160-\u11ff\ud7b0-\ud7ff]`
const BEGINNING = new RegExp(`^${JOINING}+`, 'u')
const ENDING = new RegExp(`\\P{M}?${JOINING}*$`, 'u')

/**
 * What the folded text certainly has when the text has this part: all but characters at its ends that
 * could be composed with their neighbours.
 */
function certainPart(part: string): string {
  return fold(part.replace(BEGINNING, '').replace(ENDING, ''))
}

function isLong(text: Slot<string>): boolean {
  return text.look((folded) => Array.from(spacedPart(folded)).length >= SHORTEST_PART)
}

function having({ dialect: { textIndex } }: Compiling, text: Slot<string>): Sql {
  const part = sql.val(text.map((folded) => textIndex.bindPart(spacedPart(folded))))
  return textIndex.maybeHaving(INDEX, [part])
}

/** What the index does not hold: numbers that are found whole. */
function wholeNumbers(
  to: Compiling,
  type: ContentType,
  { text, isNumber }: ResolvedSearch,
): readonly Sql[] {
  if (!isNumber) return []
  const alias = to.alias('w')
  return searchedOf(type)
    .filter(isFoundWhole)
    .map((attribute) => {
      const is = sql`${scalarColumn(attribute).sql(alias)} = ${text.map(Number)}`
      return sql`select ${column(alias, 'copy_no')} as no from ${sql.table(type.table)} as ${sql.ref(alias)} where ${isVisible(to, type, alias)} and ${is}`
    })
}

/** What waits is not among what is taken in, but may be found by its numbers, too. */
function withWaiting(
  { dialect: { textIndex } }: Compiling,
  { no }: ContentType,
  found: readonly Sql[],
): Candidates {
  const settled = sql.join(found, sql` union `)
  const waiting = textIndex.waiting(INDEX, no)
  const all = sql.join([settled, waiting], found.length === 1 ? sql` union all ` : sql` union `)
  return { all, settled }
}
