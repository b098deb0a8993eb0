import type { SqlDialect } from '#db'
import { fold } from '../../fold.ts'
import { type Sql, sql } from '../fragment.ts'
import type { Column } from '../names/column.ts'
import type { Condition } from '../resolved.ts'
import type { Slot } from '../slot.ts'
import type { Compiling } from './context.ts'

type Comparison = Extract<Condition, { kind: 'compare' }>

const LISTS: ReadonlySet<Comparison['operator']> = new Set(['in', 'containsOneOf', 'onDays'])
const SIGNS = { lt: sql`<`, lte: sql`<=`, gt: sql`>`, gte: sql`>=` } as const

/** True or unknown: a missing value is never true. */
export function compare(to: Compiling, alias: string, asked: Comparison): Sql {
  const { column, operator, values } = asked
  const folded = asked.fold ? column.fold : null
  const side = folded ? folded(alias) : column.sql(alias)
  const isList = LISTS.has(operator)
  const [first, second] = folded && !isList ? values.map(foldedText) : values
  if (!column.indexed) to.noteScan()
  switch (operator) {
    case 'eq':
      return equal(column, alias, side, first, folded !== null)
    case 'in':
      return oneOf(to, column, alias, side, first, folded !== null)
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return inOrder(column, alias, side, operator, first, folded !== null)
    case 'between':
      return sql`${inOrder(column, alias, side, 'gte', first, folded !== null)} and ${inOrder(column, alias, side, 'lte', second, folded !== null)}`
    case 'contains':
      to.noteScan()
      return to.dialect.contains(side, sql.val(first))
    case 'containsOneOf':
      to.noteScan()
      return to.dialect.containsOneOf(side, boundParts(to.dialect, first, folded !== null))
    case 'day':
      return sql`(${side} >= ${first} and ${side} < ${first?.map(nextDay)})`
    case 'onDays': {
      to.noteScan()
      const list = boundList(to.dialect, first?.map(dayNumbers))
      const whole = column.kind === 'double' ? sql`cast(${side} as bigint)` : side
      return to.dialect.isOneOf(dayNumber(whole), list, 'integer')
    }
    case 'startsWith':
      if (!folded) to.noteScan()
      return startsWith(side, first)
    case 'like':
      to.noteScan()
      return to.dialect.like(side, sql.val(first))
    case 'word':
      to.noteScan()
      return to.dialect.hasWord(side, sql.val(first))
    case 'endsWith':
      to.noteScan()
      return to.dialect.endsWith(side, sql.val(first))
  }
}

const DAY_MS = 86_400_000

function nextDay(startMs: unknown): number {
  return Number(startMs) + DAY_MS
}

function dayNumbers(starts: unknown): number[] {
  return Array.isArray(starts) ? starts.map((startMs) => Math.floor(Number(startMs) / DAY_MS)) : []
}

/** Days since 1970, rounded down also before it: databases divide towards zero. */
function dayNumber(side: Sql): Sql {
  const day = sql.lit(DAY_MS)
  return sql`((${side} - ((${side} % ${day}) + ${day}) % ${day}) / ${day})`
}

/** Texts stand as they are sorted: by their folded form, then by themselves (content model §10.2). */
function inOrder(
  column: Column,
  alias: string,
  side: Sql,
  operator: keyof typeof SIGNS,
  value: Slot | undefined,
  isFold: boolean,
): Sql {
  const sign = SIGNS[operator]
  if (isFold || !column.fold) return sql`${side} ${sign} ${value}`
  return sql`(${column.fold(alias)}, ${side}) ${sign} (${value?.map(foldText)}, ${value})`
}

/** Indexes of text begin with the folded text, so it is asked for as well. */
function equal(
  column: Column,
  alias: string,
  side: Sql,
  value: Slot | undefined,
  isFold: boolean,
): Sql {
  if (isFold || !column.fold) return sql`${side} = ${value}`
  return sql`(${column.fold(alias)} = ${value?.map(foldText)} and ${side} = ${value})`
}

function oneOf(
  { dialect }: Compiling,
  column: Column,
  alias: string,
  side: Sql,
  list: Slot | undefined,
  isFold: boolean,
): Sql {
  if (isFold) return dialect.isOneOf(side, boundFolds(dialect, list), 'text')
  const own = dialect.isOneOf(side, boundList(dialect, list), column.kind)
  if (!column.fold) return own
  return sql`(${dialect.isOneOf(column.fold(alias), boundFolds(dialect, list), 'text')} and ${own})`
}

/** As a range, which an index serves; bytes of UTF-8 compare as code points do. */
function startsWith(side: Sql, prefix: Slot | undefined): Sql {
  const end = prefix?.map((value) => following(String(value)))
  return sql`(${side} >= ${prefix} and ${side} < ${end})`
}

/** A list that a slot stands for, bound as one value. */
export function boundList({ bindList }: SqlDialect, list: Slot | undefined): Sql {
  return sql.val(list?.map((values) => bindList(Array.isArray(values) ? values : [])))
}

export function boundFolds({ bindList }: SqlDialect, list: Slot | undefined): Sql {
  return sql.val(list?.map((values) => bindList(Array.isArray(values) ? values.map(foldText) : [])))
}

function boundParts({ bindParts }: SqlDialect, list: Slot | undefined, isFolded: boolean): Sql {
  const toPart = isFolded ? foldText : String
  return sql.val(list?.map((values) => bindParts(Array.isArray(values) ? values.map(toPart) : [])))
}

function foldedText(slot: Slot): Slot {
  return slot.map(foldText)
}

function foldText(value: unknown): string {
  return fold(String(value))
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
