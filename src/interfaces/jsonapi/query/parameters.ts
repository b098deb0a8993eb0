import { decodeText, pairsIn, parsedOnce, readPair, splitParts } from '#content-dialect'
import { type Operand, type Slot, textOf } from '#content-query'
import { badParameter } from '../errors.ts'

/** `filter[L][condition][value][]=x`: base `filter`, keys `L`, `condition`, `value` and ''. */
export interface Parameter {
  /** Decoded, as the caller wrote it. */
  readonly name: string
  readonly base: string
  readonly keys: readonly string[]
  readonly value: Operand<string>
}

/** A parameter as it was sent. */
export interface Sent extends Parameter {
  readonly value: string
}

const MAX_PARAMETERS = 2_000
const FAMILIES = new Set(['filter', 'sort', 'page', 'fields', 'include'])

/** In the order of the query; brackets may be raw or percent-encoded. */
export function readParameters(text: string): readonly Sent[] {
  const pairs = pairsIn(text)
  if (pairs.length > MAX_PARAMETERS) {
    throw badParameter('query', `A query may have ${MAX_PARAMETERS} parameters`)
  }
  return pairs.map((pair) => {
    const { name, value } = readPair(pair, decode)
    const start = name.indexOf('[')
    if (start === -1) return { name, base: name, keys: [], value }
    return { name, base: name.slice(0, start), keys: keysOf(name, start), value }
  })
}

/** Keys may themselves hold anything but brackets. */
function keysOf(name: string, start: number): string[] {
  const rest = name.slice(start)
  if (!/^(?:\[[^[\]]*\])+$/.test(rest)) throw badParameter(name, 'The brackets are not balanced')
  return rest.slice(1, -1).split('][')
}

function decode(text: string, name = text): string {
  const decoded = decodeText(text)
  if (decoded === undefined) throw badParameter(name, 'This is not correctly percent-encoded')
  return decoded
}

/** Spec: names of only a–z belong to the specification; unknown ones are refused (contract §6). */
export function refuseUnknown(parameters: readonly Parameter[]): void {
  for (const { base, name } of parameters) {
    if (/^[a-z]+$/.test(base) && !FAMILIES.has(base)) {
      throw badParameter(name, `There is no parameter ${base}`, 'unknown_parameter')
    }
  }
}

export function ofBase(parameters: readonly Parameter[], base: string): readonly Parameter[] {
  return parameters.filter((parameter) => parameter.base === base)
}

/** The value of a parameter without brackets; given twice is refused. */
export function onlyValue(parameters: readonly Parameter[], base: string): string | undefined {
  const [first, second] = ofBase(parameters, base)
  if (second) throw badParameter(second.name, `${base} must be given once`)
  if (first && first.keys.length > 0) throw badParameter(first.name, `${base} has no brackets`)
  return first && textOf(first.value)
}

/** The parameters taken apart: all that decides what is asked, and what it is compared with or counts. */
export function splitParameters(parameters: readonly Sent[]) {
  return splitParts<Parameter>(parameters, {
    asked: (own) => [own.name, isValue(own) ? null : own.value],
    values: (own) => (isValue(own) ? [textOf(own.value)] : []),
    fill: (own, [value = own.value]) => ({ ...own, value }),
  })
}

/** `page[limit]`, `filter[a]`, `filter[L][value]`, `filter[L][condition][value][]`. */
function isValue({ base, keys }: Parameter): boolean {
  if (base !== 'filter') return base === 'page'
  return keys.length === 1 || keys.slice(-2).includes('value')
}

/** The members to show, by resource type; a type that is absent shows all. */
export type Fieldsets = ReadonlyMap<string, ReadonlySet<string>>

/** `fields[node--article]=title,tags`; unknown names are ignored (contract §6.5). */
export function parseFields(parameters: readonly Parameter[]): Fieldsets {
  const sets = new Map<string, ReadonlySet<string>>()
  for (const { name, keys, value } of ofBase(parameters, 'fields')) {
    const [type = '', ...rest] = keys
    if (type === '' || rest.length > 0) {
      throw badParameter(name, 'A fieldset has the form fields[type--bundle]=field,field')
    }
    if (sets.has(type)) throw badParameter(name, `${name} must be given once`)
    sets.set(type, new Set(listIn(name, textOf(value))))
  }
  return sets
}

/** The parts of a comma-separated list, of which there may be none; blanks around commas are let pass. */
export function listIn(name: string, text: string): readonly string[] {
  if (text.trim() === '') return []
  const words = text.split(',').map((word) => word.trim())
  if (words.includes('')) throw badParameter(name, 'There is a comma too many')
  return words
}

export interface Page {
  readonly offset: number
  readonly limit: number
}

export interface PageRules {
  readonly defaultLimit: number
  readonly maxLimit: number
}

/** With a sparse fieldset clients list everything at once (contract §6.3). */
export const PAGES: PageRules = { defaultLimit: 50, maxLimit: 100 }
export const SPARSE_PAGES: PageRules = { defaultLimit: 1_000, maxLimit: 1_000 }

const INTEGER = /^-?\d{1,15}$/

/** Refuses what is wrong with the numbers at once. */
export function pageIn(parameters: readonly Parameter[], rules: PageRules): Slot<Page> {
  const own = ofBase(parameters, 'page')
  return parsedOnce({ ...own.map(({ value }) => value) }, (texts) => {
    const page = { offset: 0, limit: rules.defaultLimit }
    for (const [at, { name, keys }] of own.entries()) {
      const [member, ...rest] = keys
      if (rest.length > 0 || (member !== 'limit' && member !== 'offset')) {
        throw badParameter(name, 'A page is page[limit] and page[offset]')
      }
      if (own.slice(0, at).some((other) => other.keys[0] === member)) {
        throw badParameter(name, `${name} must be given once`)
      }
      const least = member === 'limit' ? 1 : 0
      const number = INTEGER.test(String(texts[at])) ? Number(texts[at]) : Number.NaN
      if (!(number >= least)) {
        throw badParameter(name, `${name} must be a whole number, ${least} or more`)
      }
      page[member] = member === 'limit' ? Math.min(number, rules.maxLimit) : number
    }
    return page
  })
}

/** `resourceVersion` (contract §6.6). */
export type VersionChoice =
  | { readonly kind: 'latest' }
  | { readonly kind: 'working' }
  /** The revision that links name. */
  | { readonly kind: 'revision'; readonly id: number }

export const RESOURCE_VERSION = 'resourceVersion'

/** Undefined when the parameter is absent. */
export function parseVersion(parameters: readonly Parameter[]): VersionChoice | undefined {
  const given = onlyValue(parameters, RESOURCE_VERSION)
  if (given === undefined) return undefined
  if (given === 'rel:latest-version') return { kind: 'latest' }
  if (given === 'rel:working-copy') return { kind: 'working' }
  const [, id] = /^id:(-?\d+)$/.exec(given) ?? []
  if (id !== undefined) return { kind: 'revision', id: Number(id) }
  throw badParameter(
    RESOURCE_VERSION,
    'resourceVersion must be rel:latest-version, rel:working-copy or id:<number>',
  )
}
