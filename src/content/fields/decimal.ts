import Type from 'typebox'
import type { NumberAttribute } from '../model.ts'
import type { FieldKind, FieldResult } from './kind.ts'
import { scaleOf, scaleText } from './support/decimals.ts'
import { checkMax, checkMin, isNumberText, numberColumn } from './support/numbers.ts'
import { RANGE } from './support/options.ts'
import { accepted, refused } from './support/results.ts'

const MOST_DIGITS = 15
const LIMIT = 10n ** BigInt(MOST_DIGITS)

/** An exact number, stored as a whole number of its smallest unit, so that sums and bounds are exact. */
export const decimal: FieldKind<NumberAttribute> = {
  type: 'decimal',
  wireKind: 'decimal',
  options: Type.Object({
    ...RANGE,
    scale: Type.Optional(Type.Integer({ minimum: 2, maximum: 8 })),
  }),
  column: { kind: 'integer', compared: true, folded: false, indexed: true },
  searched: true,
  openapi: () => ({ type: 'number' }),
  parse(value, attribute) {
    const scaled = parseScaled(value, attribute)
    return scaled.ok ? checkMax(scaled.value / unitOf(attribute), attribute) : scaled
  },
  checkLive: checkMin,
  toColumn: (value, attribute) =>
    Number(scaleText(String(numberColumn(value)), scaleOf(attribute))),
  fromColumn: (stored, attribute) => Number(stored) / unitOf(attribute),
  parseFilter: parseScaled,
}

function parseScaled(value: unknown, attribute: NumberAttribute): FieldResult<number> {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !isNumberText(text)) return refused('type', 'must be a number')
  const scale = scaleOf(attribute)
  const scaled = scaleText(text, scale)
  if (scaled === undefined) return refused('scale', `must have at most ${scale} decimal places`)
  if (scaled >= LIMIT || scaled <= -LIMIT) {
    return refused('digits', `must have at most ${MOST_DIGITS} digits, ${scale} of them fraction`)
  }
  return accepted(Number(scaled))
}

function unitOf(attribute: NumberAttribute): number {
  return 10 ** scaleOf(attribute)
}
