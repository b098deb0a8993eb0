import { type Sql, sql } from '../fragment.ts'
import type { Condition, Tagged } from '../resolved.ts'
import { boundFolds, boundList, compare } from './compare.ts'
import { ALWAYS, allOf, anyOf, type Compiling, column, type Row } from './context.ts'
import { compilePlaced } from './placed.ts'
import { isOwner, joined, type OwnerRow, related } from './steps.ts'

/**
 * Two-valued: what is not true of a missing value is true when negated, so `ne` and `not` also find
 * entries without a value. Negations are therefore pushed down to the comparisons.
 */
export function compileCondition(
  to: Compiling,
  row: Row,
  condition: Condition,
  negated = false,
): Sql {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const of = condition.of.map((each) => compileCondition(to, row, each, negated))
      if ((condition.kind === 'or') !== negated) return anyOf(of)
      const all = besideEachOther(condition.of, of)
      return all.length > 1 ? sql`(${allOf(all)})` : allOf(all)
    }
    case 'not':
      return compileCondition(to, row, condition.of, !negated)
    case 'compare':
      return compileCompare(to, row, condition, negated)
    case 'missing':
      return compileMissing(row, condition, negated)
    case 'tagged':
      return compileTagged(to, row, condition, negated)
    case 'some':
      return compileSome(to, row, condition, negated)
    case 'taggedEach':
      return compileTaggedEach(to, row, condition, negated)
    case 'each':
      return compileEach(to, row, condition, negated)
    case 'rare':
      return compileRare(to, row, condition, negated)
    case 'referred':
      return compileReferred(to, row, condition, negated)
    case 'placed':
      return row.kind === 'entry' ? compilePlaced(to, row, condition, negated) : ALWAYS
  }
}

/** PostgreSQL tries orders of the tables that it joins: of many that takes longer than any of the joins. */
const MOST_JOINED = 8

/** Of conditions that must all hold, those beyond the first few that ask other tables are asked row by row. */
function besideEachOther(parts: readonly Condition[], compiled: readonly Sql[]): readonly Sql[] {
  let left = MOST_JOINED
  return compiled.map((each, at) => {
    const part = parts[at]
    if (!part || !asksOthers(part) || --left >= 0) return each
    return sql`((${each}) is true)`
  })
}

function asksOthers(condition: Condition): boolean {
  switch (condition.kind) {
    case 'not':
      return asksOthers(condition.of)
    case 'compare':
    case 'missing':
      return condition.column.registry
    case 'and':
    case 'or':
      return condition.of.length === 1 && condition.of.every(asksOthers)
    default:
      return true
  }
}

function compileCompare(
  to: Compiling,
  row: Row,
  condition: Extract<Condition, { kind: 'compare' }>,
  negated: boolean,
): Sql {
  if (condition.column.registry) {
    return inRegistry(to, row, negated, (alias) => compare(to, alias, condition))
  }
  const found = compare(to, row.alias, condition)
  if (!negated) return found
  to.noteScan()
  if (!condition.column.nullable) return sql`not (${found})`
  return sql`(${condition.column.sql(row.alias)} is null or not (${found}))`
}

function compileMissing(
  row: Row,
  { column: asked }: Extract<Condition, { kind: 'missing' }>,
  negated: boolean,
): Sql {
  const value = asked.registry
    ? sql`(select ${asked.sql('e')} from content_entries as e where e.no = ${column(row.alias, 'entry_no')})`
    : asked.sql(row.alias)
  return negated ? sql`${value} is not null` : sql`${value} is null`
}

/**
 * Mostly there is none at all: then no entry is looked at, and an order that an index holds is walked
 * without reading the rows themselves.
 */
function compileRare(
  to: Compiling,
  row: Row,
  { rare }: Extract<Condition, { kind: 'rare' }>,
  negated: boolean,
): Sql {
  const isRare = inRegistry(to, row, negated, rare)
  if (!negated || row.kind !== 'entry') return isRare
  return sql`(not exists (${registered(to, row, rare)}) or ${isRare})`
}

function compileReferred(
  to: Compiling,
  { alias }: Row,
  { by, live }: Extract<Condition, { kind: 'referred' }>,
  negated: boolean,
): Sql {
  to.noteScan()
  const links = to.alias('l')
  const owners = by.map(({ type, attributeNos }) => {
    const copy = to.alias('v')
    const isThere = live ? sql` and ${column(copy, 'live')} = 1` : sql``
    const isCopy = sql`exists (select 1 from ${sql.table(type.table)} as ${sql.ref(copy)} where ${column(copy, 'copy_no')} = ${column(links, 'owner_copy')}${isThere})`
    return sql`(${column(links, 'attribute_no')} in (${sql.join(attributeNos.map((no) => sql.lit(no)))}) and ${isCopy})`
  })
  const isLinked = sql`${column(links, 'target')} = ${column(alias, 'uuid')}`
  const exists = sql`exists (select 1 from content_links as ${sql.ref(links)} where ${allOf([isLinked, anyOf(owners)])})`
  return negated ? sql`not ${exists}` : exists
}

