import { kindOf } from '../../fields/index.ts'
import type { ColumnValue, FieldResult } from '../../fields/kind.ts'
import type { PlainAttribute } from '../../model.ts'
import type { Scalar } from '../ast.ts'
import { type Sql, sql } from '../fragment.ts'

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

type Value = Exclude<Scalar, null>

/** Of system members, which no attribute describes. */
const MOMENT: PlainAttribute = {
  type: 'datetime',
  no: 0,
  name: '',
  required: false,
  unique: false,
  private: false,
  searchable: false,
  localized: false,
  unversioned: false,
}
const INTEGER = /^-?\d{1,15}$/

function parseText(value: Value): FieldResult<string> {
  return { ok: true, value: String(value) }
}

function parseWhole(value: Value): FieldResult<number> {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return { ok: true, value }
  if (typeof value === 'string' && INTEGER.test(value)) return { ok: true, value: Number(value) }
  return { ok: false, rule: 'type', message: 'must be an integer' }
}

export function parseFinite(value: Value): FieldResult<number> {
  const number = typeof value === 'number' ? value : Number(value)
  if (value !== '' && Number.isFinite(number)) return { ok: true, value: number }
  return { ok: false, rule: 'type', message: 'must be a number' }
}

export function parseMoment(value: Value) {
  return kindOf(MOMENT).parseFilter(value, MOMENT)
}

export function parseFlag(value: Value): FieldResult<number> {
  if (['true', 't', '1'].includes(String(value))) return { ok: true, value: 1 }
  if (['false', 'f', '0'].includes(String(value))) return { ok: true, value: 0 }
  return { ok: false, rule: 'type', message: 'must be true or false' }
}

/** Kilobytes with two decimals, compared as hundredths. */
export function parseKilobytes(value: Value): FieldResult<number> {
  const hundredths = Number(value) * 100
  const whole = Math.round(hundredths)
  if (value !== '' && Math.abs(hundredths - whole) < 1e-6 && Number.isSafeInteger(whole)) {
    return { ok: true, value: whole }
  }
  return { ok: false, rule: 'type', message: 'must be a number with at most two decimals' }
}
