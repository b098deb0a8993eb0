import { notFound } from '#kernel'
import type { ContentModel } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import type { ContentQuery, Filter } from './ast.ts'
import { createIssues } from './issues.ts'
import { chosenLocales } from './locales.ts'
import type { Scope } from './names/fields.ts'
import { type Resolving, resolveFilter } from './resolve-filter.ts'
import { resolveIncludes } from './resolve-include.ts'
import { resolveSearch } from './resolve-search.ts'
import { resolveSort } from './resolve-sort.ts'
import type { ResolvedQuery } from './resolved.ts'
import { requireRead, requireState } from './rights.ts'
import { toSlot } from './slot.ts'
import { toWalk } from './walk.ts'

/**
 * Checks a query against the model and the caller's rights. Refuses with every fault it found:
 * `invalid_query` whose issues carry the caller's own path.
 */
export function resolve(model: ContentModel, viewer: Viewer, query: ContentQuery): ResolvedQuery {
  // By number: the model may have been swapped since the caller looked the type up.
  const type = model.typeByNo(query.type.no)
  if (!type) throw notFound()
  requireRead(viewer, type)
  requireState(viewer, query.state)
  const to: Resolving = { model, viewer, issues: createIssues() }
  const scope: Scope = { kind: 'entry', type }
  const resolved: ResolvedQuery = {
    type,
    state: query.state,
    locales: chosenLocales(model, type, query.locale),
    condition: resolveCondition(to, scope, query),
    search: resolveSearch(query.search),
    sort: resolveSort(to, scope, query.sort),
    include: resolveIncludes(to, scope, query.include),
    nulls: query.nulls ?? 'lowest',
    brief: query.brief ?? false,
    linkedFrom: linked(query),
    only: onlyOne(query),
    walk: toWalk(query.page),
  }
  to.issues.refuse()
  return resolved
}

function linked({ linkedFrom }: ContentQuery): ResolvedQuery['linkedFrom'] {
  if (!linkedFrom) return null
  const { relation, copyNo, documentId } = linkedFrom
  return { relation, copyNo: toSlot(copyNo), documentId: toSlot(documentId) }
}

function onlyOne({ only }: ContentQuery): ResolvedQuery['only'] {
  if (!only) return null
  if ('id' in only) return { column: 'id', value: toSlot(only.id) }
  return { column: 'document_id', value: toSlot(only.documentId) }
}

function resolveCondition(to: Resolving, scope: Scope, { filter, status }: ContentQuery) {
  const filters: Filter[] = filter ? [filter] : []
  if (status) {
    const compare = { kind: 'compare', operator: 'eq', fold: false } as const
    filters.push({ ...compare, field: '@status', values: [status] })
  }
  const [first, second] = filters
  if (!first) return null
  return resolveFilter(to, scope, second ? { kind: 'and', of: [first, second] } : first)
}
