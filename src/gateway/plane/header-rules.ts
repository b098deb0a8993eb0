/** Rules for headers as proxy-rewrite and response-rewrite write them (contract §7.7). */
import { isObject } from '#kernel'
import { headerNameFault, headerValueFault } from './headers.ts'
import { compileTemplate, literalsOf, type Template, templateFault } from './template.ts'

type Entry = readonly [name: string, values: readonly Template[]]

export interface HeaderRules {
  readonly set: readonly Entry[]
  readonly add: readonly Entry[]
  readonly remove: readonly string[]
}

interface Fault {
  readonly path: string
  readonly message: string
}

/** A value as written: one text or number, or a list of them. */
export type Written = readonly [name: string, value: unknown]

/** `{set, add, remove}`, or a plain map, which sets. */
export function compileHeaderRules(headers: Readonly<Record<string, unknown>>): HeaderRules {
  const { set, add, remove } = readGroups(headers)
  return { set: set.map(compile), add: add.map(compile), remove }
}

export function headerRuleFaults(
  headers: Readonly<Record<string, unknown>>,
  groups = 0,
): readonly Fault[] {
  const isPlain = !isGrouped(headers)
  const { set, add, remove } = readGroups(headers)
  const at = (member: string) => (isPlain ? '/headers' : `/headers/${member}`)
  const stray = isPlain ? [] : Object.keys(headers).filter((name) => !GROUPS.includes(name))
  return [
    ...stray.map((name) => ({
      path: `/headers/${name}`,
      message: 'must not stand beside set, add and remove',
    })),
    ...shapeFaults(headers, isPlain),
    ...set.flatMap(([name, value]) => entryFaults(`${at('set')}/${name}`, name, value, groups)),
    ...add.flatMap(([name, value]) => entryFaults(`${at('add')}/${name}`, name, value, groups)),
    ...remove.flatMap((name) => fault(`/headers/remove/${name}`, headerNameFault(name))),
  ]
}

/** Whether one of the rules is about this header; the name in lower case. */
export function namesHeader({ add, remove }: HeaderRules, lower: string): boolean {
  const isIt = (name: string) => name.toLowerCase() === lower
  return add.some(([name]) => isIt(name)) || remove.some(isIt)
}

const GROUPS: readonly string[] = ['set', 'add', 'remove']

/** Whether the headers are said in groups, not as a plain map. */
export function isGrouped({ set, add, remove }: Readonly<Record<string, unknown>>): boolean {
  return isObject(set) || isObject(add) || Array.isArray(add) || Array.isArray(remove)
}

export function readGroups(headers: Readonly<Record<string, unknown>>) {
  if (!isGrouped(headers)) return { set: Object.entries(headers), add: [], remove: [] }
  const { set, add, remove } = headers
  return { set: entriesOf(set), add: entriesOf(add), remove: textsOf(remove) }
}

/** A map, or lines such as `Set-Cookie: a=b`. */
function entriesOf(group: unknown): Written[] {
  if (isObject(group)) return Object.entries(group)
  return textsOf(group).map((line) => {
    const colon = line.indexOf(':')
    return colon === -1 ? [line, null] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
  })
}

function shapeFaults(headers: Readonly<Record<string, unknown>>, isPlain: boolean): Fault[] {
  if (isPlain) return []
  const { set, add, remove } = headers
  const isList = (value: unknown) =>
    Array.isArray(value) && value.every((each) => typeof each === 'string')
  return [
    ...fault('/headers/set', set === undefined || isObject(set) ? null : 'must be a map'),
    ...fault(
      '/headers/add',
      add === undefined || isObject(add) || isList(add)
        ? null
        : 'must be a map, or a list of "Name: value"',
    ),
    ...fault(
      '/headers/remove',
      remove === undefined || isList(remove) ? null : 'must be a list of names',
    ),
  ]
}

function entryFaults(path: string, name: string, value: unknown, groups: number): Fault[] {
  const bad = fault(path, headerNameFault(name))
  if (bad.length > 0) return bad
  const values = Array.isArray(value) ? value : [value]
  if (values.length === 0 || !values.every(isScalar)) {
    return fault(path, 'must be a text, a number or a list of them')
  }
  return values.flatMap((each) => {
    const text = String(each)
    return fault(path, headerValueFault(literalsOf(text)) ?? templateFault(text, groups))
  })
}

function compile([name, value]: Written): Entry {
  const values = Array.isArray(value) ? value : [value]
  return [name, values.map((each) => compileTemplate(String(each)))]
}

function fault(path: string, message: string | null): Fault[] {
  return message === null ? [] : [{ path, message }]
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
