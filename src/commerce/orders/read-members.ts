import { isObject } from '#kernel'
import { AMOUNT_UNIT } from '../criteria.ts'
import { type Fault, missing, refused, wrongType } from '../refusals.ts'

type Given = Readonly<Record<string, unknown>>

const LARGEST = 1e11
const DECIMAL = /^\s*[-+]?(\d+\.?\d*|\.\d+)\s*$/
const LONGEST_TEXT = 1_000
/** Lists show it for every order. */
const LARGEST_REST = 64 * 1024

/** Takes members out of an object that was sent, and collects all that is wrong with them. */
export function createMembers(given: Given, inside = '') {
  const left = new Map(Object.entries(given))
  const faults: Fault[] = []
  return { text, needText, amount, list, rest, faults }

  /** Null when it is absent, null or empty. */
  function text(name: string): string | null {
    const value = take(name)
    if (value === undefined || value === null || value === '') return null
    if (typeof value === 'string' && value.length <= LONGEST_TEXT) return value
    faults.push(wrongType(inside + name, value, `a text of at most ${LONGEST_TEXT} characters`))
    return null
  }

  function needText(name: string): string {
    const before = faults.length
    const value = text(name)?.trim() ?? ''
    if (value === '' && faults.length === before) faults.push(missing(inside + name))
    return value
  }

  /** In ten-thousandths; undefined when it is absent. Numbers may come as texts. */
  function amount(name: string): number | undefined {
    const value = take(name)
    if (value === undefined || value === null || value === '') return undefined
    const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value
    if (typeof number === 'number' && Math.abs(number) <= LARGEST) {
      return Math.round(number * AMOUNT_UNIT)
    }
    faults.push(wrongType(inside + name, value, `a number of at most ${LARGEST}`))
    return undefined
  }

  function list(name: string): readonly Given[] {
    const value = take(name) ?? []
    if (Array.isArray(value) && value.every((each) => isObject(each))) return value
    faults.push(wrongType(inside + name, value, 'a list of objects'))
    return []
  }

  /** What nobody has taken, without the members that follow from others. */
  function rest(derived: readonly string[]): string {
    for (const name of derived) left.delete(name)
    const text = JSON.stringify(Object.fromEntries(left))
    if (isTooMuch(text)) faults.push(tooMuch())
    return text
  }

  function take(name: string): unknown {
    const value = left.get(name)
    left.delete(name)
    return value
  }
}

export function tooMuch(): Fault {
  return { message: `The other members have more than ${LARGEST_REST} characters.` }
}

export function isTooMuch(text: string): boolean {
  return text.length > LARGEST_REST
}

export type Members = ReturnType<typeof createMembers>

export function refuseFaults(faults: readonly Fault[]) {
  if (faults.length > 0) throw refused(faults)
}
