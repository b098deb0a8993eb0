import { type Issue, notFound } from '#kernel'
import { fold } from '../fold.ts'
import type { ContentModel, ContentType } from '../model.ts'
import { mayRead } from '../permissions.ts'
import { zoneTextsOf } from '../search/zone-texts.ts'
import type { Viewer } from '../viewer.ts'
import type {
  AnyQuery,
  ContentQuery,
  Filter,
  ListedType,
  ListQuery,
  LocaleChoice,
  SortKey,
} from './ast.ts'
import { createIssues, type Issues } from './issues.ts'
import { withLists } from './lists.ts'
import { chosenLocales } from './locales.ts'
import { mediaShownTo } from './media-shown.ts'
import type { ListScope } from './names/fields.ts'
import { SYSTEM_COLUMNS } from './names/system.ts'
import { groupOf, NOTHING, type Resolving, resolveFilter } from './resolve-filter.ts'
import { resolveIncludes } from './resolve-include.ts'
import { resolveSort } from './resolve-sort.ts'
import {
  type Condition,
  isNever,
  type ResolvedPart,
  type ResolvedQuery,
  type ResolvedSearch,
  type SortColumn,
} from './resolved.ts'
import { requireRead, requireState } from './rights.ts'
import { type Operand, toSlot } from './slot.ts'
import { toWalk } from './walk.ts'

/** One type with everything its part of the query is resolved with. */
interface Part extends Pick<ListedType, 'include' | 'names'> {
  readonly scope: ListScope
  readonly to: Resolving
  /** What is asked of it alone. */
  readonly filter: Filter | null
}

/**
 * Checks a query against the model and the caller's rights. Refuses with every fault it found:
 * `invalid_query` whose issues carry the caller's own path.
 */
export function resolve(model: ContentModel, viewer: Viewer, query: AnyQuery): ResolvedQuery {
  const to: Resolving = { model, viewer, issues: createIssues() }
  const parts = partsOf(to, query)
  const state = 'state' in query ? query.state : 'live'
  requireState(viewer, state)
  const conditions = conditionsOf(parts, query, to.issues)
  const sort = query.sort.map((key) => resolveKey(parts, key, to.issues))
  const resolved = parts.map((part, at) => ({
    ...resolvePart(part, query),
    condition: conditions[at] ?? null,
    sort: [...sort.map((columns) => columns[at] ?? null), ...('types' in query ? TIES : [])],
  }))
  to.issues.refuse()
  return {
    // Types that are not asked change no order.
    parts: 'types' in query ? resolved.filter(mayHold) : resolved,
    state,
    locale: 'types' in query ? localeOf(model, query.locale) : null,
    nulls: ('nulls' in query && query.nulls) || 'lowest',
    detail: ('detail' in query && query.detail) || 'whole',
    walk: toWalk(query.page),
  }
}

function partsOf(to: Resolving, query: AnyQuery): readonly Part[] {
  if ('types' in query) return listedParts(to, query)
  if ('type' in query) return [onlyPart(to, query)]
  return [{ scope: { kind: 'file' }, to, filter: query.filter, include: [] }]
}

/** What the caller may not read, and types that are gone, are not listed. */
function listedParts(to: Resolving, query: ListQuery): readonly Part[] {
  const { model, viewer } = to
  const exists = (type: ContentType) => mayRead(viewer, type) && (query.exists?.(type) ?? true)
  return query.types.flatMap(({ type: { no }, filter = null, ...listed }) => {
    const type = model.typeByNo(no)
    if (!type || !mayRead(viewer, type)) return []
    return [{ ...listed, filter, to: { ...to, exists }, scope: { kind: 'entry', type } }]
  })
}

/** A type that was named. */
function onlyPart(to: Resolving, query: ContentQuery): Part {
  // By number: the model may have been swapped since the caller looked the type up.
  const type = to.model.typeByNo(query.type.no)
  if (!type) throw notFound()
  requireRead(to.viewer, type)
  return { scope: { kind: 'entry', type }, to, filter: ownFilter(query), include: query.include }
}

function ownFilter({ filter, status }: ContentQuery): Filter | null {
  if (!status) return filter
  const compare = { kind: 'compare', operator: 'eq', fold: false } as const
  const own = { ...compare, field: '@status', values: [status] }
  return filter ? { kind: 'and', of: [filter, own] } : own
}

function resolvePart(
  { scope, to, include }: Part,
  query: AnyQuery,
): Omit<ResolvedPart, 'condition' | 'sort'> {
  const { search } = query
  return {
    scope,
    locales:
      scope.kind === 'entry' && 'locale' in query
        ? chosenLocales(to.model, scope.type, query.locale)
        : null,
    search: resolveSearch(search),
    zones: scope.kind === 'entry' ? zoneTextsOf(to.model, scope.type) : [],
    include: resolveIncludes(to, scope, include),
    linkedFrom: 'type' in query ? linked(query) : null,
    only: 'type' in query ? onlyOne(query) : null,
  }
}

function linked({ linkedFrom }: ContentQuery): ResolvedPart['linkedFrom'] {
  if (!linkedFrom) return null
  const { relation, copyNo, documentId } = linkedFrom
  return { relation, copyNo: toSlot(copyNo), documentId: toSlot(documentId) }
}

