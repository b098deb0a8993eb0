import { type AliasedRawBuilder, sql } from 'kysely'
import { kindOf, wireKindOf } from './fields/index.ts'
import { columnOf } from './fields/kind.ts'
import type { JsonValue } from './json.ts'
import { type Attribute, type FieldSet, isScalar, type ScalarAttribute } from './model.ts'

/** Values of scalar attributes by the number of the attribute; absent or null: no value. */
export type Values = ReadonlyMap<number, JsonValue>

const scalars = new WeakMap<FieldSet, readonly ScalarAttribute[]>()

/** Asked for every value that is written, so it is made once for each definition. */
export function scalarsOf(set: FieldSet): readonly ScalarAttribute[] {
  const known = scalars.get(set)
  if (known) return known
  const own = set.attributes.filter(isScalar)
  scalars.set(set, own)
  return own
}

/** What answers may show: neither private attributes nor passwords. */
export function isShown(attribute: Attribute): boolean {
  return !attribute.private && !(isScalar(attribute) && wireKindOf(attribute) === 'secret')
}

/** The JSON text of `doc`: the shown scalars in declared order, null where there is no value. */
export function renderDocument(set: FieldSet, values: Values): string {
  let text = '{'
  for (const { no, member } of membersOf(set)) {
    text += `${text === '{' ? '' : ','}${member}:${JSON.stringify(values.get(no) ?? null)}`
  }
  return `${text}}`
}

interface Member {
  readonly no: number
  /** Its name as JSON. */
  readonly member: string
}

const members = new WeakMap<FieldSet, readonly Member[]>()

function membersOf(set: FieldSet): readonly Member[] {
  const known = members.get(set)
  if (known) return known
  const shown = scalarsOf(set).filter(isShown)
  const own = shown.map(({ name, no }) => ({ no, member: JSON.stringify(name) }))
  members.set(set, own)
  return own
}

/**
 * Selects the values of a copy or a component from its columns, for `readValues`. 64-bit integers
 * come as text, since neither driver gives them as exact numbers.
 */
export function selectValues(set: FieldSet, table: string): AliasedRawBuilder<unknown, string>[] {
  return scalarsOf(set).map((attribute) => {
    const column = sql.ref(`${table}.${columnOf(attribute)}`)
    const value = attribute.type === 'biginteger' ? sql`cast(${column} as text)` : column
    return value.as(columnOf(attribute))
  })
}

/** The values of a row of `selectValues`, also when its `doc` is of an older shape. */
export function readValues(set: FieldSet, row: Readonly<Record<string, unknown>>): Values {
  const values = new Map<number, JsonValue>()
  for (const attribute of scalarsOf(set)) {
    const stored = row[columnOf(attribute)]
    if (typeof stored !== 'string' && typeof stored !== 'number') continue
    values.set(attribute.no, kindOf(attribute).fromColumn(stored, attribute))
  }
  return values
}

/** Formats of richtext values by attribute number: what `hidden` holds. */
export type Formats = Readonly<Record<string, string>>

export function renderHidden(formats: Formats): string {
  return JSON.stringify({ formats })
}

export function readHidden(hidden: string): { readonly formats: Formats } {
  return { formats: {}, ...JSON.parse(hidden) }
}
