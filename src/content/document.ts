import { type AliasedRawBuilder, sql } from 'kysely'
import { kindOf, wireKindOf } from './fields/index.ts'
import { columnOf } from './fields/kind.ts'
import type { JsonValue } from './json.ts'
import { type Attribute, type FieldSet, isScalar, type ScalarAttribute } from './model.ts'

/** Values of scalar attributes by the number of the attribute; absent or null: no value. */
export type Values = ReadonlyMap<number, JsonValue>

export function scalarsOf(set: FieldSet): ScalarAttribute[] {
  return set.attributes.filter(isScalar)
}

/** What answers may show: neither private attributes nor passwords. */
export function isShown(attribute: Attribute): boolean {
  return !attribute.private && !(isScalar(attribute) && wireKindOf(attribute) === 'secret')
}

/** The JSON text of `doc`: the shown scalars in declared order, null where there is no value. */
export function renderDocument(set: FieldSet, values: Values): string {
  const members = scalarsOf(set)
    .filter(isShown)
    .map(({ name, no }) => `${JSON.stringify(name)}:${JSON.stringify(values.get(no) ?? null)}`)
  return `{${members.join(',')}}`
}

/**
 * The members of such a text by name, each as its JSON. Nothing is parsed: most of what answers show of an
 * entry they show as it is stored. Names of attributes need no escaping.
 */
export function cutDocument(json: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>()
  let start = 1
  while (start < json.length - 1) {
    const colon = json.indexOf('":', start)
    const end = endOfValue(json, colon + 2)
    members.set(json.slice(start + 1, colon), json.slice(colon + 2, end))
    start = end + 1
  }
  return members
}

/** Where the value ends that begins there: at its comma or at the end of what it stands in. */
function endOfValue(json: string, start: number): number {
  let depth = 0
  for (let at = start; at < json.length; at++) {
    switch (json[at]) {
      case '"':
        at = endOfText(json, at)
        break
      case '{':
      case '[':
        depth++
        break
      case ',':
        if (depth === 0) return at
        break
      case '}':
      case ']':
        if (depth-- === 0) return at
    }
  }
  return json.length
}

/** The place of the quote that ends a text: one before which stands an even number of backslashes. */
function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at > 0; at = json.indexOf('"', at + 1)) {
    let first = at
    while (json[first - 1] === '\\') first--
    if ((at - first) % 2 === 0) return at
  }
  return json.length
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
