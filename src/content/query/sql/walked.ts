import { sql } from '../fragment.ts'
import type { Branch } from './branches.ts'
import type { OrderKey } from './order.ts'

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
export function walkedParts(branch: Branch): readonly Branch[] {
  const [key] = branch.keys
  if (!branch.walks || !key) return [branch]
  const { where } = branch
  const { value, kind, nullable } = key
  const present = { ...branch, where: sql`${where} and ${value} >= ${LOWEST[kind]}` }
  return nullable ? [{ ...branch, where: sql`${where} and ${value} is null` }, present] : [present]
}
