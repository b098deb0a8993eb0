import { fold } from '../fold.ts'
import type { JsonValue } from '../json.ts'
import { type Attribute, isScalar, type ScalarAttribute } from '../model.ts'
import { biginteger } from './biginteger.ts'
import { boolean } from './boolean.ts'
import { date } from './date.ts'
import { datetime } from './datetime.ts'
import { decimal } from './decimal.ts'
import { email } from './email.ts'
import { enumeration } from './enumeration.ts'
import { float } from './float.ts'
import { integer } from './integer.ts'
import { json } from './json.ts'
import type { FieldKind, JsonSchema, WireKind } from './kind.ts'
import { link } from './link.ts'
import { password } from './password.ts'
import { richtext } from './richtext.ts'
import { string } from './string.ts'
import { blocks } from './support/blocks.ts'
import { tags } from './tags.ts'
import { text } from './text.ts'
import { time } from './time.ts'
import { uid } from './uid.ts'

/** Every kind of scalar attribute by the name that definitions use. */
export const FIELD_KINDS: Readonly<Record<ScalarAttribute['type'], FieldKind>> = {
  string,
  text,
  richtext,
  email,
  uid,
  password,
  enumeration,
  integer,
  biginteger,
  float,
  decimal,
  boolean,
  date,
  time,
  datetime,
  json,
  tags,
  link,
}

export function kindOf(attribute: Pick<ScalarAttribute, 'type'> & { format?: string }): FieldKind {
  return attribute.format === 'blocks' ? blocks : FIELD_KINDS[attribute.type]
}

/** What the column of folded text holds of a value. */
export function foldedText(attribute: ScalarAttribute, value: JsonValue): string {
  const { searchText, toColumn } = kindOf(attribute)
  return fold(searchText ? searchText(value) : String(toColumn(value, attribute)))
}

export function openapiOf(attribute: ScalarAttribute): JsonSchema {
  return kindOf(attribute).openapi(attribute)
}

export function wireKindOf(attribute: ScalarAttribute): WireKind {
  return kindOf(attribute).wireKind
}

/** Values of it have an order; of others all that can be asked is whether there is one. */
export function isCompared(attribute: ScalarAttribute): boolean {
  return kindOf(attribute).column.compared
}

/** Its values are made where none are given. */
export function isGenerated(attribute: Attribute): boolean {
  return isScalar(attribute) && kindOf(attribute).generated === true
}

/** No other entry of the type and locale may have the value; a uid is unique without saying so. */
export function isUnique(attribute: Attribute): boolean {
  return attribute.unique || attribute.type === 'uid'
}
