import qs from 'qs'
import { badParameter, parseQuery, type Query } from '#kernel'

/** What stands behind `?`: plain parameters, and the operator language under `filters`. */
export interface Parameters {
  readonly names: readonly string[]
  readonly plain: Query
  /** As the brackets nest it; undefined when there is none. */
  readonly filters: unknown
  /** The one value of a parameter; undefined when it is absent. */
  text(name: string): string | undefined
  /** `a,b,c` without blanks and empty parts. */
  words(name: string): string[] | undefined
}

const FILTERS = /^filters(\[|%5B|=|$)/i
const MAX_DEPTH = 20
const MAX_INDEX = 100
const MAX_PARAMETERS = 1_000
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])

/** Reads the query of a request without judging what any parameter means. */
export function readParameters(text: string): Parameters {
  const pairs = text.includes('filters') ? text.split('&') : []
  const nested = pairs.filter((pair) => FILTERS.test(pair))
  const rest = nested.length > 0 ? pairs.filter((pair) => !FILTERS.test(pair)).join('&') : text
  const plain = parseQuery(rest)
  return { names: Object.keys(plain), plain, filters: parseBrackets(nested), text: one, words }

  function one(name: string): string | undefined {
    const value = plain[name]
    if (Array.isArray(value)) throw badParameter(name, 'must be given once')
    return value
  }

  function words(name: string): string[] | undefined {
    return one(name)
      ?.split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '')
  }
}

function parseBrackets(pairs: readonly string[]): unknown {
  if (pairs.length === 0) return undefined
  try {
    return qs.parse(pairs.join('&'), {
      depth: MAX_DEPTH,
      strictDepth: true,
      // An index must be below it.
      arrayLimit: MAX_INDEX + 1,
      parameterLimit: MAX_PARAMETERS,
      throwOnLimitExceeded: true,
      plainObjects: true,
      decoder: decode,
    })['filters']
  } catch (error) {
    if (error instanceof RangeError) throw badParameter('filters', `is too large: ${error.message}`)
    throw error
  }
}

function decode(
  text: string,
  byDefault: (text: string, decoder?: unknown, charset?: string) => string,
  charset: string,
  kind?: 'key' | 'value',
): string {
  const decoded = byDefault(text, undefined, charset)
  const parts = kind === 'key' ? decoded.split(/[[\]]/) : []
  const forbidden = parts.find((name) => FORBIDDEN.has(name))
  if (forbidden !== undefined) throw badParameter('filters', `must not contain ${forbidden}`)
  return decoded
}
