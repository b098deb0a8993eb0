import { scalarsOf } from '../document.ts'
import { isUnique, kindOf } from '../fields/index.ts'
import type { JsonValue } from '../json.ts'
import type { ContentModel, ContentType, FieldSet, ScalarAttribute } from '../model.ts'
import type { Body, Part } from './body.ts'
import { taken } from './refusals.ts'
import { isMadeFrom, slugOf } from './slug.ts'
import { findTaken, type NamesTaken, type Whose } from './store/names.ts'
import type { Writing } from './writing.ts'

interface Naming {
  readonly body: Body
  readonly old: Body | undefined
  readonly id: number
  readonly whose: Whose
  /** The path the entry would have with this slug. */
  readonly pathWith: (slug: string) => string
  /** Whether a value it has already must be looked at. */
  readonly isChecked: (attribute: ScalarAttribute) => boolean
}

interface Named {
  readonly body: Body
  /** Paths asked for that are taken or were somebody's. */
  readonly taken: NamesTaken
}

/** How many suffixes are looked at together; most names are free at once. */
const FIRST = 5
const STEPS = [50, 500, 2_000]

export function codesOf({ locales }: ContentModel): string[] {
  return ['', ...locales.map(({ code }) => code)]
}

/** The slug of an entry is the value of its first uid, else its id (content model §6). */
export function slugIn(type: ContentType, body: Body, id: number): string {
  const attribute = type.slugField === null ? undefined : type.attribute.get(type.slugField)
  const value = attribute && body.values.get(attribute.no)
  return typeof value === 'string' && value !== '' ? value : String(id)
}

/**
 * Gives every uid that has no value and knows what to make it from a free one, and refuses values
 * that others have: with one look at the store, unless many entries have the same title.
 */
export async function withNames(writing: Writing, naming: Naming): Promise<Named> {
  const { trx, type } = writing
  const { body, whose } = naming
  const kept = withFormerUids(type, naming)
  const lacking = uidsOf(type).filter(({ no }) => !kept.values.has(no))
  const made = lacking.flatMap((attribute) => candidatesOf(type, attribute, kept))
  const given = uniqueValues(type, kept).filter(({ attribute }) => naming.isChecked(attribute))
  const paths = pathsFor(type, kept, made, naming)
  const asked = {
    values: [...given, ...made.map(({ attribute, list }) => ({ attribute, wanted: list }))],
    paths,
  }
  const found = await findTaken(trx, type, asked, whose)
  const clashes = given.filter(({ attribute }) => found.values.has(attribute.no))
  if (clashes.length > 0) {
    throw taken(
      clashes.map(({ attribute }) => attribute.name),
      'is already used',
    )
  }
  const values = new Map(kept.values)
  for (const { attribute, base, list } of made) {
    const free = list.find((each) => isFree(type, attribute, each, found, naming))
    values.set(attribute.no, free ?? (await searchFree(writing, attribute, base, naming)))
  }
  return { body: withPartUids({ ...body, values }), taken: found }
}

/** Every value that nobody else may have, as its column holds it. */
export function uniqueValues(type: ContentType, { values }: Body) {
  return scalarsOf(type).flatMap((attribute) => {
    const value = values.get(attribute.no)
    if (value === undefined || !isUnique(attribute)) return []
    return [{ attribute, wanted: [kindOf(attribute).toColumn(value, attribute)] }]
  })
}

function uidsOf(set: FieldSet): ScalarAttribute[] {
  return scalarsOf(set).filter(({ type }) => type === 'uid')
}

/** A uid that was made from the same title before stays as it is. */
function withFormerUids(type: ContentType, { body, old }: Naming): Body {
  if (!old) return body
  const values = new Map(body.values)
  for (const attribute of uidsOf(type)) {
    const former = old.values.get(attribute.no)
    const base = baseOf(type, attribute, body.values, type.singularName)
    if (values.has(attribute.no) || typeof former !== 'string' || base === undefined) continue
    if (isMadeFrom(base, former)) values.set(attribute.no, former)
  }
  return { ...body, values }
}

interface Candidates {
  readonly attribute: ScalarAttribute
  readonly base: string
  readonly list: readonly string[]
}

function candidatesOf(type: ContentType, attribute: ScalarAttribute, body: Body): Candidates[] {
  const base = baseOf(type, attribute, body.values, type.singularName)
  return base === undefined ? [] : [{ attribute, base, list: suffixed(base, 1, FIRST) }]
}

/** Undefined when the attribute names nothing to make it from. */
function baseOf(
  set: FieldSet,
  attribute: ScalarAttribute,
  values: ReadonlyMap<number, JsonValue>,
  otherwise: string,
): string | undefined {
  const name = 'targetField' in attribute ? attribute.targetField : undefined
  const target = name === undefined ? undefined : set.attribute.get(name)
  if (!target) return undefined
  const value = values.get(target.no)
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return slugOf(text) || slugOf(otherwise)
}

/** `base`, `base-2`, `base-3`, … */
function suffixed(base: string, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    from + index === 1 ? base : `${base}-${from + index}`,
  )
}

function pathsFor(
  type: ContentType,
  body: Body,
  made: readonly Candidates[],
  { id, pathWith }: Naming,
): string[] {
  const own = made.find(({ attribute }) => attribute.name === type.slugField)
  const slugs = own ? own.list : [slugIn(type, body, id)]
  return [...new Set(slugs.map(pathWith))]
}

function isFree(
  type: ContentType,
  attribute: ScalarAttribute,
  value: string,
  found: NamesTaken,
  { pathWith }: Naming,
): boolean {
  if (found.values.get(attribute.no)?.has(value)) return false
  return attribute.name !== type.slugField || !found.paths.has(pathWith(value))
}

async function searchFree(
  { trx, type }: Writing,
  attribute: ScalarAttribute,
  base: string,
  naming: Naming,
): Promise<string> {
  let next = FIRST + 1
  for (const count of STEPS) {
    const wanted = suffixed(base, next, count)
    const isSlug = attribute.name === type.slugField
    const paths = isSlug ? [...new Set(wanted.map(naming.pathWith))] : []
    const found = await findTaken(
      trx,
      type,
      { values: [{ attribute, wanted }], paths },
      naming.whose,
    )
    const free = wanted.find((value) => isFree(type, attribute, value, found, naming))
    if (free !== undefined) return free
    next += count
  }
  return `${base}-${naming.id}-${type.no}`
}

/** Inside components uids are made too, but belong to no URL and need not be unique. */
export function withPartUids(body: Body): Body {
  if (body.parts.size === 0) return body
  const parts = new Map([...body.parts].map(([no, list]) => [no, list.map(withOwnUids)]))
  return { ...body, parts }
}

function withOwnUids(part: Part): Part {
  const values = new Map(part.body.values)
  for (const attribute of uidsOf(part.component)) {
    const base = baseOf(part.component, attribute, values, part.component.name)
    if (!values.has(attribute.no) && base !== undefined) values.set(attribute.no, base)
  }
  return { ...part, body: withPartUids({ ...part.body, values }) }
}
