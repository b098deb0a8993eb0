import { type Sql, sql } from '../fragment.ts'
import type { ResolvedQuery } from '../resolved.ts'
import {
  type Compiling,
  column,
  fixedLocale,
  isVisible,
  localeOf,
  NEVER,
  type Row,
} from './context.ts'
import { compileCondition } from './filter.ts'
import { compileSearch } from './search.ts'

/** The row that a list is about. */
export const ROOT = 'v'

export function rootRow(to: Compiling, { type, locales }: ResolvedQuery): Row {
  const [code] = locales ?? []
  const isOne = code !== undefined && locales?.length === 1
  const locale = isOne ? fixedLocale(code) : localeOf(to, type, ROOT)
  return { kind: 'entry', alias: ROOT, type, locale }
}

/** Which rows belong to the list, whatever its order and page. */
export function baseConditions(to: Compiling, row: Row, query: ResolvedQuery): readonly Sql[] {
  const { type, condition, search, linkedFrom, only } = query
  return [
    isVisible(to, type, ROOT),
    ...localeConditions(to, query),
    ...(only ? [sql`${column(ROOT, only.column)} = ${only.value}`] : []),
    ...(linkedFrom ? [isLinked(linkedFrom)] : []),
    ...(condition ? [compileCondition(to, row, condition)] : []),
    ...(search ? [compileSearch(to, type, ROOT, search)] : []),
  ]
}

function localeConditions(to: Compiling, { type, locales }: ResolvedQuery): readonly Sql[] {
  if (locales === null) return []
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
function isLinked({ relation, copyNo, documentId }: NonNullable<ResolvedQuery['linkedFrom']>): Sql {
  const no = sql.lit(relation.linkNo)
  if (relation.side === 'owning') {
    return sql`${column(ROOT, 'document_id')} in (select target from content_links where owner_copy = ${copyNo} and attribute_no = ${no} and owner_part = 0)`
  }
  return sql`${column(ROOT, 'copy_no')} in (select owner_copy from content_links where target = ${documentId} and attribute_no = ${no})`
}
