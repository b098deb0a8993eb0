import type { JsonValue } from '../../json.ts'
import type { TextAttribute } from '../../model.ts'
import type { Scalar } from '../../query/ast.ts'
import type { FieldResult, StoredColumn } from '../kind.ts'
import { accepted, refused } from './results.ts'

/** PostgreSQL cannot store U+0000, and half a surrogate pair is no character (content model §3.1). */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Characters as people count them, not UTF-16 units. */
export function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

function parseText(value: unknown): FieldResult<string> {
  if (typeof value !== 'string') return refused('type', 'must be a text')
  if (!isStorableText(value)) return refused('text', 'contains a character that cannot be stored')
  return accepted(value)
}

/** Text of at most `most` characters, fewer when the attribute says so. */
export function parseBoundedText(
  value: unknown,
  { maxLength }: Pick<TextAttribute, 'maxLength'>,
  most = Number.POSITIVE_INFINITY,
): FieldResult<string> {
  const text = parseText(value)
  const limit = Math.min(maxLength ?? most, most)
  if (!text.ok || text.value.length <= limit || lengthOf(text.value) <= limit) return text
  return refused('maxLength', `must have at most ${limit} characters`)
}

export function checkMinLength(value: JsonValue, { minLength = 0 }: TextAttribute) {
  if (typeof value !== 'string' || hasLength(value, minLength)) return undefined
  return { rule: 'minLength', message: `must have at least ${minLength} characters` }
}

/** Long texts need no counting: a character has at most two units. */
function hasLength(text: string, length: number): boolean {
  return text.length >= length * 2 || lengthOf(text) >= length
}

export function parseTextFilter(value: Exclude<Scalar, null>): FieldResult<string> {
  return parseText(String(value))
}

/** For kinds whose column holds what answers show. */
export function textColumn(value: JsonValue): string {
  if (typeof value !== 'string') throw new TypeError('the value of a text column is not a text')
  return value
}

export function textFromColumn(stored: StoredColumn): string {
  return String(stored)
}
