import { type Piece, type Sql, sql } from '../fragment.ts'
import type { ResolvedBetween, ResolvedInclude } from '../resolved.ts'
import { valuesOf } from '../sql/compile.ts'
import { allOf, anyOf, type Compiling, type Row } from '../sql/context.ts'
import { type OrderKey, orderBy, orderKeys, reversed } from '../sql/order.ts'
import { segmentsAfter } from '../sql/segments.ts'
import type { Listed, Selected } from './statement.ts'

/**
 * What rows have behind the columns of `Selected`, counted from the values of the keys' end: how many rows
 * of their list lie up to the first position, between both and from the second on, and whether the row
 * belongs to the piece; the first of each list comes along to carry these numbers.
 */
export const CUT = { behind: 0, between: 1, ahead: 2, shown: 3 } as const

/** The keys of a list that is walked: its sort, or its order among the links. */
export function walkedKeys(
  to: Compiling,
  row: Row,
  position: Sql | null,
  { sort, nulls }: ResolvedInclude,
): readonly OrderKey[] {
  const keys = orderKeys(to, row, sort, nulls)
  if (sort.length > 0 || !position) return keys
  const rules = { nullable: false, nullsFirst: false, isFold: false, big: false }
  const first = { kind: 'integer', order: 'asc', plain: true, indexed: false, part: 0 } as const
  return [
    { value: position, ...first, ...rules },
    ...keys.map((key) => ({ ...key, part: key.part + 1 })),
  ]
}

/** Of each parent's list the piece between two positions, in the order of the list. */
export function rowsBetween(
  { from, where, key, part, count }: Omit<Listed, 'order'> & Pick<ResolvedInclude, 'count'>,
  keys: readonly OrderKey[],
  bounds: ResolvedBetween,
  selected: Selected,
): Piece {
  const names = keys.map((_, at) => sql.ref(`s${at}`))
  const sorted = keys.map(({ value }, at) => sql`${value} as ${names[at]}`)
  const all = sql.join([sql`p.copy_no as owner, ${part} as part, ${key} as key`, ...sorted])
  const listed = sql`select ${all} from ${from} where ${where}`
  const list = sql`partition by owner, part`
  const named = keys.map((own, at) => ({ ...own, value: names[at] ?? own.value }))
  const cut = sql`select u.*, ${flag(isAfter(named, keys, bounds.after))} as a, ${flag(isAfter(named.map(reversed), keys, bounds.before))} as b, row_number() over (${list} order by ${orderBy(keys, names)}) as g, ${lengthOf(list, count)} as total from (${listed}) as u`
  const counted = sql`select v.*, sum(1 - a) over (${list}) as behind, sum(a * b) over (${list}) as inside, sum(1 - b) over (${list}) as ahead from (${cut}) as v`
  const marked = sql`select w.*, ${flag(isShown(bounds))} as shown from (${counted}) as w`
  const shown = keys.map(({ big }, at) => {
    const name = sql.ref(`r.s${at}`)
    return big ? sql`cast(${name} as text)` : name
  })
  const columns = sql.join([
    sql`r.owner, r.part, r.total, r.g`,
    ...selected.columns,
    ...shown,
    sql`r.behind, r.inside, r.ahead, r.shown`,
  ])
  return sql`select ${columns} from (${marked}) as r ${selected.source(sql.ref('r.key'))} where r.shown = 1 or r.g = 1 order by r.owner, r.part, r.g`
}

/** How many rows a window has; 0 where nobody asks. */
export function lengthOf(window: Sql, count: boolean): Sql {
  return count ? sql`count(*) over (${window})` : sql`0`
}

function flag(condition: Sql): Sql {
  return sql`case when ${condition} then 1 else 0 end`
}

function isAfter(
  named: readonly OrderKey[],
  keys: readonly OrderKey[],
  position: ResolvedBetween['after'],
): Sql {
  return position ? anyOf(segmentsAfter(named, valuesOf(keys, position))) : sql`1 = 1`
}

/** Counted from the first row after the position, `g - behind` is a row's place between both. */
function isShown({ first, last }: ResolvedBetween): Sql {
  const inside = sql`a = 1 and b = 1`
  if (!first && !last) return inside
  const most = first ? sql`case when inside < ${first} then inside else ${first} end` : sql`inside`
  const upTo = first ? [sql`g - behind <= ${first}`] : []
  const from = last ? [sql`g - behind > ${most} - ${last}`] : []
  return allOf([inside, ...upTo, ...from])
}
