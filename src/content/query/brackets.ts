import qs from 'qs'
import { type Operand, Slot, textOf } from './slot.ts'
import type { Slots } from './templates.ts'

const MAX_DEPTH = 20
const MAX_INDEX = 100
const MAX_PARAMETERS = 1_000
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])

/** What the brackets of a query nest; its leaves are texts. */
export type Raw = Readonly<Record<string, unknown>>

/** The words in which a dialect refuses what no dialect takes. */
export interface BracketRefusals {
  forbidden(name: string): Error
  tooLarge(message: string): Error
}

/** A query in brackets, taken apart. */
export interface Brackets {
  readonly template: string
  readonly values: readonly string[]
  /** What it says, with a slot for each value; without slots every text is as it was sent. */
  nest(slots?: Slots, from?: number): Raw
}

interface Pair {
  /** As it was sent, but for the brackets. */
  readonly name: string
  /** Undefined where there is no sign of equality. */
  readonly sent: string | undefined
  readonly isValue: boolean
}

/**
 * The bracket language of CMS REST §4 and `/api/v1`, whose names `qs` nests. `isValue` says behind which
 * names stand values; a wrong answer costs a plan for each text and changes nothing else.
 */
export function splitBrackets(
  text: string,
  isValue: (name: string) => boolean,
  refusals: BracketRefusals,
): Brackets {
  const pairs =
    text === ''
      ? []
      : withBrackets(text)
          .split('&')
          .map((part) => toPair(part, isValue))
  return {
    template: pairs.map(templateOf).join('&'),
    values: pairs.flatMap(({ sent = '', isValue: is }) => (is ? [decode(sent)] : [])),
    nest,
  }

  function nest(slots?: Slots, from = 0): Raw {
    let next = from
    const leaves = pairs.map(({ sent = '', isValue: is }): Operand<string> => {
      return slots && is ? slots.text(next++) : decode(sent)
    })
    return parse(pairs, leaves, refusals)
  }
}

function withBrackets(text: string): string {
  return text.replace(/%5B/gi, '[').replace(/%5D/gi, ']')
}

/** As `qs` does it: a name that ends with a bracket may hold signs of equality. */
function toPair(part: string, isValue: (name: string) => boolean): Pair {
  const bracketed = part.indexOf(']=')
  const end = bracketed === -1 ? part.indexOf('=') : bracketed + 1
  if (end === -1) return { name: part, sent: undefined, isValue: false }
  const name = part.slice(0, end)
  const sent = part.slice(end + 1)
  return { name, sent, isValue: isValue(name) }
}

/** No URL holds a line break. */
function templateOf({ name, sent, isValue }: Pair): string {
  return sent === undefined ? name : `${name}\n${isValue ? '\n' : sent}`
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}

/**
 * Texts stand as their numbers while names are nested. How they nest depends on a text only where a name
 * has both a text and names inside it: `qs` then makes a name of the text, or drops one that is empty.
 */
function parse(
  pairs: readonly Pair[],
  leaves: readonly Operand<string>[],
  refusals: BracketRefusals,
): Raw {
  const nestAs = (toLeaf: (at: number) => string) =>
    nestNames(
      pairs.map(({ name, sent }, at) => (sent === undefined ? name : `${name}=${at}`)).join('&'),
      refusals,
      (number) => toLeaf(Number(number)),
    )
  const nested = nestAs(String)
  const isSameForAll = countTexts(nested) === countTexts(nestAs(() => ''))
  if (!isSameForAll) return nestAs((at) => textOf(leaves[at] ?? ''))
  put(nested, leaves)
  return nested
}

/** Not a number when there is something else among them, which equals none. */
function countTexts(value: unknown): number {
  if (typeof value === 'string') return 1
  if (!isNested(value)) return Number.NaN
  return Object.values(value).reduce((sum: number, inner) => sum + countTexts(inner), 0)
}

/** In place of the numbers. */
function put(nested: Record<string, unknown>, leaves: readonly Operand<string>[]): void {
  for (const [name, value] of Object.entries(nested)) {
    if (isNested(value)) put(value, leaves)
    else if (value !== '') nested[name] = leaves[Number(value)]
  }
}

function isNested(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Slot)
}

function nestNames(
  text: string,
  refusals: BracketRefusals,
  toLeaf: (number: string) => string,
): Record<string, unknown> {
  if (text === '') return {}
  try {
    return qs.parse(text, {
      depth: MAX_DEPTH,
      strictDepth: true,
      // An index must be below it.
      arrayLimit: MAX_INDEX + 1,
      parameterLimit: MAX_PARAMETERS,
      throwOnLimitExceeded: true,
      plainObjects: true,
      decoder: (part, byDefault, charset, kind) => {
        if (kind === 'value') return toLeaf(part)
        const name = byDefault(part, undefined, charset)
        const found = name.split(/[[\]]/).find((word) => FORBIDDEN.has(word))
        if (found !== undefined) throw refusals.forbidden(found)
        return name
      },
    })
  } catch (error) {
    if (error instanceof RangeError) throw refusals.tooLarge(error.message)
    throw error
  }
}
