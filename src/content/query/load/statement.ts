import type { Component, ContentType, HoldingAttribute } from '../../model.ts'
import { type Piece, type Sql, sql } from '../fragment.ts'
import type { Step } from '../names/fields.ts'
import type { ResolvedInclude, ZoneStep } from '../resolved.ts'
import type { StepList } from '../slot.ts'
import { allOf, type Compiling, column, isVisible, localeOf, type Row } from '../sql/context.ts'
import { compileCondition } from '../sql/filter.ts'
import { type OrderKey, orderBy, orderKeys } from '../sql/order.ts'
import { joined, related } from '../sql/steps.ts'
import { lengthOf, rowsBetween, walkedKeys } from './between.ts'

/** Parents of one level, all inside copies of one type, as the steps before hold them. */
export interface Level {
  readonly holder: ContentType
  /** Of which the parents are; null when they are entries. */
  readonly component: Component | null
  readonly copies: StepList
  /** The stable ids of the parents that are components; null when they are entries. */
  readonly parts: StepList | null
}

/**
 * Places in a row: to whom it belongs, how many there are of its kind and its place among these, from
 * 1; the first comes along to carry the total, if there is one. Neither is worked out for what there is
 * at most one of.
 */
export const OWNED = { owner: 0, part: 1, total: 2, n: 3, rest: 4 } as const

/** Where the rows of one include come from, joined to the copies of its parents. */
interface Joined {
  readonly row: Row
  readonly from: Sql
  readonly where: readonly Sql[]
  readonly part: Sql
  readonly position: Sql | null
}

const PARENT = 'p'
const PARENT_PART = 'q'

export interface Selected {
  readonly key: string
  readonly columns: readonly Sql[]
  source(key: Sql): Sql
}

interface IncludeStatement {
  readonly rows: Piece
  /** Whose values stand behind the columns of rows; none unless the list is walked by positions. */
  readonly keys: readonly OrderKey[]
}

/** The rows of one include for all parents of a level, in order. */
export function includeStatement(
  to: Compiling,
  level: Level,
  include: ResolvedInclude,
  selected: Selected,
): IncludeStatement {
  const { step } = include
  if (step.kind === 'zone') throw new Error('a zone is read by the statements of its components')
  const found = joinedTo(to, level, step)
  const condition = include.condition ? [compileCondition(to, found.row, include.condition)] : []
  const where = allOf([...found.where, ...condition])
  const key = column(found.row.alias, selected.key)
  if (include.many && include.between) {
    const { count } = include
    const keys = walkedKeys(to, found.row, found.position, include)
    return {
      rows: rowsBetween({ ...found, where, key, count }, keys, include.between, selected),
      keys,
    }
  }
  const order = orderOf(to, found, include)
  const rows = include.many
    ? rankedRows({ ...found, where, order, key }, include, selected)
    : plainRows({ ...found, where, order, key }, step, selected)
  return { rows, keys: [] }
}

export interface Listed extends Pick<Joined, 'from' | 'part'> {
  readonly where: Sql
  readonly order: Sql
  readonly key: Sql
}

/** Of long lists only the piece asked for is read, with the length of the whole where it is counted. */
function rankedRows(
  { from, where, order, key, part }: Listed,
  { start, until, isFromStart, count }: ResolvedInclude,
  selected: Selected,
): Piece {
  const columns = sql.join([sql`r.owner, r.part, r.total, r.n`, ...selected.columns])
  const window = sql`partition by p.copy_no, ${part}`
  const ranked = sql`select p.copy_no as owner, ${part} as part, ${key} as key, row_number() over (${window} order by ${order}) as n, ${lengthOf(window, count)} as total from ${from} where ${where}`
  const piece = isFromStart
    ? sql`r.n <= ${until}`
    : sql`(r.n > ${start} and r.n <= ${until})${count ? sql` or r.n = 1` : sql``}`
  return sql`select ${columns} from (${ranked}) as r ${selected.source(sql.ref('r.key'))} where ${piece} order by r.owner, r.part, r.n`
}

function plainRows(
  { from, where, order, key, part }: Listed,
  step: ResolvedInclude['step'],
  selected: Selected,
): Piece {
  const columns = sql.join([
    sql`p.copy_no as owner, ${part} as part, 0 as total, 0 as n`,
    ...selected.columns,
  ])
  const ordered = isOnly(step) ? sql`` : sql` order by owner, part, ${order}`
  return sql`select ${columns} from ${from} ${selected.source(key)} where ${where}${ordered}`
}

/** What an entry itself refers to is one, of which one copy is shown: there is nothing to sort. */
function isOnly(step: ResolvedInclude['step']): boolean {
  return step.kind === 'relation' && step.attribute.side === 'owning'
}

