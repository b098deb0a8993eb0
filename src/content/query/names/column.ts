import type { ColumnValue, FieldResult } from '../../fields/kind.ts'
import type { Scalar } from '../ast.ts'
import { type Sql, sql } from '../fragment.ts'
import { parseText, parseWhole } from './parse-value.ts'

type Comparable = Exclude<ColumnValue, null>

/** A value that can be compared, as SQL of the row named `alias`. */
export interface Column {
  /** Of the column in its table: two columns of one scope with the same name are the same. */
  readonly name: string
  readonly kind: 'text' | 'integer' | 'double'
  readonly nullable: boolean
  /** Parts of it can be asked for: `contains`, `startsWith`, `endsWith`. */
  readonly textual: boolean
  /** An index may serve it; otherwise a comparison scans. */
  readonly indexed: boolean
  /** May hold integers beyond 2^53, which are read as text. */
  readonly big: boolean
  /** Of integers that stand for decimals: how many digits are fraction. */
  readonly scale: number
  /** Of flags that nearly every entry has: those without it, which an index finds. */
  readonly rare: ((alias: string) => Sql) | null
  /** Lies in the registry of entries and not in the table of values. */
  readonly registry: boolean
  sql(alias: string): Sql
  /** The same without regard to case; null when there is no difference. */
  readonly fold: ((alias: string) => Sql) | null
  parse(value: Exclude<Scalar, null>): FieldResult<Comparable>
}

const BASE = {
  ...{ nullable: false, indexed: true, big: false, scale: 0, registry: false },
  ...{ fold: null, rare: null },
} as const

export function textColumn(name: string, more: Partial<Column> = {}): Column {
  const own = { name, kind: 'text', textual: true, parse: parseText } as const
  return { ...BASE, ...own, sql: columnAt(name), ...more }
}

export function wholeColumn(name: string, more: Partial<Column> = {}): Column {
  const own = { name, kind: 'integer', textual: false, parse: parseWhole } as const
  return { ...BASE, ...own, sql: columnAt(name), ...more }
}

export function columnAt(name: string): Column['sql'] {
  return (alias) => sql.ref(`${alias}.${name}`)
}
