import { isObject } from '#kernel'
import type { Attribute, Component, ContentModel, ContentType } from '../../model.ts'
import type { Include } from '../ast.ts'

/** As many as the store loads with one statement. */
const MOST_RELATED = 1_000

/** An attribute that is loaded as it is, but for what `more` says. */
export function includeOf(field: string, more: Partial<Include> = {}): Include {
  const all = { filter: null, sort: [], start: 0, limit: MOST_RELATED, include: [] }
  return { field, ...all, depth: 'entries', named: false, ...more }
}

/** What an attribute leads to; undefined for values, and where nothing is any more. */
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
  const uid = attribute?.type === 'component' ? attribute.component : undefined
  const component = uid === undefined ? undefined : model.findComponent(uid)
  if (!component) return value
  return Array.isArray(value) ? value.map((part, at) => one(part, [at])) : one(value, [])

  function one(part: unknown, at: number[]): unknown {
    return component && isObject(part) ? turn(component, part, at) : part
  }
}