function orderOf(to: Compiling, { row, position }: Joined, { sort, nulls }: ResolvedInclude): Sql {
  const keys = orderBy(orderKeys(to, row, sort, nulls))
  return sort.length === 0 && position ? sql`${position}, ${keys}` : keys
}

function joinedTo(
  to: Compiling,
  level: Level,
  step: Exclude<ResolvedInclude['step'], ZoneStep>,
): Joined {
  return step.kind === 'localizations'
    ? otherVariants(to, level, step.type)
    : throughStep(to, level, step)
}

function throughStep(to: Compiling, level: Level, step: Step): Joined {
  const start = startRow(to, level)
  const found = related(to, start, step)
  return {
    row: found.row,
    // A cross join also tells SQLite to begin with the parents.
    from: sql`${ownerTables(level)} cross join ${found.from}`,
    where: [ofParents(to, level), joined(found)],
    part: partOf(level),
    position: found.position,
  }
}

function otherVariants(to: Compiling, level: Level, type: ContentType): Joined {
  const alias = to.alias('t')
  const row: Row = { kind: 'entry', alias, type, locale: localeOf(to, type, alias) }
  return {
    row,
    from: sql`${ownerTables(level)} cross join ${sql.table(type.table)} as ${sql.ref(alias)}`,
    where: [
      ofParents(to, level),
      sql`${column(alias, 'document_id')} = p.document_id and ${column(alias, 'locale')} <> p.locale`,
      isVisible(to, type, alias),
    ],
    part: partOf(level),
    position: null,
  }
}

function startRow(to: Compiling, { holder, component }: Level) {
  const locale = localeOf(to, holder, PARENT)
  if (component) return { kind: 'part', alias: PARENT_PART, component, locale } as const
  return { kind: 'entry', alias: PARENT, type: holder, locale } as const
}

function ownerTables({ holder, component }: Level): Sql {
  const copies = sql`${sql.table(holder.table)} as p`
  if (!component) return copies
  return sql`${copies} join ${sql.table(component.table)} as q on q.owner_copy = p.copy_no`
}

function ofParents({ dialect }: Compiling, { copies, parts }: Level): Sql {
  const own = dialect.isOneOf(sql.ref('p.copy_no'), sql.val(copies), 'integer')
  if (!parts) return own
  return sql`${own} and ${dialect.isOneOf(sql.ref('q.part_id'), sql.val(parts), 'integer')}`
}

function partOf({ component }: Level): Sql {
  return component ? sql.ref('q.part_id') : sql`0`
}

/** Places of the columns below; the rows of `part_id` are inside `part` of `owner`. */
export const PART = {
  ...{ partNo: 0, owner: 1, part: 2, partId: 3, shape: 4, doc: 5, position: 6, hidden: 7 },
} as const

/** The components of the level's parents in one attribute, those that fulfil the condition, in order. */
export function partStatement(
  to: Compiling,
  level: Level,
  include: Pick<ResolvedInclude, 'condition' | 'sort' | 'nulls'>,
  { attribute, component }: PartStep,
): Piece {
  const { dialect } = to
  const row: Row = {
    kind: 'part',
    alias: 'c',
    component,
    locale: localeOf(to, level.holder, PARENT),
  }
  const parts = sql`${sql.table(component.table)} as c`
  // The language by which relations inside of it choose variants is the holder's.
  const from = sql`${parts} join ${sql.table(level.holder.table)} as p on p.copy_no = c.owner_copy`
  const isPlain = include.condition === null && include.sort.length === 0
  const where = allOf([
    dialect.isOneOf(sql.ref('c.owner_copy'), sql.val(level.copies), 'integer'),
    sql`c.attribute_no = ${sql.lit(attribute.no)}`,
    level.parts
      ? dialect.isOneOf(sql.ref('c.parent_part'), sql.val(level.parts), 'integer')
      : sql`c.parent_part = 0`,
    ...(include.condition ? [compileCondition(to, row, include.condition)] : []),
  ])
  return sql`select c.part_no, c.owner_copy, c.parent_part, c.part_id, c.shape, c.doc, c.position, c.hidden from ${isPlain ? parts : from} where ${where} order by c.owner_copy, c.parent_part, ${partOrder(to, row, include)}c.position`
}

/** Components of one kind in an attribute. */
export interface PartStep {
  readonly attribute: HoldingAttribute
  readonly component: Component
}

/** Components have no `id` of their own table, by which entries end their order: their place does. */
function partOrder(
  to: Compiling,
  row: Row,
  { sort, nulls }: Pick<ResolvedInclude, 'sort' | 'nulls'>,
): Sql {
  if (sort.length === 0) return sql``
  return sql`${orderBy(orderKeys(to, row, sort, nulls).slice(0, -1))}, `
}