/** Asked of the registry first, whose indexes find paths, parents and external ids. */
function inRegistry(
  to: Compiling,
  row: Row,
  negated: boolean,
  condition: (alias: string) => Sql,
): Sql {
  if (row.kind !== 'entry') return ALWAYS
  const found = registered(to, row, condition)
  const entry = column(row.alias, 'entry_no')
  return negated ? sql`${entry} not in (${found})` : sql`${entry} in (${found})`
}

function registered(
  to: Compiling,
  { type }: Extract<Row, { kind: 'entry' }>,
  condition: (alias: string) => Sql,
): Sql {
  const alias = to.alias('e')
  return sql`select ${column(alias, 'no')} from content_entries as ${sql.ref(alias)} where ${column(alias, 'type_no')} = ${sql.lit(type.no)} and ${condition(alias)}`
}

function compileTagged(to: Compiling, row: Row, tagged: Tagged, negated: boolean): Sql {
  if (!isOwner(row)) return ALWAYS
  const alias = to.alias('g')
  const isPart = row.kind === 'part'
  const found = allOf([isOwnTag(row, alias, tagged), isListedTag(to, alias, tagged)])
  const copy = column(row.alias, isPart ? 'owner_copy' : 'copy_no')
  const from = sql`content_tags as ${sql.ref(alias)}`
  if (!negated && !isPart) {
    return sql`${copy} in (select ${column(alias, 'owner_copy')} from ${from} where ${found})`
  }
  to.noteScan()
  const exists = sql`exists (select 1 from ${from} where ${column(alias, 'owner_copy')} = ${copy} and ${found})`
  return negated ? sql`not ${exists}` : exists
}

/** Whoever joins by copies says so itself. */
function isOwnTag(row: OwnerRow, alias: string, { attribute }: Tagged): Sql {
  const part = row.kind === 'part' ? column(row.alias, 'part_id') : sql`0`
  return allOf([
    sql`${column(alias, 'attribute_no')} = ${sql.lit(attribute.no)}`,
    sql`${column(alias, 'owner_part')} = ${part}`,
  ])
}

function isListedTag({ dialect }: Compiling, alias: string, { fold, list }: Tagged): Sql {
  return allOf([
    dialect.isOneOf(column(alias, 'fold'), boundFolds(dialect, list), 'text'),
    ...(fold ? [] : [dialect.isOneOf(column(alias, 'value'), boundList(dialect, list), 'text')]),
  ])
}

function compileTaggedEach(
  to: Compiling,
  row: Row,
  { of }: Extract<Condition, { kind: 'taggedEach' }>,
  negated: boolean,
): Sql {
  const [first] = of
  if (!isOwner(row) || !first) return ALWAYS
  to.noteScan()
  const alias = to.alias('g')
  const copy = column(row.alias, row.kind === 'part' ? 'owner_copy' : 'copy_no')
  const where = allOf([sql`${column(alias, 'owner_copy')} = ${copy}`, isOwnTag(row, alias, first)])
  const lists = of.map((each) => isListedTag(to, alias, each))
  return someOfEach(sql`content_tags as ${sql.ref(alias)}`, where, lists, negated)
}

function compileEach(
  to: Compiling,
  row: Row,
  { step, of }: Extract<Condition, { kind: 'each' }>,
  negated: boolean,
): Sql {
  if (!isOwner(row)) return ALWAYS
  to.noteScan()
  const found = related(to, row, step)
  const conditions = of.map((each) => compileCondition(to, found.row, each))
  return someOfEach(found.from, joined(found), conditions, negated)
}

/** Among these rows there is one for each condition: they are read once for all. */
function someOfEach(from: Sql, where: Sql, conditions: readonly Sql[], negated: boolean): Sql {
  const found = conditions.map((each) => sql`max(case when ${each} then 1 else 0 end) = 1`)
  // What is counted makes it a question about all of them: SQLite wants to see that before `having`.
  const exists = sql`exists (select count(*) from ${from} where ${where} having ${allOf(found)})`
  return negated ? sql`not ${exists}` : exists
}

function compileSome(
  to: Compiling,
  row: Row,
  { step, of }: Extract<Condition, { kind: 'some' }>,
  negated: boolean,
): Sql {
  if (!isOwner(row)) return ALWAYS
  const begin = !negated && of && isSelective(of) ? 'end' : 'start'
  const found = related(to, row, step, begin)
  const inner = of ? compileCondition(to, found.row, of) : ALWAYS
  const [key] = found.keys
  if (begin === 'end' && key && found.keys.length === 1 && found.free) {
    return sql`${key.outer} in (select ${key.inner} from ${found.from} where ${found.where} and ${inner})`
  }
  to.noteScan()
  const exists = sql`exists (select 1 from ${found.from} where ${joined(found)} and ${inner})`
  return negated ? sql`not ${exists}` : exists
}

/**
 * Finds few by an index: then it is better to begin with what is found and go back along the links
 * than to try every entry.
 */
function isSelective(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.of.some(isSelective)
    case 'or':
      return condition.of.length > 0 && condition.of.every(isSelective)
    case 'compare':
      return condition.column.indexed && ['eq', 'in'].includes(condition.operator)
    case 'some':
      return condition.of !== null && isSelective(condition.of)
    case 'tagged':
    case 'rare':
      return true
    default:
      return false
  }
}
