import Type from 'typebox'
import { isObject } from '#kernel'
import type { RichtextFormat, TextAttribute } from '../model.ts'
import type { FieldKind, FieldResult } from './kind.ts'
import { LENGTHS } from './support/options.ts'
import { refused } from './support/results.ts'
import {
  checkMinLength,
  parseBoundedText,
  parseTextFilter,
  textColumn,
  textFromColumn,
} from './support/text.ts'

/** Of markup; an attribute of the format `blocks` is a kind of its own. */
const FORMATS: readonly RichtextFormat[] = [
  'basic_html',
  'full_html',
  'restricted_html',
  'markdown',
  'plain_text',
]

const MEMBERS = ['value', 'format']

/** Markup together with the name of its format: every value has one, the attribute's by default. */
export const richtext: FieldKind<TextAttribute> = {
  type: 'richtext',
  wireKind: 'markup',
  options: Type.Object({ ...LENGTHS, format: Type.Optional(Type.Enum([...FORMATS, 'blocks'])) }),
  column: { kind: 'text', compared: true, folded: true, indexed: false },
  searched: true,
  openapi: () => ({ type: 'string' }),
  parse(value, attribute) {
    if (!isObject(value)) return parseMarkup(value, undefined, attribute)
    const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name))
    if (unknown !== undefined) return refused('markup', `has no member ${unknown.slice(0, 50)}`)
    return parseMarkup(value.value, value.format ?? undefined, attribute)
  },
  checkLive: checkMinLength,
  toColumn: textColumn,
  fromColumn: textFromColumn,
  parseFilter: parseTextFilter,
}

function parseMarkup(
  value: unknown,
  given: unknown,
  attribute: TextAttribute,
): FieldResult<string> {
  const format = FORMATS.find((known) => known === (given ?? attribute.format ?? 'basic_html'))
  if (!format) return refused('format', `must have one of the formats ${FORMATS.join(', ')}`)
  const text = parseBoundedText(value, attribute)
  return text.ok ? { ...text, format } : text
}
