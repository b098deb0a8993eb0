import { renderBlocks } from '../blocks/html.ts'
import { blocksOfText, textOfBlocks } from '../blocks/text.ts'
import { kindOf } from '../fields/index.ts'
import type { JsonValue } from '../json.ts'
import type { ScalarAttribute } from '../model.ts'

const NUMBERS = new Set(['biginteger', 'float', 'decimal'])
const TO_BLOCKS = new Set(['string', 'text'])
const FROM_STRING = new Set(['text', 'richtext', 'uid', 'enumeration'])

/**
 * Content model §11: conversions that need no force as long as every value fits. A hash of a
 * password is nobody's text.
 */
export function isKeptConversion(from: ScalarAttribute, to: ScalarAttribute): boolean {
  if (isBlocks(to)) return isBlocks(from) || TO_BLOCKS.has(from.type)
  if (from.type === to.type) return true
  if (from.type === 'password') return false
  if (to.type === 'string' || to.type === 'text') return true
  if (from.type === 'integer') return NUMBERS.has(to.type)
  return from.type === 'string' && FROM_STRING.has(to.type)
}

/** The value as the other kind has it; null when it has no such value. */
export function convertValue(
  value: JsonValue,
  from: ScalarAttribute,
  to: ScalarAttribute,
): JsonValue {
  if (from.type === 'password' || to.type === 'password') return null
  const given = givenTo(to, value, from)
  const result = kindOf(to).parse(given, to)
  return result.ok ? result.value : null
}

/** The value in words of the other kind. Markup is not read as nodes, which would lose some of it. */
function givenTo(to: ScalarAttribute, value: JsonValue, from: ScalarAttribute): JsonValue {
  if (isBlocks(to)) return TO_BLOCKS.has(from.type) ? blocksOfText(textOf(value)) : value
  if (!isTextKind(to.type)) return value
  if (!isBlocks(from)) return textOf(value)
  const isMarkup = to.type === 'richtext' && to.format !== 'plain_text'
  return isMarkup ? renderBlocks(value) : textOfBlocks(value)
}

function isBlocks(attribute: ScalarAttribute): boolean {
  return 'format' in attribute && attribute.format === 'blocks'
}

function isTextKind(type: ScalarAttribute['type']): boolean {
  return ['string', 'text', 'richtext', 'email', 'uid', 'enumeration'].includes(type)
}

function textOf(value: JsonValue): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map((item) => textOf(item)).join(', ')
  if (typeof value === 'object' && value !== null) return linkText(value) ?? JSON.stringify(value)
  return String(value)
}

/** The address is what people mean by the text of a link. */
function linkText(value: object): string | undefined {
  return 'url' in value && typeof value.url === 'string' && 'target' in value
    ? value.url
    : undefined
}