function onlyOne({ only }: ContentQuery): ResolvedPart['only'] {
  if (!only) return null
  if ('id' in only) return { column: 'id', value: toSlot(only.id) }
  return { column: 'document_id', value: toSlot(only.documentId) }
}

function localeOf(model: ContentModel, choice: LocaleChoice): string | null {
  return choice.kind === 'one' ? (model.findLocale(choice.code)?.code ?? null) : null
}

/** Content delivery §6.3: what is equal stands by its creation, then by its id. */
const TIES: readonly SortColumn[] = ['createdAt', 'documentId'].flatMap((name) => {
  const column = SYSTEM_COLUMNS.get(name)
  return column ? [{ steps: [], column, order: 'asc' as const }] : []
})

function mayHold({ condition, locales }: ResolvedPart): boolean {
  return locales?.length !== 0 && !(condition && isNever(condition))
}

/** Of each part: what is asked of all, what of it alone, and what its caller may see. */
function conditionsOf(
  parts: readonly Part[],
  query: AnyQuery,
  issues: Issues,
): readonly (Condition | null)[] {
  const common = 'types' in query && query.filter ? resolveCommon(parts, query.filter, issues) : []
  return parts.map(({ scope, to, filter }, at) => {
    const of = [
      ...(common[at] ? [common[at]] : []),
      ...(filter ? [resolveFilter(to, scope, filter)] : []),
      ...(scope.kind === 'file' ? mediaShownTo(to.viewer, to.model) : []),
    ]
    return of.length === 0 ? null : withLists(groupOf('and', of))
  })
}

/** The condition of each part; and, or and not hold for each by itself. */
function resolveCommon(
  parts: readonly Part[],
  filter: Filter,
  issues: Issues,
): readonly Condition[] {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const { kind } = filter
      const of = filter.of.map((each) => resolveCommon(parts, each, issues))
      return parts.map((_, at) =>
        groupOf(
          kind,
          of.flatMap((conditions) => conditions[at] ?? []),
        ),
      )
    }
    case 'not':
      return resolveCommon(parts, filter.of, issues).map((of) => ({ kind: 'not', of }))
    default:
      return resolveLeaf(parts, filter, issues)
  }
}

type Leaf = Exclude<Filter, { kind: 'and' | 'or' | 'not' }>

function resolveLeaf(parts: readonly Part[], leaf: Leaf, issues: Issues): readonly Condition[] {
  return leniently(parts, issues, (to, { scope, names }) => {
    const condition = resolveFilter(to, scope, renamed(leaf, names))
    const [issue] = to.issues.all()
    return issue ? unasked(leaf, issue) : condition
  })
}

/** Of a type that has no such field, which is missing then, or one that cannot take the value. */
function unasked(leaf: Leaf, { rule }: Issue): Condition {
  const isAbsent = rule === 'unknown_field' || rule === 'private_field'
  if (leaf.kind === 'missing') return isAbsent ? EVERYTHING : NOTHING
  if (leaf.kind !== 'compare') return NOTHING
  const isNegated = ['ne', 'notIn', 'notContains'].includes(leaf.operator)
  const isTrue = isAbsent && leaf.values.map(toSlot).some((slot) => slot.look(isNull))
  return isTrue !== isNegated ? EVERYTHING : NOTHING
}

function isNull(value: unknown): boolean {
  return value === null
}

const EVERYTHING: Condition = { kind: 'not', of: NOTHING }

function resolveKey(
  parts: readonly Part[],
  key: SortKey,
  issues: Issues,
): readonly (SortColumn | null)[] {
  return leniently(parts, issues, (to, { scope, names }) => {
    const [first = '', ...rest] = key.path
    const path = [names?.get(first) ?? first, ...rest]
    return resolveSort(to, scope, [{ ...key, path }])[0] ?? null
  })
}

/** What is refused for every part is refused, with the reason that says most. */
function leniently<Found>(
  parts: readonly Part[],
  issues: Issues,
  resolve: (to: Resolving, part: Part) => Found,
): readonly Found[] {
  const reasons: Issue[] = []
  const found = parts.map((part) => {
    const own = createIssues()
    const result = resolve({ ...part.to, issues: own }, part)
    reasons.push(...own.all().slice(0, 1))
    return result
  })
  if (parts.length > 0 && reasons.length === parts.length) {
    const reason = reasons.find(({ rule }) => rule !== 'unknown_field') ?? reasons[0]
    if (reason) issues.note(reason)
  }
  return found
}

function renamed(leaf: Leaf, names: Part['names']): Leaf {
  if (leaf.kind === 'placed') return leaf
  return { at: [leaf.field], ...leaf, field: names?.get(leaf.field) ?? leaf.field }
}

const DIGITS = /^[-\d.]+$/

/** Null: nothing is searched for. */
function resolveSearch(search: Operand<string>): ResolvedSearch | null {
  const given = toSlot(search)
  if (given.look((text) => text === '')) return null
  const text = given.map(fold)
  const isDigits = text.look((folded) => DIGITS.test(folded))
  const isNumber = isDigits && text.look((folded) => !Number.isNaN(Number(folded)))
  return { text, isDigits, isNumber }
}
