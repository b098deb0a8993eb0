import type { ContentType } from '../../model.ts'
import { type Sql, sql } from '../fragment.ts'
import type { ListScope } from '../names/fields.ts'
import type { ResolvedPart } from '../resolved.ts'
import {
  allOf,
  type Compiling,
  column,
  fixedLocale,
  isVisible,
  localeOf,
  NEVER,
  type Row,
} from './context.ts'
import { compileCondition } from './filter.ts'
import { type Candidates, candidatesOf, compileSearch, searchFiles } from './search.ts'

/** The row that a list is about. */
export const ROOT = 'v'

export interface Source {
  readonly from: Sql
  readonly where: Sql
  /** Where the search index finds the rows: the numbers it finds, as many as there are in all types. */
  readonly candidates?: Candidates
  /** The table alone. */
  readonly table?: Sql
}

/** The table of what a list is of, and what its rows are known by. */
export function tableOf(scope: ListScope) {
  return scope.kind === 'file'
    ? ({ table: 'content_files', key: 'id' } as const)
    : ({ table: scope.type.table, key: 'copy_no' } as const)
}

export function rootRow(to: Compiling, { scope, locales }: ResolvedPart): Row {
  if (scope.kind === 'file') return { kind: 'file', alias: ROOT }
  const { type } = scope
  const [code] = locales ?? []
  const isOne = code !== undefined && locales?.length === 1
  const locale = isOne ? fixedLocale(code) : localeOf(to, type, ROOT)
  return { kind: 'entry', alias: ROOT, type, locale }
}

/** The rows of one part of a list; what was noted of its keys before counts for its deadline. */
export function sourceOf(to: Compiling, row: Row, part: ResolvedPart): Source {
  const candidates = candidatesOf(to, part)
  const conditions = baseConditions(to, row, part)
  const { table, key } = tableOf(part.scope)
  const from = sql`${sql.table(table)} as ${sql.ref(ROOT)}`
  if (!candidates) {
    const within = to.mayScan ? [to.dialect.withinDeadline(`${ROOT}.${key}`)] : []
    return { from, where: allOf([...within, ...conditions]) }
  }
  const found = to.alias('m')
  // Also for what is found of other types, which no row of this one belongs to.
  const within = to.dialect.withinDeadline(`${found}.no`)
  const isFound = sql`${column(ROOT, key)} = ${column(found, 'no')}`
  return {
    // In this order also where the planner takes tables as they are written.
    from: sql`(${candidates.all}) as ${sql.ref(found)} cross join ${from}`,
    where: allOf([within, isFound, ...conditions]),
    candidates,
    table: from,
  }
}

/** Which rows belong to the list, whatever its order and page. */
export function baseConditions(to: Compiling, row: Row, part: ResolvedPart): readonly Sql[] {
  const { scope, condition, search, zones, linkedFrom, only } = part
  const isAsked = condition ? [compileCondition(to, row, condition)] : []
  if (scope.kind === 'file') return [...isAsked, ...(search ? [searchFiles(to, ROOT, search)] : [])]
  return [
    isVisible(to, scope.type, ROOT),
    ...localeConditions(to, part),
    ...(only ? [isOnly(to, scope.type, only)] : []),
    ...(linkedFrom ? [isLinked(linkedFrom)] : []),
    ...isAsked,
    ...(search ? [compileSearch(to, scope.type, ROOT, search, zones)] : []),
  ]
}

/** Indexes of a type with languages begin with the locale, which an id does not tell: there the registry is asked. */
function isOnly(
  to: Compiling,
  type: ContentType,
  { column: name, value }: NonNullable<ResolvedPart['only']>,
): Sql {
  if (name !== 'id' || !type.localized) return sql`${column(ROOT, name)} = ${value}`
  const entry = to.alias('e')
  const no = sql`select ${column(entry, 'no')} from content_entries as ${sql.ref(entry)} where ${column(entry, 'type_no')} = ${sql.lit(type.no)} and ${column(entry, 'id')} = ${value}`
  return sql`${column(ROOT, 'entry_no')} = (${no})`
}

function localeConditions(to: Compiling, { scope, locales }: ResolvedPart): readonly Sql[] {
  if (locales === null || scope.kind === 'file') return []
  const { type } = scope
  const [first] = locales
  if (first === undefined) return [NEVER]
  const own = column(ROOT, 'locale')
  if (locales.length === 1) return [sql`${own} = ${first}`]
  const other = to.alias('x')
  const better = sql`${rank(locales, column(other, 'locale'))} < ${rank(locales, own)}`
  return [
    sql`${own} in (${sql.join(locales.map((code) => sql.val(code)))})`,
    sql`not exists (select 1 from ${sql.table(type.table)} as ${sql.ref(other)} where ${column(other, 'document_id')} = ${column(ROOT, 'document_id')} and ${isVisible(to, type, other)} and ${better})`,
  ]
}

function rank(locales: readonly string[], value: Sql): Sql {
  const cases = locales.map((code, at) => sql`when ${code} then ${sql.lit(at)}`)
  return sql`case ${value} ${sql.join(cases, sql` `)} else ${sql.lit(locales.length)} end`
}

/** Entries at the other end of a relation of one copy. */
function isLinked({ relation, copyNo, documentId }: NonNullable<ResolvedPart['linkedFrom']>): Sql {
  const no = sql.lit(relation.linkNo)
  if (relation.side === 'owning') {
    return sql`${column(ROOT, 'document_id')} in (select target from content_links where owner_copy = ${copyNo} and attribute_no = ${no} and owner_part = 0)`
  }
  return sql`${column(ROOT, 'copy_no')} in (select owner_copy from content_links where target = ${documentId} and attribute_no = ${no})`
}
