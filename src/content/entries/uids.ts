import { scalarsOf } from '../document.ts'
import type { JsonValue } from '../json.ts'
import type { ContentType, FieldSet, ScalarAttribute } from '../model.ts'
import type { Body, Part } from './body.ts'
import { isMadeFrom, slugOf } from './slug.ts'
import { findTakenPaths } from './store/paths.ts'
import type { Trx } from './store/statements.ts'
import { findTakenValues } from './uniques.ts'

interface Whose {
  readonly documentId: string
  readonly locale: string
  readonly id: number
  readonly entryNo: number | null
  /** The path the entry would have with this slug. */
  readonly pathWith: (slug: string) => string
}

/** How many suffixes are looked at together; most names are free at once. */
const STEPS = [1, 20, 200, 2_000]

/** The body with a value for every uid that has none and knows what to make it from. */
export async function withUids(
  trx: Trx,
  type: ContentType,
  body: Body,
  old: Body | undefined,
  whose: Whose,
): Promise<Body> {
  const values = new Map(body.values)
  for (const attribute of uidsOf(type)) {
    if (values.has(attribute.no)) continue
    const base = baseOf(type, attribute, body.values, type.singularName)
    if (base === undefined) continue
    const former = old?.values.get(attribute.no)
    const isKept = typeof former === 'string' && isMadeFrom(base, former)
    values.set(attribute.no, isKept ? former : await findFree(trx, type, attribute, base, whose))
  }
  return { ...body, values, parts: withPartUids(body.parts) }
}

function uidsOf(set: FieldSet): ScalarAttribute[] {
  return scalarsOf(set).filter(({ type }) => type === 'uid')
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

async function findFree(
  trx: Trx,
  type: ContentType,
  attribute: ScalarAttribute,
  base: string,
  whose: Whose,
): Promise<string> {
  let next = 1
  for (const count of STEPS) {
    const candidates = Array.from({ length: count }, (_, index) => suffixed(base, next + index))
    const taken = await findTaken(trx, type, attribute, candidates, whose)
    const free = candidates.find((candidate) => !taken.has(candidate))
    if (free !== undefined) return free
    next += count
  }
  return `${base}-${whose.id}-${type.no}`
}

function suffixed(base: string, number: number): string {
  return number === 1 ? base : `${base}-${number}`
}

async function findTaken(
  trx: Trx,
  type: ContentType,
  attribute: ScalarAttribute,
  candidates: readonly string[],
  whose: Whose,
): Promise<Set<string>> {
  const taken = new Set(await findTakenValues(trx, type, attribute, candidates, whose))
  if (attribute.name !== type.slugField) return taken
  const byPath = new Map(candidates.map((candidate) => [whose.pathWith(candidate), candidate]))
  const except = whose.entryNo === null ? [] : [whose.entryNo]
  for (const { path } of await findTakenPaths(trx, [...byPath.keys()], whose.locale, except)) {
    const candidate = byPath.get(path)
    if (candidate !== undefined) taken.add(candidate)
  }
  return taken
}

/** Inside components uids are made too, but belong to no URL and need not be unique. */
function withPartUids(parts: Body['parts']): Body['parts'] {
  return new Map([...parts].map(([no, list]) => [no, list.map(withOwnUids)]))
}

function withOwnUids(part: Part): Part {
  const values = new Map(part.body.values)
  for (const attribute of uidsOf(part.component)) {
    const base = baseOf(part.component, attribute, values, part.component.name)
    if (!values.has(attribute.no) && base !== undefined) values.set(attribute.no, base)
  }
  return { ...part, body: { ...part.body, values, parts: withPartUids(part.body.parts) } }
}
