import { decodeText, pairsIn, readPair } from '#content-dialect'
import type { ContentModel } from '#content-model'
import { queryFault, queryTooLong, validationFault } from '../errors.ts'

/** Contract §10. */
const MAX_QUERY_BYTES = 8 * 1024

/** One parameter: its name in lower case without an index, its value decoded. */
export interface Parameter {
  readonly param: string
  readonly value: string
}

/** Names are compared without regard to case; `filter[]` and `filter[0]` are `filter`. */
export function readParameters(text: string): readonly Parameter[] {
  if (Buffer.byteLength(text) > MAX_QUERY_BYTES) throw queryTooLong(MAX_QUERY_BYTES)
  return pairsIn(text).map((pair) => {
    const { name, value } = readPair(pair, decode)
    return { param: name.toLowerCase().replace(/\[\d*\]$/, ''), value }
  })
}

/** Every occurrence of a parameter that has a value. */
export function valuesOf(parameters: readonly Parameter[], name: string): readonly Parameter[] {
  return parameters.filter(({ param, value }) => param === name && value !== '')
}

/** The first occurrence, also when it is empty. */
export function firstOf(parameters: readonly Parameter[], name: string): Parameter | undefined {
  return parameters.find(({ param }) => param === name)
}

/** What is no UTF-8 becomes U+FFFD, which nothing is named. */
function decode(text: string): string {
  const decoded = decodeText(text)
  if (decoded !== undefined) return decoded
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

const DEFAULT_TAKE = 10
const WHOLE = /^\d{1,15}$/

export interface Page {
  readonly skip: number
  readonly take: number
  /** More was asked for than there may be. */
  readonly isReduced: boolean
}

/** Contract §6.5. */
export function parsePage(parameters: readonly Parameter[], maxTake: number): Page {
  const take = wholeOf(parameters, 'take', DEFAULT_TAKE)
  const skip = wholeOf(parameters, 'skip', 0)
  return { skip, take: Math.min(take, maxTake), isReduced: take > maxTake }
}

function wholeOf(parameters: readonly Parameter[], name: string, otherwise: number): number {
  const given = firstOf(parameters, name)
  if (!given) return otherwise
  if (WHOLE.test(given.value)) return Number(given.value)
  throw validationFault(name, `The value '${given.value}' is not a whole number, 0 or more.`)
}

export type Selector = 'children' | 'descendants' | 'ancestors'

/** `children:/guides`: which part of the tree a list shows; `target` is an id or a path. */
export interface Fetch {
  readonly selector: Selector
  readonly target: string
}

const FETCH = /^(children|descendants|ancestors):(.*)$/is

/** Contract §6.1; undefined when nothing is asked. `offered` are the selectors the list has. */
export function parseFetch(
  parameters: readonly Parameter[],
  offered: readonly Selector[],
): Fetch | undefined {
  const [first, second] = valuesOf(parameters, 'fetch')
  if (!first) return undefined
  if (second) throw queryFault(SELECTOR, second, 0, 'Only one selector is taken')
  const [, word = '', target = ''] = FETCH.exec(first.value) ?? []
  const selector = offered.find((each) => each === word.toLowerCase())
  if (selector) return { selector, target }
  const message = `A selector is one of ${offered.join(', ')}, a colon and an id or path`
  throw queryFault(SELECTOR, first, 0, message)
}

const SELECTOR = 'Selector option not found'
const TAG = /^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?$/i

/** The culture of a request (contract §6.4); `code` is undefined when it is not configured. */
export interface Culture {
  readonly code: string | undefined
}

type Locales = Pick<ContentModel, 'locales' | 'findLocale' | 'defaultLocale'>

export function parseCulture(
  model: Locales,
  parameters: readonly Parameter[],
  acceptLanguage: string | undefined,
): Culture {
  const given = firstOf(parameters, 'culture')?.value ?? ''
  if (given !== '' && !TAG.test(given)) {
    throw validationFault('culture', `The value '${given}' is not a culture such as en-US.`)
  }
  if (given !== '') return { code: configured(model, given) }
  // Lists, weights and `*` are what browsers and runtimes send by themselves.
  const plain = acceptLanguage?.trim() ?? ''
  return { code: TAG.test(plain) ? configured(model, plain) : model.defaultLocale }
}

/** A bare language means its first culture. */
function configured({ locales, findLocale }: Locales, code: string): string | undefined {
  const known = findLocale(code)?.code
  if (known !== undefined || code.includes('-')) return known
  const start = `${code.toLowerCase()}-`
  return locales.find((locale) => locale.code.toLowerCase().startsWith(start))?.code
}
