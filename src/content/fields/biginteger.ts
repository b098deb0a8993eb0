import Type from 'typebox'
import type { NumberAttribute } from '../model.ts'
import type { ColumnValue, FieldKind } from './kind.ts'
import { parseBigInteger } from './support/numbers.ts'
import { accepted, refused } from './support/results.ts'
import { textColumn, textFromColumn } from './support/text.ts'

const Bound = Type.Optional(Type.Union([Type.Integer(), Type.String({ pattern: '^-?\\d{1,19}$' })]))

/** A whole number within 64 bit, shown as text because JSON numbers lose digits beyond 2^53. */
export const biginteger: FieldKind<NumberAttribute> = {
  type: 'biginteger',
  wireKind: 'bigInteger',
  options: Type.Object({ min: Bound, max: Bound }),
  column: { kind: 'integer', compared: true, folded: false, indexed: true },
  searched: true,
  openapi: () => ({ type: 'string', pattern: '^-?\\d+$' }),
  parse(value, { max }) {
    const big = parseBigInteger(value)
    if (!big.ok) return big
    if (max !== undefined && big.value > BigInt(max)) {
      return refused('max', `must be at most ${max}`)
    }
    return accepted(String(big.value))
  },
  checkLive(value, { min }) {
    if (min === undefined || BigInt(textColumn(value)) >= BigInt(min)) return undefined
    return { rule: 'min', message: `must be at least ${min}` }
  },
  toColumn: (value) => toNumber(BigInt(textColumn(value))),
  fromColumn: textFromColumn,
  parseFilter(value) {
    const big = parseBigInteger(value)
    return big.ok ? accepted(toNumber(big.value)) : big
  },
}

function toNumber(big: bigint): Exclude<ColumnValue, null> {
  const number = Number(big)
  return Number.isSafeInteger(number) ? number : big
}
