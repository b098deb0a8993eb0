import Type from 'typebox'
import type { TextAttribute } from '../model.ts'
import type { FieldKind } from './kind.ts'
import { LENGTHS } from './support/options.ts'
import {
  checkMinLength,
  parseBoundedText,
  parseTextFilter,
  textColumn,
  textFromColumn,
} from './support/text.ts'

/** Text of any length. */
export const text: FieldKind<TextAttribute> = {
  type: 'text',
  wireKind: 'text',
  options: Type.Object(LENGTHS),
  column: { kind: 'text', compared: true, folded: true, indexed: false },
  searched: true,
  openapi: () => ({ type: 'string' }),
  parse: (value, attribute) => parseBoundedText(value, attribute),
  checkLive: checkMinLength,
  toColumn: textColumn,
  fromColumn: textFromColumn,
  parseFilter: parseTextFilter,
}
