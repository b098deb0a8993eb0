import { isToMany } from '../model.ts'
import { mayRead } from '../permissions.ts'
import type { Between, Include } from './ast.ts'
import type { At } from './issues.ts'
import { withLists } from './lists.ts'
import { findField, type Scope, type Step, scopeOf } from './names/fields.ts'
import { isHidden, type Resolving, resolveFilter } from './resolve-filter.ts'
import { resolveSort } from './resolve-sort.ts'
import type { ResolvedBetween, ResolvedInclude } from './resolved.ts'
import { requireRead, requireState } from './rights.ts'
import { toSlot } from './slot.ts'
import { toPosition } from './walk.ts'

/** Content delivery shows 8 levels, what the last refers to, and components between them. */
const DEEPEST_INCLUDE = 24
const MOST_RELATED = 1_000

export function resolveIncludes(
  to: Resolving,
  scope: Scope,
  includes: readonly Include[],
  depth = 1,
): readonly ResolvedInclude[] {
  return includes.flatMap((include) => resolveInclude(to, scope, include, depth) ?? [])
}

function resolveInclude(
  to: Resolving,
  scope: Scope,
  include: Include,
  depth: number,
): ResolvedInclude | undefined {
  const at = include.at ?? ['include', include.field]
  if (depth > DEEPEST_INCLUDE) {
    to.issues.add(at, 'too_deep', `Relations are followed ${DEEPEST_INCLUDE} levels deep`)
    return undefined
  }
  if (include.state) requireState(to.viewer, include.state)
  const step = findTarget(to, scope, include, at, depth)
  if (!step) return undefined
  if (step.kind === 'zone' && (include.filter || include.sort.length > 0)) {
    to.issues.add(at, 'not_comparable', `${include.field} is a dynamic zone: it has one order`)
    return undefined
  }
  const inner = innerScope(scope, step)
  const start = toSlot(include.start).map((first) => Math.max(first, 0))
  // A component belongs to its entry and is loaded whole, ids are small; entries and files may be very many.
  const isPart = step.kind === 'component' || step.kind === 'zone'
  const most = isPart || include.depth === 'ids' ? Number.MAX_SAFE_INTEGER : MOST_RELATED
  const limit = toSlot(include.limit).map((asked) => Math.min(Math.max(asked, 0), most))
  return {
    name: include.as ?? include.field,
    step,
    many: step.kind === 'localizations' || isToMany(step.attribute),
    condition: inner && include.filter && withLists(resolveFilter(to, inner, include.filter)),
    sort: inner ? resolveSort(to, inner, include.sort) : [],
    nulls: include.nulls ?? 'lowest',
    start,
    isFromStart: start.with(limit, (first, count) => first === 0 && count > 0).look((is) => is),
    until: start.with(limit, (first, count) => first + count),
    between: include.between ? resolveBetween(include.between) : null,
    count: include.count ?? true,
    include: inner ? resolveIncludes(to, inner, include.include, depth + 1) : [],
    depth: include.depth,
    state: include.state ?? null,
  }
}

/** Null: in each component of a zone names mean something else. */
function innerScope(scope: Scope, step: ResolvedInclude['step']): Scope | null {
  if (step.kind === 'zone') return null
  return step.kind === 'localizations' ? scope : scopeOf(step)
}

function resolveBetween({ after, before, first, last }: Between): ResolvedBetween {
  return {
    after: toPosition(after),
    before: toPosition(before),
    first: first === null ? null : toSlot(first),
    last: last === null ? null : toSlot(last),
  }
}

function findTarget(
  to: Resolving,
  scope: Scope,
  include: Include,
  at: At,
  depth: number,
): ResolvedInclude['step'] | undefined {
  const field = findField(to.model, scope, include.field)
  if (field?.kind === 'zone') {
    const { attribute, components } = field
    const shown = components.filter(({ uid }) => !include.onlyThese || include.on?.has(uid))
    const members = shown.map((component) => {
      const wanted = include.on?.get(component.uid) ?? []
      const inside = { kind: 'part', component } as const
      return { component, include: resolveIncludes(to, inside, wanted, depth + 1) }
    })
    return { kind: 'zone', attribute, members }
  }
  if (field?.kind === 'step' && field.step.kind !== 'indexed')
    return mayShow(to, field.step, include) ? field.step : undefined
  if (!field && include.field === 'localizations' && scope.kind === 'entry') {
    // Not an error for types without languages: `populate=localizations` is sent to all of them.
    return scope.type.localized ? { kind: 'localizations', type: scope.type } : undefined
  }
  if (field?.kind === 'private') {
    to.issues.add(at, 'private_field', `${include.field} cannot be included`)
  } else to.issues.add(at, 'unknown_relation', `There is no relation ${include.field}`)
  return undefined
}

/** A relation to a type the caller may not read is refused by name and left out otherwise. */
function mayShow(to: Resolving, step: Step, include: Include): boolean {
  if (step.kind !== 'relation') return true
  if (isHidden(to, step)) return false
  const { viewer } = to
  if (include.named) requireRead(viewer, step.target)
  return mayRead(viewer, step.target)
}
