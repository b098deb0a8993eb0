import { fold } from '../../fold.ts'
import type { CompareOperator, Filter, Scalar } from '../ast.ts'
import type { Operand, Slot } from '../slot.ts'

/** Holds of everything, and of nothing. */
export const ALWAYS: Filter = { kind: 'and', of: [] }
export const NEVER: Filter = { kind: 'or', of: [] }

export interface How {
  /** Without regard to case. */
  readonly fold?: boolean
  /** Where the caller wrote it. */
  readonly at?: string | undefined
}

export function compare(
  field: string,
  operator: CompareOperator,
  values: Operand<Scalar> | readonly Operand<Scalar>[],
  { fold: isFolded = false, at }: How = {},
): Filter {
  const compared = {
    ...({ kind: 'compare', field, operator, fold: isFolded } as const),
    values: [values].flat(),
  }
  return at === undefined ? compared : { ...compared, at: [at] }
}

/** One of as many as there are when the question is asked. */
export function isOneOf(field: string, list: Slot<readonly string[]>, at?: string): Filter {
  const compared = {
    kind: 'compare',
    field,
    operator: 'in',
    fold: false,
    values: [],
    list,
  } as const
  return at === undefined ? compared : { ...compared, at: [at] }
}

/** Null when nothing is asked. */
export function allOf(filters: readonly (Filter | null)[]): Filter | null {
  const of = filters.filter((filter) => filter !== null)
  const [first = null] = of
  return of.length > 1 ? { kind: 'and', of } : first
}

/** The comparisons of the store on a value that is known already and no row of it. */
export function isMet(
  value: Scalar,
  operator: CompareOperator,
  wanted: readonly Scalar[],
): boolean {
  if (value === null) return false
  const [first = '', second = ''] = wanted.map(String)
  switch (operator) {
    case 'eq':
      return isSame(value, first)
    case 'in':
      return wanted.some((each) => isSame(value, String(each)))
    case 'gt':
      return order(value, first) > 0
    case 'gte':
      return order(value, first) >= 0
    case 'lt':
      return order(value, first) < 0
    case 'lte':
      return order(value, first) <= 0
    case 'between':
      return order(value, first) >= 0 && order(value, second) <= 0
    case 'startsWith':
      return folded(value).startsWith(fold(first))
    case 'contains':
      return folded(value).includes(fold(first))
    case 'endsWith':
      return folded(value).endsWith(fold(first))
    default:
      throw new Error(`${operator} is asked of stored values only`)
  }
}

function isSame(value: Exclude<Scalar, null>, text: string): boolean {
  if (typeof value === 'boolean') return (value ? /^(?:1|true)$/i : /^(?:0|false)$/i).test(text)
  return typeof value === 'number' ? value === Number(text) : folded(value) === fold(text)
}

/** Below 0 when the value comes before the text. */
export function order(value: Exclude<Scalar, null>, text: string): number {
  if (typeof value === 'number') return value - Number(text)
  // Bytes of UTF-8 compare as code points do, and as the store does; texts of JavaScript do not.
  return Buffer.compare(Buffer.from(folded(value)), Buffer.from(fold(text)))
}

function folded(value: Exclude<Scalar, null>): string {
  return fold(String(value))
}
