import { isDeepStrictEqual } from 'node:util'
import { isGrouped, readGroups, type Written } from '../../../plane/header-rules.ts'
import type { Json, JsonObject } from '../../../resources/values.ts'

/** Rules for headers as they are written there; null when there they cannot be. */
type ToHeaders = (headers: JsonObject) => JsonObject | null

interface Values {
  readonly set: readonly (readonly [name: string, values: readonly Scalar[]])[]
  readonly add: readonly (readonly [name: string, values: readonly Scalar[]])[]
  readonly remove: readonly string[]
}

type Scalar = string | number

/** What a line of `add` must look like there, for answers. */
const LINE = /^[^:]+:[^:]+[^/]$/

/** There a name has one value, and what is removed is removed last. */
export const toRequestHeaders: ToHeaders = (headers) => {
  const { set, add, remove } = valuesOf(headers)
  const given = new Set(set.map(([name]) => name.toLowerCase()))
  return written(headers, {
    set: toMap(set),
    add: toMap(add),
    remove: [
      ...remove.filter((name) => !given.has(name.toLowerCase())),
      ...emptyOnes(set).filter((name) => !remove.includes(name)),
    ],
  })
}

/** There `add` is a list of lines without a second colon, and a name has one value to set. */
export const toAnswerHeaders: ToHeaders = (headers) => {
  const { set, add, remove } = valuesOf(headers)
  const { add: lines } = headers
  const made = add.flatMap(([name, values]) => values.map((value) => `${name}: ${value}`))
  const isCookies = set.some(([name, all]) => all.length > 1 && /^set-cookie$/i.test(name))
  const texts = Array.isArray(lines) && isGrouped(headers) ? lines.map(String) : made
  if (isCookies || !texts.every((line) => LINE.test(line))) return null
  return written(headers, { set: toMap(set), add: texts, remove: [...remove, ...emptyOnes(set)] })
}

function valuesOf(headers: JsonObject): Values {
  const { set, add, remove } = readGroups(headers)
  return { set: set.map(toValues), add: add.map(toValues), remove }
}

/** An empty value says nothing to add, and removes when it is set. */
function toValues([name, value]: Written): readonly [string, readonly Scalar[]] {
  const all: unknown[] = Array.isArray(value) ? value : [value]
  const scalars = all.filter((each) => typeof each === 'string' || typeof each === 'number')
  return [name, scalars.filter((each) => each !== '')]
}

function emptyOnes(set: Values['set']): string[] {
  return set.filter(([, values]) => values.length === 0).map(([name]) => name)
}

function toMap(entries: Values['set']): JsonObject {
  const map = new Map<string, readonly Scalar[]>()
  for (const [name, values] of entries) {
    if (values.length > 0) map.set(name, [...(map.get(name) ?? []), ...values])
  }
  return Object.fromEntries(
    [...map].map(([name, values]) => {
      const [only = ''] = values
      const between = /^cookie$/i.test(name) ? '; ' : ', '
      return [name, values.length === 1 ? only : values.join(between)]
    }),
  )
}

/** Nothing that is empty, and a plain map where that says all. */
function written(headers: JsonObject, groups: Record<'set' | 'add' | 'remove', Json>): JsonObject {
  const filled = Object.entries(groups).filter(([, group]) => Object.keys(Object(group)).length > 0)
  const isPlain = !isGrouped(headers) && filled.every(([name]) => name === 'set')
  if (isPlain) return Object(groups.set)
  const all = Object.fromEntries(filled)
  return isDeepStrictEqual(all, headers) ? headers : all
}
