import { wordsOf } from '#kernel'
import { fold } from '../../fold.ts'
import { type Sql, sql } from '../fragment.ts'
import type { Column, Comparable } from '../names/column.ts'
import type { Condition } from '../resolved.ts'
import type { Compiling } from './context.ts'
import { ALWAYS, allOf, NEVER } from './context.ts'

type Comparison = Extract<Condition, { kind: 'compare' }>

const SIGNS = { lt: sql`<`, lte: sql`<=`, gt: sql`>`, gte: sql`>=` } as const

/** True or unknown: a missing value is never true. */
export function compare(to: Compiling, alias: string, asked: Comparison): Sql {
  const { column, operator, values } = asked
  const folded = asked.fold ? column.fold : null
  const side = folded ? folded(alias) : column.sql(alias)
  const texts = folded ? values.map((value) => fold(String(value))) : values
  const [first = '', second = ''] = texts
  if (!column.indexed) to.noteScan()
  switch (operator) {
    case 'eq':
      return equal(column, alias, side, first, folded !== null)
    case 'in':
      return oneOf(to, column, alias, side, texts, folded !== null)
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return sql`${side} ${SIGNS[operator]} ${first}`
    case 'between':
      return sql`${side} >= ${first} and ${side} <= ${second}`
    case 'contains':
      to.noteScan()
      return to.dialect.contains(side, String(first))
    case 'startsWith':
      if (!folded) to.noteScan()
      return startsWith(side, String(first))
    case 'like':
      to.noteScan()
      return to.dialect.like(side, String(first))
    case 'word':
      to.noteScan()
      return hasWords(to, column.fold?.(alias) ?? side, String(first))
    case 'endsWith':
      to.noteScan()
      return first === '' ? sql`${side} is not null` : to.dialect.endsWith(side, String(first))
  }
}

/** Indexes of text begin with the folded text, so it is asked for as well. */
function equal(column: Column, alias: string, side: Sql, value: Comparable, isFold: boolean): Sql {
  if (isFold || !column.fold) return sql`${side} = ${value}`
  return sql`(${column.fold(alias)} = ${fold(String(value))} and ${side} = ${value})`
}

function oneOf(
  { dialect }: Compiling,
  column: Column,
  alias: string,
  side: Sql,
  values: readonly Comparable[],
  isFold: boolean,
): Sql {
  const own = dialect.isOneOf(side, values, column.kind)
  if (isFold || !column.fold) return own
  const folds = values.map((value) => fold(String(value)))
  return sql`(${dialect.isOneOf(column.fold(alias), folds, 'text')} and ${own})`
}

/** All of them; a text without words is found nowhere. */
function hasWords({ dialect }: Compiling, side: Sql, text: string): Sql {
  const words = wordsOf(fold(text))
  return words.length === 0 ? NEVER : allOf(words.map((word) => dialect.hasWord(side, word)))
}

/** As a range, which an index serves; bytes of UTF-8 compare as code points do. */
function startsWith(side: Sql, prefix: string): Sql {
  if (prefix === '') return sql`${side} is not null`
  const end = following(prefix)
  const below = end === undefined ? ALWAYS : sql`${side} < ${end}`
  return sql`(${side} >= ${prefix} and ${below})`
}

const LAST_CODE_POINT = 0x10ffff
const FIRST_SURROGATE = 0xd800
const LAST_SURROGATE = 0xdfff

/** The least text that is greater than every text with this prefix; undefined when there is none. */
export function following(prefix: string): string | undefined {
  const points = Array.from(prefix, (char) => char.codePointAt(0) ?? 0)
  while (points.at(-1) === LAST_CODE_POINT) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  const next = last + 1 === FIRST_SURROGATE ? LAST_SURROGATE + 1 : last + 1
  return String.fromCodePoint(...points, next)
}
