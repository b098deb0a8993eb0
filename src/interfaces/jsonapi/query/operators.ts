import { type CompareOperator, isMet } from '#content-dialect'
import type { Scalar } from '#content-query'

/** What an operator is to the store, and how many values it takes. */
interface Operation {
  /** Undefined: it asks whether there is a value. */
  readonly as?: CompareOperator
  /** It holds where this one does not. */
  readonly not?: Operator
  readonly takes: 0 | 1 | 2 | 'some'
}

export type Operator =
  | ('=' | '<>' | '>' | '>=' | '<' | '<=' | 'STARTS_WITH' | 'CONTAINS' | 'ENDS_WITH')
  | ('IN' | 'NOT IN' | 'BETWEEN' | 'NOT BETWEEN' | 'IS NULL' | 'IS NOT NULL')

export const OPERATIONS: Readonly<Record<Operator, Operation>> = {
  '=': { as: 'eq', takes: 1 },
  '<>': { not: '=', takes: 1 },
  '>': { as: 'gt', takes: 1 },
  '>=': { as: 'gte', takes: 1 },
  '<': { as: 'lt', takes: 1 },
  '<=': { as: 'lte', takes: 1 },
  STARTS_WITH: { as: 'startsWith', takes: 1 },
  CONTAINS: { as: 'contains', takes: 1 },
  ENDS_WITH: { as: 'endsWith', takes: 1 },
  IN: { as: 'in', takes: 'some' },
  'NOT IN': { not: 'IN', takes: 'some' },
  BETWEEN: { as: 'between', takes: 2 },
  'NOT BETWEEN': { not: 'BETWEEN', takes: 2 },
  'IS NULL': { not: 'IS NOT NULL', takes: 0 },
  'IS NOT NULL': { takes: 0 },
}

/** The operators on a value that is known already: of accounts, types and constants. */
export function matches(value: Scalar, operator: Operator, values: readonly string[]): boolean {
  const { as, not } = OPERATIONS[operator]
  if (not) return !matches(value, not, values)
  return as ? isMet(value, as, values) : value !== null
}
