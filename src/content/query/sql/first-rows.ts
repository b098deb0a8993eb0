import { type Sql, sql } from '../fragment.ts'
import type { Condition, ResolvedQuery } from '../resolved.ts'
import type { Slot } from '../slot.ts'
import type { Source } from './branches.ts'
import type { Compiling } from './context.ts'
import type { OrderKey } from './order.ts'

/**
 * Narrows a source to its first rows by the first key alone, with all that are equal to the last of
 * them. Where the database sorts a list whole unless an index holds every key of its order, it then
 * sorts no more than these. Only for lists that nearly every entry belongs to: the rows that end the
 * range are found by walking along the index.
 */
export function firstRows(
  to: Compiling,
  query: ResolvedQuery,
  [key]: readonly OrderKey[],
  source: Source,
): Source {
  const isServed = key?.plain && key.indexed && !key.nullable && !to.dialect.indexes.weighedByLimit
  if (!key || !isServed || query.search || !isCommon(query.condition)) return source
  const { from, where } = source
  const [sign, there, back] =
    key.order === 'asc' ? [sql`<=`, sql`asc`, sql`desc`] : [sql`>=`, sql`desc`, sql`asc`]
  const row = (direction: Sql, at: Sql | Slot) =>
    sql`(select ${key.value} from ${from} where ${where} order by ${key.value} ${direction} limit 1 offset ${at})`
  // The walk goes to one row more than its limit: to the row at this place.
  const end = sql`coalesce(${row(there, query.walk.limit)}, ${row(back, sql`0`)})`
  return { from, where: sql`${where} and ${key.value} ${sign} ${end}` }
}

/** True of nearly every entry. */
function isCommon(condition: Condition | null): boolean {
  if (condition === null) return true
  if (condition.kind === 'and') return condition.of.every(isCommon)
  return condition.kind === 'not' && condition.of.kind === 'rare'
}
