import { type Sql, sql } from '../fragment.ts'
import type { Branch } from './branches.ts'
import { allOf } from './context.ts'
import type { OrderKey } from './order.ts'
import { leading, type Skip } from './skip.ts'

/** No value sorts before these; what is missing is not compared at all. */
const LOWEST = {
  text: sql`''`,
  integer: sql`-9223372036854775808`,
  double: sql`-9e999`,
} as const satisfies Record<OrderKey['kind'], unknown>

/**
 * The parts of a branch that walks along the index of its first key: rows that have a value and those
 * that have none, to be sorted together. A range over the whole index changes nothing, but with one the
 * database follows the index and sorts only rows that are equal in it, whatever the order ends with.
 */
export function walkedParts(branch: Branch, skip: Skip | null): readonly Branch[] {
  const [key] = branch.keys
  if (!key) return [branch]
  const { where } = branch
  const present = { ...branch, where: allOf([where, fromEdge(branch.keys, skip)]) }
  if (!key.nullable) return [present]
  const missing = { ...branch, where: sql`${where} and ${key.value} is null` }
  if (!skip || !key.nullsFirst) return [missing, present]
  const isAmong = sql`exists (select 1 from edge where k0 is null)`
  const limit = (size: Sql) => sql`case when ${isAmong} then ${branch.limit(size)} else 0 end`
  return [{ ...missing, limit }, present]
}

/** Rows that have a value, from the edge on. */
function fromEdge(keys: readonly OrderKey[], skip: Skip | null): Sql {
  const own = leading(keys)
  const [first] = own
  const values = sql.join(own.map(({ value }) => value))
  const lowest = own.map(({ kind }) => LOWEST[kind])
  if (!skip) return sql`${first?.value} >= ${lowest[0]}`
  const isAscending = first?.order === 'asc'
  // What comes behind rows without a value begins with the lowest.
  const bounds = skip.edge.map((edge, at) =>
    first?.nullable && first.nullsFirst ? sql`coalesce(${edge}, ${lowest[at]})` : edge,
  )
  const sign = isAscending ? sql`>=` : sql`<=`
  return own.length > 1
    ? sql`(${values}) ${sign} (${sql.join(bounds)})`
    : sql`${values} ${sign} ${sql.join(bounds)}`
}
