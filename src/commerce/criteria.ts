import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { SqlDialect } from '#db'
import { DomainError } from '#kernel'
import { parseMoment } from './times.ts'

type Condition =
  | ('eq' | 'neq' | 'gt' | 'gteq' | 'lt' | 'lteq' | 'in' | 'nin' | 'like' | 'nlike')
  | ('null' | 'notnull' | 'finset' | 'nfinset')
  | ('moreq' | 'from' | 'to' | 'gte' | 'lte')

interface CriteriaFilter {
  readonly field: string
  readonly condition: Condition
  /** Several for `in` and `nin`. */
  readonly values: readonly string[]
}

/** What a list is asked for (commerce contract §4.2). */
export interface Criteria {
  /** All of the groups must hold, of each one of its filters. */
  readonly groups: readonly (readonly CriteriaFilter[])[]
  readonly sorts: readonly { readonly field: string; readonly direction: 'ASC' | 'DESC' }[]
  readonly pageSize: number
  readonly currentPage: number
}

/** Money is kept in ten-thousandths, so that sums are exact. */
export const AMOUNT_UNIT = 10_000

export interface CriteriaColumn {
  readonly column: string
  readonly kind: 'text' | 'whole' | 'amount' | 'time'
}

export type CriteriaColumns = ReadonlyMap<string, CriteriaColumn>

/** What rows must be, in the words of SQL; refuses fields that the list does not have. */
export function whereOf(
  { groups }: Pick<Criteria, 'groups'>,
  columns: CriteriaColumns,
  dialect: SqlDialect,
): RawBuilder<SqlBool> {
  const all = groups.map((filters) => {
    const any = filters.map((filter) =>
      conditionOf(filter, columnOf(columns, filter.field), dialect),
    )
    return any.length === 0 ? TRUE : sql<SqlBool>`(${sql.join(any, sql` or `)})`
  })
  return all.length === 0 ? TRUE : sql<SqlBool>`(${sql.join(all, sql` and `)})`
}

const TRUE = sql<SqlBool>`1 = 1`

function columnOf(columns: CriteriaColumns, field: string): CriteriaColumn {
  const column = columns.get(field)
  if (column) return column
  const message = `There is no field "${field.slice(0, 100)}" to search or sort by.`
  throw new DomainError('invalid', 'unknown_field', message)
}

function conditionOf(
  { field, condition, values }: CriteriaFilter,
  { column, kind }: CriteriaColumn,
  dialect: SqlDialect,
): RawBuilder<SqlBool> {
  const name = sql.ref(column)
  const [first = ''] = values
  const value = () => columnValue(field, kind, first)
  const lastOf = () => (kind === 'time' ? Number(value()) + SECOND_MS - 1 : value())
  const isEqual = () =>
    kind === 'time' ? sql`${name} between ${value()} and ${lastOf()}` : sql`${name} = ${value()}`
  switch (condition) {
    case 'null':
      return sql`${name} is null`
    case 'notnull':
      return sql`${name} is not null`
    case 'eq':
    case 'finset':
      return sql`(${isEqual()})`
    case 'neq':
    case 'nfinset':
      return sql`(not (${isEqual()}) or ${name} is null)`
    case 'gt':
      return sql`${name} > ${lastOf()}`
    case 'gteq':
    case 'gte':
    case 'moreq':
    case 'from':
      return sql`${name} >= ${value()}`
    case 'lt':
      return sql`${name} < ${value()}`
    case 'lteq':
    case 'lte':
    case 'to':
      return sql`${name} <= ${lastOf()}`
    case 'in':
    case 'nin': {
      const list = values.map((each) => columnValue(field, kind, each))
      const compared = kind === 'time' ? sql`${name} - ${name} % ${sql.lit(SECOND_MS)}` : name
      const isOne = dialect.isOneOf(compared, list, kind === 'text' ? 'text' : 'integer')
      return condition === 'in' ? isOne : sql`(not ${isOne} or ${name} is null)`
    }
    case 'like':
    case 'nlike': {
      if (kind !== 'text') throw notText(field)
      // Text columns are compared by bytes, where `lower` of both databases folds these letters and no others.
      const pattern = first.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
      const isLike = dialect.like(sql`lower(${name})`, sql`${pattern}`)
      return condition === 'like' ? isLike : sql`(not ${isLike} or ${name} is null)`
    }
  }
}

function notText(field: string): DomainError {
  const message = `"${field}" is no text: "like" does not apply to it.`
  return new DomainError('invalid', 'validation_error', message)
}

/** Times are shown in whole seconds, and compared as they are shown. */
const SECOND_MS = 1_000
/** Of columns with 32 bits. */
const LARGEST_WHOLE = 2 ** 31 - 1
const WHOLE = /^-?\d{1,15}$/
const NUMBER = /^-?\d{1,11}(\.\d{1,15})?$/

/** As the column holds it; of times the first moment of their second. */
function columnValue(field: string, kind: CriteriaColumn['kind'], text: string): string | number {
  if (kind === 'text') return text
  if (kind === 'whole' && WHOLE.test(text) && Math.abs(Number(text)) <= LARGEST_WHOLE) {
    return Number(text)
  }
  if (kind === 'amount' && NUMBER.test(text)) return Math.round(Number(text) * AMOUNT_UNIT)
  const timeMs = kind === 'time' ? parseMoment(text) : undefined
  if (timeMs !== undefined) return Math.floor(timeMs / SECOND_MS) * SECOND_MS
  const wanted = { whole: 'a whole number', amount: 'a number', time: 'a time' }[kind]
  const message = `"${field}" is compared with ${wanted}, got "${text.slice(0, 100)}".`
  throw new DomainError('invalid', 'validation_error', message)
}

/** With a last column that no two rows share, so that pages neither repeat nor skip one. */
export function orderOf(
  { sorts }: Pick<Criteria, 'sorts'>,
  columns: CriteriaColumns,
  last: readonly string[],
): RawBuilder<unknown> {
  const asked = sorts.map(({ field, direction }) => {
    const name = sql.ref(columnOf(columns, field).column)
    // Null lowest on both databases.
    return direction === 'ASC'
      ? sql`${name} is not null, ${name}`
      : sql`${name} is null, ${name} desc`
  })
  return sql.join([...asked, ...last.map((name) => sql.ref(name))])
}
