import qs from 'qs'
import { badQuery } from '../refusals.ts'

const MAX_DEPTH = 20
const MAX_INDEX = 100
const MAX_PARAMETERS = 1_000
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])

export type Raw = Readonly<Record<string, unknown>>

/** The query as its clients write it: `qs` brackets, within the limits of the contract §4. */
export function parseBrackets(text: string): Raw {
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
      decoder,
    })
  } catch (error) {
    if (error instanceof RangeError) throw badQuery([], `The query is too large: ${error.message}`)
    throw error
  }
}

export function isRaw(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `a,b` and lists of such texts alike; undefined when there is something else in it. */
export function toWords(value: unknown): string[] | undefined {
  const items = Array.isArray(value) ? value : [value]
  const words = items.flatMap((item) => (typeof item === 'string' ? item.split(',') : [undefined]))
  const texts = words.filter((word) => word !== undefined).map((word) => word.trim())
  return texts.length === words.length ? texts.filter((word) => word !== '') : undefined
}

/** The one value of a parameter, undefined when it is absent or empty. */
export function toText(query: Raw, name: string): string | undefined {
  const value = query[name]
  if (value === undefined || value === '') return undefined
  if (typeof value !== 'string') throw badQuery([name], `${name} must be given once`)
  return value
}

function decoder(
  text: string,
  decode: (text: string, decoder?: unknown, charset?: string) => string,
  charset: string,
  kind?: 'key' | 'value',
): string {
  const decoded = decode(text, undefined, charset)
  if (kind !== 'key') return decoded
  const found = decoded.split(/[[\]]/).find((name) => FORBIDDEN.has(name))
  if (found !== undefined) throw badQuery([], `${found} must not be a name in the query`)
  return decoded
}
