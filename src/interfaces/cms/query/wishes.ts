import type { ContentModel } from '#content'
import type { Filter, Include, SortKey } from '#content-query'
import { type Level, LOCALIZATIONS, stepInto, stepsFrom } from './level.ts'
import type { At } from './refusals.ts'

export const MAX_RELATED = 100

/** One attribute to populate, as several parameters together ask for it. */
export interface Wish {
  readonly level: Level
  readonly at: At
  /** By its name, not only through `*` or `deep`. */
  named: boolean
  fields: ReadonlySet<string> | null
  filter: Filter | null
  sort: readonly SortKey[]
  start: number
  limit: number
  readonly below: Wishes
}

export type Wishes = Map<string, Wish>

interface Position {
  readonly model: ContentModel
  readonly level: Level
  readonly at: At
}

/** Adds `author.avatar`: each step on the way is populated; answers the last one. */
export function wishPath(
  wishes: Wishes,
  { model, level, at }: Position,
  steps: readonly string[],
): Wish {
  const [name = '', ...rest] = steps
  const wish = wishStep(wishes, { model, level, at }, name, true)
  if (rest.length === 0) return wish
  return wishPath(wish.below, { model, level: wish.level, at }, rest)
}

/** `*`: everything one level below. */
export function wishAll(wishes: Wishes, position: Position): void {
  for (const name of stepsFrom(position.level)) wishStep(wishes, position, name, false)
}

/** `deep`: everything, but never a type again that the branch has come through. */
export function wishDeep(
  wishes: Wishes,
  position: Position,
  depth: number,
  branch: readonly Level[] = [position.level],
): void {
  if (depth === 0) return
  for (const name of stepsFrom(position.level)) {
    const level = stepInto(position.model, position.level, name, position.at)
    if (name === LOCALIZATIONS || branch.some((passed) => isSame(passed, level))) continue
    const { below } = wishStep(wishes, position, name, false)
    wishDeep(below, { ...position, level }, depth - 1, [...branch, level])
  }
}

/** For questions that the dialect itself asks: this attribute as it is. */
export function plainInclude(field: string, start = 0): Include {
  const all = { filter: null, sort: [], start, limit: MAX_RELATED, include: [] }
  return { field, ...all, depth: 'entries', named: true }
}

export function depthOf(wishes: Wishes): number {
  return Math.max(0, ...[...wishes.values()].map(({ below }) => 1 + depthOf(below)))
}

function wishStep(
  wishes: Wishes,
  { model, level, at }: Position,
  name: string,
  named: boolean,
): Wish {
  const known = wishes.get(name)
  if (known) {
    known.named ||= named
    return known
  }
  const wish: Wish = {
    level: stepInto(model, level, name, at),
    at,
    named,
    fields: null,
    filter: null,
    sort: [],
    start: 0,
    limit: MAX_RELATED,
    below: new Map(),
  }
  wishes.set(name, wish)
  return wish
}

function isSame(one: Level, other: Level): boolean {
  return one.kind !== 'file' && other.kind !== 'file' && one.set === other.set
}
