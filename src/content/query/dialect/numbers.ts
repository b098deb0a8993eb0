import { wireKindOf } from '../../fields/index.ts'
import { scaleOf } from '../../fields/support/decimals.ts'
import type { ScalarAttribute } from '../../model.ts'
import type { CompareOperator, Filter, Scalar } from '../ast.ts'
import type { Slot } from '../slot.ts'
import { compare, type How, NEVER } from './filters.ts'

/** The numbers that a column can hold. */
interface NumberRange {
  /** Its decimals. */
  readonly scale: number
  /** The first whole number above every value, in units of the last decimal. */
  readonly limit: bigint
}

/** Content model §3.1: decimals have 15 digits, whole numbers less or 64 bit. */
const DIGITS_15 = 10n ** 15n
const BITS_64 = 2n ** 63n

export const WHOLE: NumberRange = { scale: 0, limit: DIGITS_15 }

/** Undefined for what is no number, and for numbers of any size and fraction. */
export function numberRangeOf(attribute: ScalarAttribute): NumberRange | undefined {
  switch (wireKindOf(attribute)) {
    case 'integer':
      return WHOLE
    case 'bigInteger':
      return { scale: 0, limit: BITS_64 }
    case 'decimal':
      return { scale: scaleOf('scale' in attribute ? attribute : {}), limit: DIGITS_15 }
    default:
      return undefined
  }
}

/** Also as JSON writes the very large and the very small ones: `1e+21`, `1e-7`. */
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/
/** Longer texts are no numbers of ours, and converting them would take time. */
const LONGEST = 60

/** A number between those that a column can hold: the next one below it, and whether it is that. */
interface Boundary {
  readonly scaled: bigint
  readonly isExact: boolean
  /** The next one below it, as a decimal text. */
  readonly text: string
}

/** `scale` is the number of decimals of the column; undefined when the text is no number. */
export function parseBoundary(text: string, scale: number): Boundary | undefined {
  const [, sign, before = '', after = '', exponent = '0'] =
    (text.length <= LONGEST ? NUMBER.exec(text) : null) ?? []
  if (sign === undefined || before + after === '') return undefined
  const [whole, fraction] = moved(before, after, Number(exponent))
  const kept = fraction.slice(0, scale).padEnd(scale, '0')
  const isExact = !/[1-9]/.test(fraction.slice(scale))
  const size = BigInt(`${whole}${kept}` || '0')
  const isNegative = sign === '-'
  const scaled = isNegative ? -size - (isExact ? 0n : 1n) : size
  return { scaled, isExact, text: toText(scaled, scale) }
}

/** The digits before and after a point that moves by so many places. */
function moved(whole: string, fraction: string, places: number): readonly [string, string] {
  if (places >= 0) {
    const digits = fraction.padEnd(places, '0')
    return [whole + digits.slice(0, places), digits.slice(places)]
  }
  const digits = whole.padStart(-places, '0')
  const at = digits.length + places
  return [digits.slice(0, at), digits.slice(at) + fraction]
}

function toText(scaled: bigint, scale: number): string {
  if (scale === 0) return String(scaled)
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(scale + 1, '0')
  return `${scaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** By size, also where the column can hold neither the number nor anything near it. */
export function compareNumber(
  field: string,
  operator: CompareOperator,
  bound: Slot<Boundary>,
  { limit }: NumberRange,
  how: How = {},
): Filter {
  const side = bound.look(({ scaled }) => (scaled >= limit ? 1 : scaled <= -limit ? -1 : 0))
  if (side !== 0) return beyond(field, operator, side > 0)
  const value = bound.map((own) => own.text)
  const isExact = bound.look((own) => own.isExact)
  return isExact ? compare(field, operator, value, how) : between(field, operator, value, how)
}

/** Compared with what lies behind this value of the field and before the next one. */
export function between(
  field: string,
  operator: CompareOperator,
  value: Slot<Scalar>,
  how: How = {},
): Filter {
  if (operator === 'eq') return NEVER
  const isAbove = operator === 'gt' || operator === 'gte'
  return compare(field, isAbove ? 'gt' : 'lte', value, how)
}

/** Every value lies on one side of it. */
function beyond(field: string, operator: CompareOperator, isAbove: boolean): Filter {
  const isMet = isAbove
    ? operator === 'lt' || operator === 'lte'
    : operator === 'gt' || operator === 'gte'
  return isMet ? { kind: 'not', of: { kind: 'missing', field } } : NEVER
}
