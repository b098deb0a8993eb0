import { BooleanField } from './boolean.tsx'
import { EnumerationField, TagsField } from './choices.tsx'
import { ComponentField, ZoneField } from './component.tsx'
import type { FieldEditor } from './field.ts'
import { JsonField } from './json.tsx'
import { LinkField } from './link.tsx'
import { MediaField } from './media.tsx'
import { NumberField } from './number.tsx'
import { PasswordField } from './password.tsx'
import { RelationField } from './relation.tsx'
import { RichtextField } from './richtext.tsx'
import { StringField, TextField } from './text.tsx'
import { DateField, DatetimeField, TimeField } from './times.tsx'
import { UidField } from './uid.tsx'

/** The editor of each kind of attribute. One the console does not know yet is written as JSON. */
const EDITORS: Readonly<Record<string, FieldEditor>> = {
  string: StringField,
  email: StringField,
  text: TextField,
  richtext: RichtextField,
  uid: UidField,
  password: PasswordField,
  enumeration: EnumerationField,
  tags: TagsField,
  integer: NumberField,
  biginteger: NumberField,
  float: NumberField,
  decimal: NumberField,
  boolean: BooleanField,
  date: DateField,
  time: TimeField,
  datetime: DatetimeField,
  json: JsonField,
  link: LinkField,
  media: MediaField,
  relation: RelationField,
  component: ComponentField,
  dynamiczone: ZoneField,
}

export function editorOf(kind: string): FieldEditor {
  return EDITORS[kind] ?? JsonField
}
