import type { TObject } from 'typebox'
import type { JsonValue } from '../json.ts'
import type { Attribute, ScalarAttribute } from '../model.ts'
import type { Scalar } from '../query/ast.ts'

/** What a database compares. 64-bit integers beyond 2^53 travel as bigint. */
export type ColumnValue = string | number | bigint | null

/** As a column is read: 64-bit integers are selected as text, so that none is rounded. */
export type StoredColumn = string | number

interface ColumnShape {
  readonly kind: 'text' | 'integer' | 'double'
  /** False: the column only keeps the value; all that can be asked is whether there is one. */
  readonly compared: boolean
  /** Text that is compared without regard to case has its folded form beside it, in `f<no>`. */
  readonly folded: boolean
  /** Short enough for an index of its own; the others are scanned. */
  readonly indexed: boolean
}

export type FieldResult<Value> =
  /** `format`: of a richtext value, stored beside it. */
  | { readonly ok: true; readonly value: Value; readonly format?: string }
  /** `at`: where in the value, when not in the whole of it. */
  | {
      readonly ok: false
      readonly rule: string
      readonly message: string
      readonly at?: readonly (string | number)[]
    }

/**
 * What a value is to whoever shows, takes or compares it. Kinds that differ only in what they accept
 * share one, so that dialects say of each of these, and of no kind, what is particular on their wire.
 */
export type WireKind =
  | 'text'
  /** Text that has a format. */
  | 'markup'
  /** Rich text as a list of nodes. */
  | 'blocks'
  /** Never shown. */
  | 'secret'
  | 'integer'
  /** Stored as a text of digits. */
  | 'bigInteger'
  | 'decimal'
  | 'float'
  | 'boolean'
  | 'date'
  | 'time'
  | 'datetime'
  | 'json'
  | 'words'
  | 'link'

export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * One kind of attribute, one file: what it accepts, how it is stored and compared (content model
 * §3.1). `required`, `minLength` and `min` are separate, because drafts need not keep them.
 */
export interface FieldKind<A extends ScalarAttribute = ScalarAttribute> {
  readonly type: A['type']
  readonly wireKind: WireKind
  /** Schema of the options this kind has beside those of every attribute. */
  readonly options: TObject
  /** Every value has its column, so that a copy can be rendered anew when its type changes. */
  readonly column: ColumnShape
  /** An empty value is replaced by one that is made. */
  readonly generated?: true
  /** Whether `_q` looks into it when the attribute is searchable. */
  readonly searched: boolean
  /** JSON Schema of a value as it is shown by a dialect that has no form of its own for the kind. */
  openapi(attribute: A): JsonSchema
  /** Untrusted input, not null, to what answers show; `message` completes a sentence after the name. */
  parse(value: unknown, attribute: A): FieldResult<JsonValue>
  /** Rules that count only when an entry is or goes live; undefined when all is well. */
  checkLive(value: JsonValue, attribute: A): { rule: string; message: string } | undefined
  toColumn(value: JsonValue, attribute: A): Exclude<ColumnValue, null>
  /** What `toColumn` was given. */
  fromColumn(stored: StoredColumn, attribute: A): JsonValue
  /** What of a value is folded and searched, where that is not what its column holds. */
  searchText?(value: JsonValue): string
  /** A value of a filter, not null, as the column holds it; refuses what is of the wrong type. */
  parseFilter(value: Exclude<Scalar, null>, attribute: A): FieldResult<Exclude<ColumnValue, null>>
}

/** Names of the attribute's columns. */
export function columnOf(attribute: Pick<Attribute, 'no'>): `a${number}` {
  return `a${attribute.no}`
}

export function foldColumnOf(attribute: Pick<Attribute, 'no'>): `f${number}` {
  return `f${attribute.no}`
}
