import { splitParts, wordsIn } from '#content-dialect'
import {
  type BracketRefusals,
  type Operand,
  type Raw,
  Slot,
  type Slots,
  splitBrackets,
  textOf,
  type Values,
} from '#content-query'
import { parseQuery } from '#http-text'
import { badParameter } from '#paging'

/** What stands behind `?`: plain parameters, and the operator language under `filters`. */
export interface Parameters {
  readonly plain: Readonly<Record<string, Operand<string> | readonly Operand<string>[]>>
  /** As the brackets nest it; undefined when there is none. */
  readonly filters: unknown
  /** The one value of a parameter; undefined when it is absent. */
  value(name: string): Operand<string> | undefined
  /** The same where all of the text decides what is asked. */
  text(name: string): string | undefined
  /** `a,b,c` without blanks and empty parts. */
  words(name: string): string[] | undefined
}

/** A query taken apart, without judging what any parameter means. */
export interface Split {
  /** The plain parameters. */
  readonly names: readonly string[]
  readonly hasFilters: boolean
  readonly template: string
  readonly values: Values
  /** With a slot for each value; without slots every text is as it was sent. */
  read(slots?: Slots): Parameters
}

/** The name of all parameters that conditions are written in. */
export const FILTERS = 'filters'
const OF_FILTERS = /^filters(\[|%5B|=|$)/i
const REFUSALS: BracketRefusals = {
  forbidden: (name) => badParameter('filters', `must not contain ${name}`),
  tooLarge: (message) => badParameter('filters', `is too large: ${message}`),
}
/** What is excluded by a condition nobody looks at would be shown, changed or removed. */
export function refuseFilters({ hasFilters }: Pick<Split, 'hasFilters'>): void {
  if (hasFilters) throw badParameter('filters', 'has no effect here: only lists are filtered')
}

/** Of these the text decides what is asked; of others only what it is compared with, or the page. */
const DECIDING = new Set(['sort', 'order', 'include', 'fields', 'locale', 'fallback_locale'])

interface Given {
  readonly name: string
  readonly value: Parameters['plain'][string]
  readonly isDeciding: boolean
}

/** `hasStatus`: the type has drafts, so that `status` says which entries are meant. */
export function splitQuery(text: string, hasStatus: boolean): Split {
  const pairs = text.includes(FILTERS) ? text.split('&') : []
  const nested = pairs.filter((pair) => OF_FILTERS.test(pair))
  const rest = nested.length > 0 ? pairs.filter((pair) => !OF_FILTERS.test(pair)).join('&') : text
  const given = Object.entries(parseQuery(rest)).map(([name, value = '']): Given => {
    const isDeciding = DECIDING.has(name) || (hasStatus && name === 'status')
    return { name, value, isDeciding: isDeciding && typeof value === 'string' }
  })
  const plain = splitParts(given, {
    // Its text where that decides, else how often it was given.
    asked: ({ name, value, isDeciding }) => [name, isDeciding ? value : [value].flat().length],
    values: ({ value, isDeciding }) => (isDeciding ? [] : [value].flat().map(textOf)),
    fill: (own, slots) => ({ ...own, value: Array.isArray(own.value) ? slots : (slots[0] ?? '') }),
  })
  const brackets = splitBrackets(nested.join('&'), () => true, REFUSALS)
  return {
    names: given.map(({ name }) => name),
    hasFilters: nested.length > 0,
    template: `${plain.template} ${nested.length > 0} ${brackets.template}`,
    values: [...plain.values, ...brackets.values],
    read: (slots) => {
      const entries = plain.read(slots).map(({ name, value }) => [name, value])
      const filters = nested.length > 0 ? brackets.nest(slots, plain.values.length) : {}
      return readParameters(Object.fromEntries(entries), filters)
    },
  }
}

function readParameters(plain: Parameters['plain'], { filters }: Raw): Parameters {
  return { plain, filters, value, text, words }

  function value(name: string): Operand<string> | undefined {
    const found = Object.hasOwn(plain, name) ? plain[name] : undefined
    if (found === undefined || typeof found === 'string' || found instanceof Slot) return found
    throw badParameter(name, 'must be given once')
  }

  function text(name: string): string | undefined {
    const found = value(name)
    return found === undefined ? undefined : textOf(found)
  }

  function words(name: string): string[] | undefined {
    const found = text(name)
    return found === undefined ? undefined : wordsIn(found)
  }
}
