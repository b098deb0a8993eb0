import { getArgumentValues, Kind, type ValueNode } from 'graphql'
import type { Slots, Values } from '#content-query'
import type { Picked } from './picked.ts'

/** Arguments of a field by name, checked and with their defaults. */
export type Arguments = Readonly<Record<string, unknown>>

export type Variables = Parameters<typeof getArgumentValues>[2]

/** What is compared, counted or looked for; everything else says what is asked. */
const VALUES = new Set([
  ...['filters', 'filter', 'pagination', 'id'],
  ...['limit', 'offset', 'first', 'last', 'after', 'before'],
])
const NONE: Arguments = {}

/** Refuses what the variables make of them. Arguments without variables are read once. */
export function argumentsOf({ field, node, known }: Picked, variables: Variables): Arguments {
  if (!field || (field.args.length === 0 && !node.arguments?.length)) return NONE
  if (known.arguments) return known.arguments
  const read: Arguments = getArgumentValues(field, node, variables, null, true)
  if (!node.arguments?.some(({ value }) => hasVariable(value))) known.arguments = read
  return read
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.VARIABLE) return true
  if (value.kind === Kind.LIST) return value.values.some(hasVariable)
  return value.kind === Kind.OBJECT && value.fields.some((field) => hasVariable(field.value))
}

/** What of the arguments belongs to the template; their values are added to the others. */
export function splitArguments(given: Arguments, values: Values[number][]): string {
  let text = ''
  for (const name in given) {
    const value = given[name]
    text += VALUES.has(name)
      ? `${name}:${split(value, values)} `
      : `${name}=${JSON.stringify(value)} `
  }
  return text
}

function split(value: unknown, values: Values[number][]): string {
  switch (typeof value) {
    case 'string':
      values.push(value)
      return '$'
    case 'number':
      values.push(value)
      return '#'
    case 'boolean':
      values.push(String(value))
      return '?'
    case 'object':
      if (Array.isArray(value)) return `[${value.map((each) => split(each, values)).join()}]`
      return value === null ? 'null' : `{${splitMembers(value, values)}}`
    default:
      return ''
  }
}

function splitMembers(value: object, values: Values[number][]): string {
  let text = ''
  for (const [name, inner] of Object.entries(value)) text += `${name}:${split(inner, values)},`
  return text
}

/** The same arguments with a slot for each value, in the same order. */
export function fillArguments(given: Arguments, slots: Slots, next: () => number): Arguments {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      VALUES.has(name) ? fill(value, slots, next) : value,
    ]),
  )
}

function fill(value: unknown, slots: Slots, next: () => number): unknown {
  if (typeof value === 'number') return slots.whole(next())
  if (typeof value === 'string' || typeof value === 'boolean') return slots.text(next())
  if (Array.isArray(value)) return value.map((each) => fill(each, slots, next))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, fill(inner, slots, next)]),
  )
}
