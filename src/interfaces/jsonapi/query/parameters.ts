import { type Operand, type Slots, textOf } from '#content-query'
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
  if (text === '') return []
  const pairs = text.split('&').filter((pair) => pair !== '')
  if (pairs.length > MAX_PARAMETERS) {
    throw badParameter('query', `A query may have ${MAX_PARAMETERS} parameters`)
  }
  return pairs.map(readPair)
}

function readPair(pair: string): Sent {
  const end = pair.indexOf('=')
  const name = decode(end === -1 ? pair : pair.slice(0, end))
  const value = end === -1 ? '' : decode(pair.slice(end + 1))
  const start = name.indexOf('[')
  if (start === -1) return { name, base: name, keys: [], value }
  const base = name.slice(0, start)
  return { name, base, keys: keysOf(name, start), value }
}

/** Keys may themselves hold anything but brackets. */
function keysOf(name: string, start: number): string[] {
  const rest = name.slice(start)
  if (!/^(?:\[[^[\]]*\])+$/.test(rest)) throw badParameter(name, 'The brackets are not balanced')
  return rest.slice(1, -1).split('][')
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw badParameter(spaced, 'This is not correctly percent-encoded')
  }
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
  const isValue = parameters.map(({ base, keys }) => base === 'page' || isCompared(base, keys))
  const parts = parameters.map(({ name, value }, at) => [name, isValue[at] ? null : value])
  return {
    template: JSON.stringify(parts),
    values: parameters.flatMap(({ value }, at) => (isValue[at] ? [value] : [])),
    /** With a slot for each value. */
    read(slots: Slots): readonly Parameter[] {
      let next = 0
      return parameters.map((own, at) =>
        isValue[at] ? { ...own, value: slots.text(next++) } : own,
      )
    },
  }
}

/** `filter[a]`, `filter[L][value]`, `filter[L][condition][value][]`. */
function isCompared(base: string, keys: readonly string[]): boolean {
  return base === 'filter' && (keys.length === 1 || keys.slice(-2).includes('value'))
}
