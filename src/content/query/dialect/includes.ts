import { isObject } from '#kernel'
import {
  type Attribute,
  type Component,
  type ContentModel,
  type ContentType,
  componentsIn,
  type HoldingAttribute,
  holdsComponents,
  type ZoneAttribute,
} from '../../model.ts'
import type { Include } from '../ast.ts'

/** All components and ids, and as many entries and files as the store loads with one statement. */
export const ALL_OF_THEM = Number.MAX_SAFE_INTEGER

/** An attribute that is loaded as it is, but for what `more` says. */
export function includeOf(field: string, more: Partial<Include> = {}): Include {
  const all = { filter: null, sort: [], start: 0, limit: ALL_OF_THEM, include: [] }
  return { field, ...all, depth: 'entries', named: false, ...more }
}

/** Whether the caller has named any of it: what it did not is left out where it may not be read. */
export function isNamed(includes: readonly Include[]): boolean {
  return includes.some(
    ({ named, include, on }) =>
      named || isNamed(include) || [...(on?.values() ?? [])].some(isNamed),
  )
}

/** A zone; `inside` says what is loaded with each component of it. */
export function zoneInclude(
  model: Pick<ContentModel, 'findComponent'>,
  attribute: ZoneAttribute,
  inside: (component: Component) => readonly Include[],
): Include {
  const on = componentsIn(model, attribute).map((each) => [each.uid, inside(each)] as const)
  return includeOf(attribute.name, { on: new Map(on) })
}

/** What an attribute leads to; undefined for values and zones, and where nothing is any more. */
export function behind(
  model: Pick<ContentModel, 'findType' | 'findComponent'>,
  attribute: Attribute | undefined,
): ContentType | Component | 'files' | undefined {
  switch (attribute?.type) {
    case 'relation':
      return model.findType(attribute.target)
    case 'component':
      return model.findComponent(attribute.component)
    case 'media':
      return 'files'
    default:
      return undefined
  }
}

/** The same, of zones each of their components. */
export function allBehind(
  model: Pick<ContentModel, 'findType' | 'findComponent'>,
  attribute: Attribute | undefined,
): readonly (ContentType | Component | 'files')[] {
  if (attribute?.type === 'dynamiczone') return componentsIn(model, attribute)
  return [behind(model, attribute)].flatMap((each) => each ?? [])
}

/** Names of relations to follow, each with those below it. */
export interface Paths extends Map<string, Paths> {}

/** Adds a path to the tree; `step` goes from one thing to the next or refuses the name. */
export function addPath<Thing>(
  tree: Paths,
  names: readonly string[],
  from: Thing,
  step: (from: Thing, name: string) => Thing,
): void {
  let branch = tree
  let thing = from
  for (const name of names) {
    thing = step(thing, name)
    const next: Paths = branch.get(name) ?? new Map()
    branch.set(name, next)
    branch = next
  }
}

/**
 * The value of an attribute with each component in it turned by `turn`, which is told its index where
 * there is a list of them; anything else stays as it is.
 */
export function mapParts(
  model: Pick<ContentModel, 'findComponent'>,
  attribute: Attribute | undefined,
  value: unknown,
  turn: (component: Component, part: Readonly<Record<string, unknown>>, at: number[]) => unknown,
): unknown {
  if (!attribute || !holdsComponents(attribute)) return value
  const held = attribute
  return Array.isArray(value) ? value.map((part, at) => one(part, [at])) : one(value, [])

  function one(part: unknown, at: number[]): unknown {
    const component = isObject(part) ? componentOf(model, held, part) : undefined
    return component && isObject(part) ? turn(component, part, at) : part
  }
}

/** The member by which an element of a zone says which component it is. */
export const COMPONENT_MEMBER = '__component'

/** Which component an element that was sent is of; undefined when it names none that may lie there. */
function componentOf(
  model: Pick<ContentModel, 'findComponent'>,
  attribute: HoldingAttribute,
  part: Readonly<Record<string, unknown>>,
): Component | undefined {
  const offered = componentsIn(model, attribute)
  if (attribute.type === 'component') return offered[0]
  return offered.find(({ uid }) => uid === part[COMPONENT_MEMBER])
}
