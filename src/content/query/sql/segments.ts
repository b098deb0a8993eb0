import { type Sql, sql } from '../fragment.ts'
import type { Position } from '../resolved.ts'
import type { Slot } from '../slot.ts'
import { allOf } from './context.ts'
import type { OrderKey } from './order.ts'

/**
 * What comes after a position, cut into ranges that do not overlap. Each is one range of an index in
 * that order, however deep the position lies and however many entries share its first keys.
 */
export function segmentsAfter(keys: readonly OrderKey[], position: Position): readonly Sql[] {
  return segments(keys, position, false)
}

/** The same and the position itself. */
export function segmentsFrom(keys: readonly OrderKey[], position: Position): readonly Sql[] {
  return segments(keys, position, true)
}

function segments(keys: readonly OrderKey[], position: Position, inclusive: boolean) {
  const isUniform = keys.every(({ order }) => order === keys[0]?.order)
  if (isUniform && !position.includes(null)) {
    return [wholeRange(keys, position, inclusive), ...missingAfter(keys, position)]
  }
  const ranges = stepRanges(keys, position)
  return inclusive ? [...ranges, allOf(equalTo(keys, position))] : ranges
}

/** All keys at once, which both databases take for one range. */
function wholeRange(keys: readonly OrderKey[], position: Position, inclusive: boolean): Sql {
  const beyond = keys[0]?.order === 'asc' ? sql`>` : sql`<`
  const sign = inclusive ? sql`${beyond}=` : beyond
  const values = sql.join(keys.map(({ value }) => value))
  return sql`(${values}) ${sign} (${sql.join([...position])})`
}

/** Where missing values come last, they come after every position that has a value. */
function missingAfter(keys: readonly OrderKey[], position: Position): readonly Sql[] {
  return keys.flatMap((key, at) => {
    if (!mayBeMissing(keys, at) || key.nullsFirst) return []
    return [allOf([...equalTo(keys.slice(0, at), position), sql`${key.value} is null`])]
  })
}

/** Equal in the first keys and beyond in the next, for orders of mixed direction. */
function stepRanges(keys: readonly OrderKey[], position: Position): readonly Sql[] {
  const ranges = keys.flatMap((key, at) => {
    const equal = equalTo(keys.slice(0, at), position)
    const beyond = beyondValue(key, position[at] ?? null, mayBeMissing(keys, at))
    return beyond.map((range) => allOf([...equal, range]))
  })
  return ranges.reverse()
}

function equalTo(keys: readonly OrderKey[], position: Position): readonly Sql[] {
  return keys.map(({ value }, at) => {
    const own = position[at] ?? null
    return own === null ? sql`${value} is null` : sql`${value} = ${own}`
  })
}

function beyondValue(key: OrderKey, value: Slot | null, nullable: boolean): readonly Sql[] {
  if (value === null) return key.nullsFirst && nullable ? [sql`${key.value} is not null`] : []
  const sign = key.order === 'asc' ? sql`>` : sql`<`
  const beyond = sql`${key.value} ${sign} ${value}`
  return nullable && !key.nullsFirst ? [beyond, sql`${key.value} is null`] : [beyond]
}

/** A text is missing when its folded form is, which the key before it has told already. */
function mayBeMissing(keys: readonly OrderKey[], at: number): boolean {
  return (keys[at]?.nullable ?? false) && keys[at - 1]?.isFold !== true
}
