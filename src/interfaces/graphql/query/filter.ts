import { behind } from '#content-dialect'
import type { Component, ContentModel, ContentType } from '#content-model'
import { type Filter, parseFilter, Slot } from '#content-query'
import { isObject } from '#kernel'
import type { Form } from '../schema.ts'
import { referenceTo } from '../target.ts'

type Thing = ContentType | Component | 'files'
type Raw = Readonly<Record<string, unknown>>

const LOGIC = new Set(['and', 'or', 'not'])

interface Rules {
  readonly model: ContentModel
  readonly form: Form
}

/** The operator language of CMS REST, whose operators have no `$` here. */
export function toFilter(
  { model, form }: Rules,
  thing: Thing,
  given: unknown,
  name: string,
): Filter | null {
  if (given === undefined || given === null) return null
  return parseFilter(group(thing, given), [name])

  function group(of: Thing, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => group(of, each))
    if (!isRaw(value)) return value ?? {}
    return Object.fromEntries(
      Object.entries(value).flatMap(([field, inner]) => {
        if (inner === undefined || inner === null) return nullOf(of, field, inner)
        if (LOGIC.has(field)) return [[`$${field}`, group(of, inner)]]
        return [member(of, field, inner)]
      }),
    )
  }

  function member(of: Thing, field: string, value: unknown): [string, unknown] {
    const reference = referenceOf(of, field)
    if (reference) return [reference.attribute, { $eq: idOf(value, reference.to, field) }]
    const attribute = of === 'files' ? undefined : of.attribute.get(field)
    const to = behind(model, attribute)
    if (to) return [field, group(to, value)]
    const isId = field === 'id' && (of === 'files' || 'singularName' in of)
    return [field, operators(value, isId ? (leaf) => idOf(leaf, of, field) : (leaf) => leaf)]
  }

  /** `authorId` is asked of the relation `author`, unless an attribute has the name. */
  function referenceOf(of: Thing, field: string) {
    if (form === 'cms' || of === 'files' || of.attribute.has(field) || !field.endsWith('Id'))
      return undefined
    const attribute = of.attribute.get(field.slice(0, -2))
    const to = attribute?.type === 'relation' ? model.findType(attribute.target) : undefined
    return attribute && to && { attribute: attribute.name, to }
  }

  /** No `authorId` is no author; null says nothing anywhere else. */
  function nullOf(of: Thing, field: string, value: unknown): [string, unknown][] {
    const reference = value === null ? referenceOf(of, field) : undefined
    return reference ? [[reference.attribute, { $null: true }]] : []
  }

  function idOf(value: unknown, of: Thing, field: string): unknown {
    const isKnown = of === 'files' || 'singularName' in of
    if (form !== 'connection' || !isKnown || !(value instanceof Slot)) return value
    const id = value.map((text) => referenceTo(String(text), of, field))
    // A global id of another type is refused here, where the name of the field is known.
    id.look(() => true)
    return id
  }
}

function operators(value: unknown, leaf: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => operators(each, leaf))
  if (!isRaw(value)) return leaf(value)
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [`$${name}`, operators(inner, leaf)]),
  )
}

function isRaw(value: unknown): value is Raw {
  return isObject(value) && !(value instanceof Slot)
}
