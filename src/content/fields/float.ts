import Type from 'typebox'
import type { NumberAttribute } from '../model.ts'
import type { FieldKind } from './kind.ts'
import {
  checkMax,
  checkMin,
  numberColumn,
  numberFromColumn,
  parseNumber,
} from './support/numbers.ts'
import { RANGE } from './support/options.ts'

/** A finite number in binary floating point. */
export const float: FieldKind<NumberAttribute> = {
  type: 'float',
  wireKind: 'float',
  options: Type.Object(RANGE),
  column: { kind: 'double', compared: true, folded: false, indexed: true },
  searched: true,
  openapi: () => ({ type: 'number' }),
  parse(value, attribute) {
    const number = parseNumber(value)
    return number.ok ? checkMax(number.value + 0, attribute) : number
  },
  checkLive: checkMin,
  toColumn: numberColumn,
  fromColumn: numberFromColumn,
  parseFilter: parseNumber,
}
