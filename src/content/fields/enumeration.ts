import Type from 'typebox'
import type { EnumerationAttribute } from '../model.ts'
import type { FieldKind } from './kind.ts'
import { accepted, refused } from './support/results.ts'
import { parseTextFilter, textColumn, textFromColumn } from './support/text.ts'

/** One of the texts its attribute lists. */
export const enumeration: FieldKind<EnumerationAttribute> = {
  type: 'enumeration',
  wireKind: 'text',
  options: Type.Object({
    enum: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      minItems: 1,
      maxItems: 200,
      uniqueItems: true,
    }),
  }),
  column: { kind: 'text', compared: true, folded: true, indexed: true },
  searched: true,
  openapi: (attribute) => ({ type: 'string', enum: attribute.enum }),
  parse(value, attribute) {
    const known = attribute.enum.find((choice) => choice === value)
    if (known !== undefined) return accepted(known)
    return refused('enum', `must be one of ${attribute.enum.join(', ')}`)
  },
  checkLive: () => undefined,
  toColumn: textColumn,
  fromColumn: textFromColumn,
  parseFilter: parseTextFilter,
}
