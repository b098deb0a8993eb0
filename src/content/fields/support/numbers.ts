import type { JsonValue } from '../../json.ts'
import type { NumberAttribute } from '../../model.ts'
import type { FieldResult, StoredColumn } from '../kind.ts'
import { accepted, refused } from './results.ts'

const INTEGER = /^[+-]?\d{1,30}$/
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i
/** Longer texts are no numbers of ours, and converting them would take time. */
const LONGEST_NUMBER = 400

/** A finite number or its text. */
export function parseNumber(value: unknown): FieldResult<number> {
  const number = typeof value === 'string' ? fromText(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    return refused('type', 'must be a number')
  }
  return accepted(number)
}

function fromText(text: string): number {
  return isNumberText(text) ? Number(text) : Number.NaN
}

export function isNumberText(text: string): boolean {
  return text.length <= LONGEST_NUMBER && NUMBER.test(text)
}

/** An integer within what a number holds exactly, or its text. */
export function parseInteger(value: unknown): FieldResult<number> {
  const number = typeof value === 'string' && INTEGER.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) {
    return refused('type', 'must be an integer')
  }
  return accepted(number)
}

export function parseBigInteger(value: unknown): FieldResult<bigint> {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return refused('type', 'must be sent as a text, because a JSON number this large is rounded')
  }
  const big = toBigInt(value)
  if (big === undefined) return refused('type', 'must be an integer')
  if (BigInt.asIntN(64, big) !== big) return refused('range', 'must be within 64 bit')
  return accepted(big)
}

function toBigInt(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  if (typeof value === 'string' && INTEGER.test(value)) return BigInt(value.replace(/^\+/, ''))
  return undefined
}

export function checkMax<Value extends JsonValue>(
  value: Value,
  { max }: NumberAttribute,
): FieldResult<Value> {
  if (max !== undefined && Number(value) > Number(max)) {
    return refused('max', `must be at most ${max}`)
  }
  return accepted(value)
}

export function checkMin(value: JsonValue, { min }: NumberAttribute) {
  if (min === undefined || Number(value) >= Number(min)) return undefined
  return { rule: 'min', message: `must be at least ${min}` }
}

export function numberColumn(value: JsonValue): number {
  if (typeof value !== 'number') throw new TypeError('the value of a number column is no number')
  return value
}

export function numberFromColumn(stored: StoredColumn): number {
  return Number(stored)
}
