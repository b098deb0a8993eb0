import { isObject } from '#kernel'
import type { JsonValue } from '../json.ts'
import type { PlainAttribute } from '../model.ts'
import type { FieldKind, FieldResult } from './kind.ts'
import { NONE } from './support/options.ts'
import { accepted, notComparable, refused } from './support/results.ts'
import { isStorableText } from './support/text.ts'

const DEEPEST = 64

/** Any JSON, kept as text, so that the order of members stays what it was. */
export const json: FieldKind<PlainAttribute> = {
  type: 'json',
  wireKind: 'json',
  options: NONE,
  column: { kind: 'text', compared: false, folded: false, indexed: false },
  searched: false,
  openapi: () => ({}),
  parse: parseJson,
  checkLive: () => undefined,
  toColumn: (value) => JSON.stringify(value),
  fromColumn: (stored): JsonValue => JSON.parse(String(stored)),
  parseFilter: notComparable,
}

export function parseJson(value: unknown): FieldResult<JsonValue> {
  if (isJson(value, 0)) return accepted(value)
  return refused('json', `must be JSON of at most ${DEEPEST} levels with storable text`)
}

function isJson(value: unknown, depth: number): value is JsonValue {
  if (value === null || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value === 'string') return isStorableText(value)
  if (depth >= DEEPEST) return false
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1))
  return isObject(value) && hasJsonMembers(value, depth)
}

function hasJsonMembers(value: Record<string, unknown>, depth: number): boolean {
  return Object.entries(value).every(
    ([name, member]) => isStorableText(name) && isJson(member, depth + 1),
  )
}
