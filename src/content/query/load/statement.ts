import type { ContentType } from '../../model.ts'
import { type Piece, type Sql, sql } from '../fragment.ts'
import type { Step } from '../names/fields.ts'
import type { ResolvedInclude } from '../resolved.ts'
import { allOf, type Compiling, column, isVisible, localeOf, type Row } from '../sql/context.ts'
import { compileCondition } from '../sql/filter.ts'
import { orderBy, orderKeys } from '../sql/order.ts'
import { joined, related } from '../sql/steps.ts'
import type { Level } from './parents.ts'

/** To whom a row belongs, and how many there are of its kind. */
export interface OwnedRow {
  readonly owner: number
  readonly part: number
  readonly total: number
  /** Its place in the whole list, from 1; the first comes along to carry the total. */
  readonly n: number
}

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

/**
 * The rows of one include for all parents of a level, in order. Of long lists only the part asked for
 * is read, with the length of the whole.
 */
export function includeStatement<Row extends OwnedRow>(
  to: Compiling,
  level: Level,
  include: ResolvedInclude,
  selected: { readonly key: string; readonly columns: readonly Sql[]; source(key: Sql): Sql },
): Piece<Row> {
  const found = joinedTo(to, level, include.step)
  const condition = include.condition ? [compileCondition(to, found.row, include.condition)] : []
  const order = orderOf(to, found, include)
  const owner = sql`p.copy_no as owner, ${found.part} as part`
  const key = sql`${column(found.row.alias, selected.key)} as key`
  const from = sql`from ${found.from} where ${allOf([...found.where, ...condition])}`
  const columns = sql.join([sql`r.owner, r.part, r.total, r.n`, ...selected.columns])
  const window = sql`partition by p.copy_no, ${found.part}`
  const ranked = sql`select ${owner}, ${key}, row_number() over (${window} order by ${order}) as n, count(*) over (${window}) as total ${from}`
  const until = include.start + (include.many ? include.limit : 1)
  const first = include.start > 0 ? sql` or r.n = 1` : sql``
  return sql<Row>`select ${columns} from (${ranked}) as r ${selected.source(sql.ref('r.key'))} where (r.n > ${include.start} and r.n <= ${until})${first} order by r.owner, r.part, r.n`
}

function orderOf(to: Compiling, { row, position }: Joined, { sort }: ResolvedInclude): Sql {
  const keys = orderBy(orderKeys(to, row, sort, 'lowest'))
  return sort.length === 0 && position ? sql`${position}, ${keys}` : keys
}

function joinedTo(to: Compiling, level: Level, step: ResolvedInclude['step']): Joined {
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

function ofParents({ dialect }: Compiling, { parents, component }: Level): Sql {
  const copies = [...new Set(parents.map(({ copyNo }) => copyNo))]
  const own = dialect.isOneOf(sql.ref('p.copy_no'), copies, 'integer')
  if (!component) return own
  const parts = parents.map(({ part }) => part)
  return sql`${own} and ${dialect.isOneOf(sql.ref('q.part_id'), parts, 'integer')}`
}

function partOf({ component }: Level): Sql {
  return component ? sql.ref('q.part_id') : sql`0`
}
