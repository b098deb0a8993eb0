import { sql } from 'kysely'
import type { Comparable, Sql } from '../names/column.ts'
import { allOf } from './context.ts'
import type { OrderKey } from './order.ts'

/**
 * What comes after a position, cut into ranges that do not overlap: equal in the first keys and
 * beyond in the next. Each is one range of an index in that order, however deep the position lies and
 * however many entries share its first keys.
 */
export function segmentsAfter(
  keys: readonly OrderKey[],
  position: readonly (Comparable | null)[],
): readonly Sql[] {
  const segments: Sql[] = []
  const equal: Sql[] = []
  keys.forEach((key, at) => {
    const value = position[at] ?? null
    for (const beyond of beyondValue(key, value)) segments.push(allOf([...equal, beyond]))
    equal.push(value === null ? sql`${key.value} is null` : sql`${key.value} = ${value}`)
  })
  return segments.reverse()
}

function beyondValue(key: OrderKey, value: Comparable | null): readonly Sql[] {
  if (value === null) return key.nullsFirst ? [sql`${key.value} is not null`] : []
  const sign = key.order === 'asc' ? sql`>` : sql`<`
  const beyond = sql`${key.value} ${sign} ${value}`
  return key.nullable && !key.nullsFirst ? [beyond, sql`${key.value} is null`] : [beyond]
}
