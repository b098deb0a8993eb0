import Type from 'typebox'
import type { NumberAttribute } from '../model.ts'
import type { FieldKind } from './kind.ts'
import {
  checkMax,
  checkMin,
  numberColumn,
  numberFromColumn,
  parseInteger,
} from './support/numbers.ts'
import { refused } from './support/results.ts'

const Bound = Type.Optional(Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }))

/** A whole number within 32 bit. */
export const integer: FieldKind<NumberAttribute> = {
  type: 'integer',
  wireKind: 'integer',
  options: Type.Object({ min: Bound, max: Bound }),
  column: { kind: 'integer', compared: true, folded: false, indexed: true },
  searched: true,
  openapi: () => ({ type: 'integer' }),
  parse(value, attribute) {
    const number = parseInteger(value)
    if (!number.ok) return number
    // Minus zero would be shown as 0 and yet differ from it.
    const plain = number.value + 0
    if ((plain | 0) !== plain) return refused('range', 'must be within 32 bit')
    return checkMax(plain, attribute)
  },
  checkLive: checkMin,
  toColumn: numberColumn,
  fromColumn: numberFromColumn,
  parseFilter: parseInteger,
}
