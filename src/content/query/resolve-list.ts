import type { Issue } from '#kernel'
import type { ContentModel } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import type { Filter, LocaleChoice, SortKey } from './ast.ts'
import { createIssues, type Issues } from './issues.ts'
import type { ListedType, ListQuery } from './list-query.ts'
import { chosenLocales } from './locales.ts'
import type { Scope } from './names/fields.ts'
import { SYSTEM_COLUMNS } from './names/system.ts'
import { groupOf, NOTHING, type Resolving, resolveFilter } from './resolve-filter.ts'
import { resolveIncludes } from './resolve-include.ts'
import { resolveSearch } from './resolve-search.ts'
import { resolveSort } from './resolve-sort.ts'
import type { Condition, ResolvedList, ResolvedQuery, SortColumn } from './resolved.ts'
import { mayRead, requireState } from './rights.ts'
import { toSlot } from './slot.ts'
import { toWalk } from './walk.ts'

/** One type with everything its part of the query is resolved with. */
interface Part {
  readonly listed: ListedType
  readonly to: Resolving
  readonly scope: Extract<Scope, { kind: 'entry' }>
}

/** Checks a list as `resolve` checks a query of one type. */
export function resolveList(model: ContentModel, viewer: Viewer, query: ListQuery): ResolvedList {
  requireState(viewer, query.state)
  const issues = createIssues()
  const parts = partsOf(model, viewer, query, issues)
  const common = query.filter ? resolveCommon(parts, query.filter, issues) : []
  const sort = query.sort.map((key) => resolveKey(parts, key, issues))
  const queries = parts.map((part, at) =>
    toQuery(part, query, common[at] ?? null, columnsAt(sort, at)),
  )
  issues.refuse()
  const { state, start, limit } = query
  const page = { state, start: toSlot(start), limit: toSlot(limit) }
  return { queries, sort, locale: chosenLocale(model, query.locale), ...page }
}

function chosenLocale(model: ContentModel, choice: LocaleChoice): string | null {
  return choice.kind === 'one' ? (model.findLocale(choice.code)?.code ?? null) : null
}

/** What the caller may not read, and types that are gone, are not listed. */
function partsOf(
  model: ContentModel,
  viewer: Viewer,
  query: ListQuery,
  issues: Issues,
): readonly Part[] {
  const exists: Resolving['exists'] = (type) =>
    mayRead(viewer, type) && (query.exists?.(type) ?? true)
  return query.types.flatMap((listed) => {
    const type = model.typeByNo(listed.type.no)
    if (!type || !mayRead(viewer, type)) return []
    return [{ listed, to: { model, viewer, issues, exists }, scope: { kind: 'entry', type } }]
  })
}

function toQuery(
  { listed, to, scope }: Part,
  query: ListQuery,
  common: Condition | null,
  sort: readonly SortColumn[],
): ResolvedQuery {
  const own = listed.filter ? resolveFilter(to, scope, listed.filter) : null
  // A page asks for one more than its limit.
  const most = toSlot(query.start).with(toSlot(query.limit), (start, limit) => start + limit - 1)
  return {
    type: scope.type,
    state: query.state,
    locales: chosenLocales(to.model, scope.type, query.locale),
    condition: common && own ? { kind: 'and', of: [common, own] } : (common ?? own),
    search: resolveSearch(query.search),
    sort: [...sort, ...TIES],
    include: resolveIncludes(to, scope, listed.include),
    nulls: 'lowest',
    brief: false,
    linkedFrom: null,
    only: null,
    walk: toWalk({ kind: 'offset', start: 0, limit: most, count: false }),
  }
}

/** Content delivery §6.3: what is equal stands by its creation, then by its id. */
export const TIES: readonly SortColumn[] = ['createdAt', 'documentId'].flatMap((name) => {
  const column = SYSTEM_COLUMNS.get(name)
  return column ? [{ steps: [], column, order: 'asc' as const }] : []
})

function columnsAt(sort: ResolvedList['sort'], at: number): readonly SortColumn[] {
  return sort.flatMap((columns) => columns[at] ?? [])
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
  return leniently(parts, issues, (to, { scope, listed }) => {
    const condition = resolveFilter(to, scope, renamed(leaf, listed.names))
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
  return leniently(parts, issues, (to, { scope, listed }) => {
    const [first = '', ...rest] = key.path
    const path = [listed.names?.get(first) ?? first, ...rest]
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

function renamed(leaf: Leaf, names: ListedType['names']): Leaf {
  if (leaf.kind === 'placed') return leaf
  return { at: [leaf.field], ...leaf, field: names?.get(leaf.field) ?? leaf.field }
}
