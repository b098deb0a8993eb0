import type { Raw } from '../brackets.ts'
import { Slot, type Values } from '../slot.ts'
import type { Slots } from '../templates.ts'

/** One `name=value` of a query string, both decoded. */
interface Pair {
  readonly name: string
  readonly value: string
}

/** What stands between the `&` of a query, as it was sent. */
export function pairsIn(text: string): readonly string[] {
  return text.split('&').filter((pair) => pair !== '')
}

/** `decode` is given texts in which `+` is a space already, and with a value the name it belongs to. */
export function readPair(pair: string, decode: (text: string, name?: string) => string): Pair {
  const spaced = pair.replaceAll('+', ' ')
  const end = spaced.indexOf('=')
  if (end === -1) return { name: decode(spaced), value: '' }
  const name = decode(spaced.slice(0, end))
  return { name, value: decode(spaced.slice(end + 1), name) }
}

/** Undefined when it is not correctly percent-encoded. */
export function decodeText(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** `a, b,,c` without blanks and empty parts. */
export function wordsIn(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

/** How a part of a query is taken apart. */
interface Grammar<Part> {
  /** What of it belongs to the template. */
  asked(part: Part): unknown
  /** What it is compared with, or counts. */
  values(part: Part): Values
  /** The same part with a slot for each value. */
  fill(part: Part, slots: readonly Slot<string>[]): Part
}

/** Parts of a query taken apart; without slots `read` answers them as they were sent. */
export function splitParts<Part>(parts: readonly Part[], grammar: Grammar<Part>) {
  const values = parts.map(grammar.values)
  return { template: JSON.stringify(parts.map(grammar.asked)), values: values.flat(), read }

  function read(slots?: Slots, from = 0): readonly Part[] {
    if (!slots) return parts
    let next = from
    return parts.map((part, at) => {
      const own = values[at]?.map(() => slots.text(next++)) ?? []
      return own.length === 0 ? part : grammar.fill(part, own)
    })
  }
}

/** What `parse` makes of texts that may be slots; what it refuses is refused at once. */
export function parsedOnce<Made>(given: Raw, parse: (given: Raw) => Made): Slot<Made> {
  const made = Slot.within(given)
    .map((texts) => parse(Object(texts)))
    .once()
  made.look((found) => found === undefined)
  return made
}
