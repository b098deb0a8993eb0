import Type from 'typebox'
import type { TextAttribute } from '../model.ts'
import type { FieldKind } from './kind.ts'
import { LENGTHS } from './support/options.ts'
import { notComparable, refused } from './support/results.ts'
import { lengthOf, parseBoundedText, textColumn, textFromColumn } from './support/text.ts'

const LONGEST = 1024

/** Never shown and never compared: the column holds a hash, which is made before the write. */
export const password: FieldKind<TextAttribute> = {
  type: 'password',
  wireKind: 'secret',
  options: Type.Object(LENGTHS),
  column: { kind: 'text', compared: false, folded: false, indexed: false },
  searched: false,
  openapi: () => ({ type: 'string' }),
  /** Also `minLength`: once hashed, nobody can check it. */
  parse(value, attribute) {
    const text = parseBoundedText(value, attribute, LONGEST)
    if (!text.ok || lengthOf(text.value) >= (attribute.minLength ?? 1)) return text
    return refused('minLength', `must have at least ${attribute.minLength ?? 1} characters`)
  },
  checkLive: () => undefined,
  toColumn: textColumn,
  fromColumn: textFromColumn,
  parseFilter: notComparable,
}
