import { isDeepStrictEqual } from 'node:util'
import type { Formats } from '../document.ts'
import type { JsonValue } from '../json.ts'
import type { Attribute, Component, FieldSet } from '../model.ts'

/** Everything one copy, or one component in it, says; all maps by the number of the attribute. */
export interface Body {
  /** Scalars that have a value. */
  readonly values: ReadonlyMap<number, JsonValue>
  readonly formats: Formats
  /** Owning relations and media: documentIds or uuids of files in their order. */
  readonly links: ReadonlyMap<number, readonly string[]>
  /** A list of none is there when it was given or stored so, and fulfils `required`. */
  readonly parts: ReadonlyMap<number, readonly Part[]>
}

export interface Part {
  /** Stays the same in all copies; 0 until it is first written. */
  readonly id: number
  readonly component: Component
  readonly body: Body
}

export function hasSameBody(one: Body, other: Body): boolean {
  return (
    hasSameValues(one, other) &&
    hasSameLinks(one.links, other.links) &&
    hasSameParts(one.parts, other.parts)
  )
}

function hasSameValues(one: Body, other: Body): boolean {
  return (
    isDeepStrictEqual(one.formats, other.formats) &&
    one.values.size === other.values.size &&
    [...one.values].every(([no, value]) => isSameJson(value, other.values.get(no)))
  )
}

/** The order of members counts, since it is kept. */
export function isSameJson(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

export function hasSameLinks(one: Body['links'], other: Body['links']): boolean {
  return keysOf(one, other).every((no) => isDeepStrictEqual(one.get(no) ?? [], other.get(no) ?? []))
}

export function hasSameParts(one: Body['parts'], other: Body['parts']): boolean {
  return keysOf(one, other).every((no) => {
    const [left, right] = [one.get(no) ?? [], other.get(no) ?? []]
    return left.length === right.length && left.every((part, index) => isSame(part, right[index]))
  })
}

function isSame(one: Part, other: Part | undefined): boolean {
  if (other?.id !== one.id || other.component.no !== one.component.no) return false
  return hasSameBody(one.body, other.body)
}

function keysOf(one: ReadonlyMap<number, unknown>, other: ReadonlyMap<number, unknown>) {
  return [...new Set([...one.keys(), ...other.keys()])]
}

/** `base` with the chosen attributes as they are in `from`. */
export function withAttributesOf(
  set: FieldSet,
  base: Body,
  from: Body,
  isChosen: (attribute: Attribute) => boolean,
): Body {
  const chosen = set.attributes.filter(isChosen).map(({ no }) => no)
  if (chosen.length === 0) return base
  const formats: Record<string, string> = { ...base.formats }
  for (const no of chosen) {
    const format = from.formats[no]
    if (format === undefined) delete formats[no]
    else formats[no] = format
  }
  return {
    values: replaced(base.values, from.values, chosen),
    formats,
    links: replaced(base.links, from.links, chosen),
    parts: replaced(base.parts, from.parts, chosen),
  }
}

function replaced<Value>(
  base: ReadonlyMap<number, Value>,
  from: ReadonlyMap<number, Value>,
  chosen: readonly number[],
): ReadonlyMap<number, Value> {
  const result = new Map(base)
  for (const no of chosen) {
    const value = from.get(no)
    if (value === undefined) result.delete(no)
    else result.set(no, value)
  }
  return result
}
