import Type from 'typebox'
import type { TextAttribute } from '../model.ts'
import type { FieldKind } from './kind.ts'
import { LENGTHS } from './support/options.ts'
import { refused } from './support/results.ts'
import {
  checkMinLength,
  parseBoundedText,
  parseTextFilter,
  textColumn,
  textFromColumn,
} from './support/text.ts'

const LONGEST = 255
const FORM = /^[A-Za-z0-9\-_.~]*$/

/** A name for URLs, unique per type and locale. An empty one is replaced by a generated one. */
export const uid: FieldKind<TextAttribute> = {
  type: 'uid',
  wireKind: 'text',
  generated: true,
  options: Type.Object({ ...LENGTHS, targetField: Type.Optional(Type.String()) }),
  column: { kind: 'text', compared: true, folded: true, indexed: true },
  searched: true,
  openapi: () => ({ type: 'string' }),
  parse(value, attribute) {
    const text = parseBoundedText(value, attribute, LONGEST)
    if (!text.ok || FORM.test(text.value)) return text
    return refused('uid', 'may contain only letters A to Z, digits and the characters - _ . ~')
  },
  checkLive: checkMinLength,
  toColumn: textColumn,
  fromColumn: textFromColumn,
  parseFilter: parseTextFilter,
}
