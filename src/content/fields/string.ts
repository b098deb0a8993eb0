import Type from 'typebox'
import type { TextAttribute } from '../model.ts'
import type { FieldKind, FieldResult } from './kind.ts'
import { LENGTHS } from './support/options.ts'
import { compilePattern, matchesPattern } from './support/patterns.ts'
import { accepted, refused } from './support/results.ts'
import {
  checkMinLength,
  parseBoundedText,
  parseTextFilter,
  textColumn,
  textFromColumn,
} from './support/text.ts'

const LONGEST = 255

/** One line of text. */
export const string: FieldKind<TextAttribute> = {
  type: 'string',
  wireKind: 'text',
  options: Type.Object({ ...LENGTHS, regex: Type.Optional(Type.String({ maxLength: 500 })) }),
  column: { kind: 'text', compared: true, folded: true, indexed: true },
  searched: true,
  openapi: () => ({ type: 'string' }),
  parse(value, attribute) {
    const text = parseBoundedText(toText(value), attribute, LONGEST)
    return text.ok ? checkPattern(text.value, attribute) : text
  },
  checkLive: checkMinLength,
  toColumn: textColumn,
  fromColumn: textFromColumn,
  parseFilter: parseTextFilter,
}

function toText(value: unknown): unknown {
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : value
}

function checkPattern(text: string, { regex }: TextAttribute): FieldResult<string> {
  if (regex === undefined) return accepted(text)
  const pattern = compilePattern(regex)
  if (pattern && matchesPattern(pattern, text)) return accepted(text)
  return refused('regex', `must match ${regex}`)
}
