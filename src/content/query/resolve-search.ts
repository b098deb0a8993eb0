import { fold } from '../fold.ts'
import type { ResolvedSearch } from './resolved.ts'
import { type Operand, toSlot } from './slot.ts'

const DIGITS = /^[-\d.]+$/

/** Null: nothing is searched for. */
export function resolveSearch(search: Operand<string>): ResolvedSearch | null {
  const given = toSlot(search)
  if (given.look((text) => text === '')) return null
  const text = given.map(fold)
  const isDigits = text.look((folded) => DIGITS.test(folded))
  const isNumber = isDigits && text.look((folded) => !Number.isNaN(Number(folded)))
  return { text, isDigits, isNumber }
}
