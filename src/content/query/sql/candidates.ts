import { SHORTEST_PART, spacedPart } from '#db'
import { fold } from '../../fold.ts'
import type { ContentType } from '../../model.ts'
import { INDEX, isFoundWhole, searchedOf } from '../../search/indexed.ts'
import { type Sql, sql } from '../fragment.ts'
import { scalarColumn } from '../names/fields.ts'
import type { Condition, ResolvedPart, ResolvedSearch } from '../resolved.ts'
import type { Slot } from '../slot.ts'
import { partsOf } from './common.ts'
import { type Compiling, column, isVisible } from './context.ts'

type Comparison = Extract<Condition, { kind: 'compare' }>

/** Each selects `no`, the numbers of copies of any type. */
export interface Candidates {
  /** All that belong to the part of the list, and perhaps more. */
  readonly all: Sql
  /** Those whose trigrams are made: what waits says nothing of how many the text has. */
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
    return withWaiting(to, [having(to, search.text), ...wholeNumbers(to, type, search)])
  }
  const names = new Set(textColumns(type))
  const served = partsOf(condition).find((each) => isServed(each, names))
  if (served?.kind !== 'compare') return null
  const [text] = served.values
  return text ? withWaiting(to, [having(to, certainText(served, text))]) : null
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

/** What waits is not among what has its trigrams, but may be found by its numbers, too. */
function withWaiting({ dialect: { textIndex } }: Compiling, found: readonly Sql[]): Candidates {
  const settled = sql.join(found, sql` union `)
  const waiting = textIndex.waiting(INDEX)
  const all = sql.join([settled, waiting], found.length === 1 ? sql` union all ` : sql` union `)
  return { all, settled }
}
