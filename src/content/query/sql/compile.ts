import { DomainError } from '#kernel'
import type { Detail } from '../ast.ts'
import { type Piece, type Sql, sql } from '../fragment.ts'
import { entryColumns, entrySource } from '../load/entry-row.ts'
import { FILE_SOURCE } from '../load/files.ts'
import type { ListScope } from '../names/fields.ts'
import { isCommon, type Position, type ResolvedQuery, type Walk } from '../resolved.ts'
import { ROOT, rootRow, sourceOf, tableOf } from './base.ts'
import { type Branch, branchesOf, type Listed } from './branches.ts'
import { allOf, anyOf, type Compiling, column } from './context.ts'
import { countListed } from './count.ts'
import { keyValues, listKeys, type OrderKey, orderBy, reversed } from './order.ts'
import { segmentsAfter, segmentsFrom } from './segments.ts'
import { type Skip, skipOf } from './skip.ts'
import { walkedParts } from './walked.ts'

export interface PageStatement {
  /**
   * At most one row more than the page holds, in the order of the walk: what `columnsOf` says, then of
   * a list of one type that is walked by positions the values it is sorted by, one for each key, and of
   * one of several the number of the row's part; then what `aside` counts.
   */
  readonly rows: Piece
  /**
   * The total when it is counted, then 1 or 0 for whether a position has left entries behind, and the same
   * for whether there are any from the end of the walk on.
   */
  readonly aside: Piece
  /** `aside` is the same for all pages: rows come without it, and it is asked beside them. */
  readonly isCountedApart: boolean
  readonly keys: readonly OrderKey[]
  readonly mayScan: boolean
}

/** The columns of an entry or a file. */
export function columnsOf({ kind }: ListScope, detail: Detail): readonly Sql[] {
  return kind === 'file' ? FILE_SOURCE.columns : entryColumns(detail)
}

/**
 * A page is found by its keys alone, and only its few rows are then read whole: deep offsets and
 * sorts carry no documents along. All of it is one statement and so of one moment.
 */
export function compilePage(to: Compiling, query: ResolvedQuery): PageStatement {
  const { parts, walk } = query
  const rows = parts.map((part) => rootRow(to, part))
  const inOrder = listKeys(to, rows, query)
  const lists = parts.flatMap((part, at): Listed[] => {
    const row = rows[at]
    const keys = walk.backwards ? inOrder[at]?.map(reversed) : inOrder[at]
    return row && keys ? [{ part, row, keys, source: sourceOf(to, row, part) }] : []
  })
  const skip = skipOf(to, lists, walk)
  const found = lists.map((list) => ({ list, ...branchesOf(to, list, walk) }))
  const counts = lists.map((list) => sql`(${countListed(to, list)})`)
  const { after, until } = walk
  const isCountedApart =
    walk.count && !after && !until && to.dialect.batchesAreOneMoment && parts.every(isCommon)
  const behind = after ? lists.map((list) => sql`${isBehind(list, after)} as behind`) : []
  const ahead =
    endsAhead(walk) && until ? lists.map((list) => sql`${isAhead(list, until)} as ahead`) : []
  const counted = (totals: readonly Sql[]) => [
    ...(walk.count ? [sql`${sql.join(totals, sql` + `)} as total`] : []),
    ...behind,
    ...ahead,
  ]
  const page = {
    ...{ query, found, skip },
    tables: [...(skip?.tables ?? []), ...found.flatMap(({ before }) => before)],
    counted: isCountedApart ? [] : counted(counts.map((count, at) => found[at]?.total ?? count)),
  }
  return {
    rows: found.length === 1 ? onePart(page) : severalParts(page),
    aside: sql`select ${sql.join(counted(counts))}`,
    isCountedApart,
    keys: inOrder[0] ?? [],
    mayScan: to.mayScan,
  }
}

/** The keys of the first rows of some parts of a list, and how many rows these parts have. */
export interface KeysStatement {
  /** The number of the part, the number of the copy, then a value for each key; of a large integer its text. */
  readonly rows: Piece
  readonly count: Piece
  /** The count is the same for all pages. */
  readonly isCommon: boolean
}

/**
 * A list of so many parts that no statement could name them all: in groups, to be merged by whoever
 * asks. Each returns as many rows as the page reaches to.
 */
export function compileKeys(
  to: Compiling,
  query: ResolvedQuery,
  partsAtOnce: number,
): { readonly groups: readonly KeysStatement[]; readonly keys: readonly OrderKey[] } {
  const { parts, walk } = query
  const rows = parts.map((part) => rootRow(to, part))
  const inOrder = listKeys(to, rows, query)
  const lists = parts.flatMap((part, at): (Listed & { readonly at: number })[] => {
    const row = rows[at]
    const keys = inOrder[at]
    return row && keys ? [{ part, row, keys, source: sourceOf(to, row, part), at }] : []
  })
  const { reach } = extentOf(walk, null)
  const groups: KeysStatement[] = []
  for (let from = 0; from < lists.length; from += partsAtOnce) {
    const group = lists.slice(from, from + partsAtOnce)
    const found = group.map((list) => ({
      list,
      ...branchesOf(to, list, { ...walk, count: false }),
    }))
    const all = found.map(({ list, of }) => {
      const extent = { size: reach, reach, offset: null }
      const pages = of.map((branch) => pageOf(list, branch, walk, extent, null))
      return sql`select ${sql.lit(list.at)} as t, k.* from (${union(pages)}) as k`
    })
    const keys = (group[0]?.keys ?? []).map((key) => ({ ...key, nullable: true }))
    const names = keys.map((_, at) => sql.ref(`s${at}`))
    const values = keys.map(({ big }, at) =>
      big ? sql`cast(${names[at]} as text)` : sql`${names[at]}`,
    )
    const counts = group.map((list) => sql`(${countListed(to, list)})`)
    groups.push({
      rows: sql`${withTables(found.flatMap(({ before }) => before))}select u.t, u.key, ${sql.join(values)} from (${sql.join(all, sql` union all `)}) as u order by ${orderBy(keys, names)} limit ${reach}`,
      count: sql`select ${sql.join(counts, sql` + `)} as total`,
      isCommon: group.every(({ part }) => isCommon(part)),
    })
  }
  return { groups, keys: inOrder[0] ?? [] }
}

interface Page {
  readonly query: ResolvedQuery
  readonly found: readonly { readonly list: Listed; readonly of: readonly Branch[] }[]
  readonly skip: Skip | null
  readonly tables: readonly Sql[]
  readonly counted: readonly Sql[]
}

function onePart({ query, found: [one], skip, tables, counted }: Page): Piece {
  if (!one) throw new Error('a page of nothing is not asked for')
  const { detail, walk } = query
  const { keys, part } = one.list
  const names = keys.map((_, at) => sql.ref(`p.s${at}`))
  const sorted = keys.map(({ big }, at) =>
    big ? sql`cast(${names[at]} as text) as ${sql.ref(`s${at}`)}` : sql`${names[at]}`,
  )
  const columns = [
    ...columnsOf(part.scope, detail),
    ...(walk.hasPositions ? sorted : []),
    ...counted,
  ]
  const pages = one.of.map((branch) => pageOf(one.list, branch, walk, extentOf(walk, skip), skip))
  return sql`${withTables(tables)}select ${sql.join(columns)} from (${union(pages)}) as p ${joinedTo(part.scope, detail)} order by ${orderBy(keys, names)}`
}

/** So that there is something beside a page that counts nothing. */
const PADDING = sql`0 as padding`

/** The keys of each part's first rows are sorted together, and rows of the page read from their tables. */
function severalParts({ query, found, skip, tables, counted }: Page): Piece {
  const { detail, walk } = query
  const extent = extentOf(walk, skip)
  const first = { size: extent.reach, reach: extent.reach, offset: null }
  const all = found.map(({ list, of }, at) => {
    const pages = of.map((branch) => pageOf(list, branch, walk, first, skip))
    return sql`select ${sql.lit(at)} as t, k.* from (${union(pages)}) as k`
  })
  const keys = (found[0]?.list.keys ?? []).map((key) => ({ ...key, nullable: true }))
  const order = orderBy(
    keys,
    keys.map((_, at) => sql.ref(`s${at}`)),
  )
  const numbered = sql`select u.t, u.key, row_number() over (order by ${order}) as n from (${sql.join(all, sql` union all `)}) as u order by n ${limited(extent.size, extent.offset)}`
  const page = sql`page as materialized (${numbered})`
  const beside = sql`beside as materialized (select ${sql.join([...counted, PADDING])})`
  const wholes = found.map(({ list: { part } }, at) => {
    const columns = [...columnsOf(part.scope, detail), sql`p.t`, sql`c.*`, sql`p.n`]
    return sql`select ${sql.join(columns)} from page as p cross join beside as c ${joinedTo(part.scope, detail)} where p.t = ${sql.lit(at)}`
  })
  return sql`${withTables([...tables, page, beside])}${sql.join(wholes, sql` union all `)} order by n`
}

function joinedTo(scope: ListScope, detail: Detail): Sql {
  const key = sql.ref('p.key')
  return scope.kind === 'file' ? FILE_SOURCE.source(key) : entrySource(scope.type, key, detail)
}

function withTables(tables: readonly Sql[]): Sql {
  return tables.length === 0 ? sql`` : sql`with ${sql.join(tables)} `
}

/** Each with an order and a limit of its own. */
function union(selects: readonly Sql[]): Sql {
  const [only] = selects
  if (selects.length === 1 && only) return only
  const parts = selects.map((select, at) => sql`select * from (${select}) as ${sql.ref(`b${at}`)}`)
  return sql.join(parts, sql` union all `)
}

/** Which rows of what is found are the page. */
interface Extent {
  readonly size: Sql
  /** How many rows, from the first, the page lies in. */
  readonly reach: Sql
  readonly offset: Sql | null
}

/** One row more than the page holds tells whether there are more. */
function extentOf({ limit, start }: Walk, skip: Skip | null): Extent {
  const one = limit.map((most) => most + 1)
  const size = sql.val(one)
  if (skip) {
    return {
      size,
      reach: sql`coalesce(${skip.left} + ${size}, 0)`,
      offset: sql`coalesce(${skip.left}, 0)`,
    }
  }
  if (!start) return { size, reach: size, offset: null }
  return {
    size,
    reach: sql.val(start.with(one, (first, most) => first + most)),
    offset: sql.val(start),
  }
}

function limited(size: Sql, offset: Sql | null): Sql {
  return offset ? sql`limit ${size} offset ${offset}` : sql`limit ${size}`
}

function pageOf(
  { part: { scope } }: Listed,
  branch: Branch,
  walk: Walk,
  { size, reach, offset }: Extent,
  skip: Skip | null,
): Sql {
  const { keys } = branch
  // By the names of the columns, so that a value from a subquery is worked out once.
  const names = keys.map((_, at) => sql.ref(`s${at}`))
  const order = orderBy(keys, names)
  const columns = sql.join([
    sql`${column(ROOT, tableOf(scope).key)} as key`,
    ...keys.map((key, at) => sql`${key.value} as ${sql.ref(`s${at}`)}`),
  ])
  const pieces = piecesOf(branch, walk, skip)
  const found = ({ from, where, limit }: Branch, most: Extent) =>
    sql`select ${columns} from ${from} where ${where} order by ${order} ${limited(limit(most.size), most.offset)}`
  const [only] = pieces
  if (only && pieces.length === 1) return found(only, { size, reach, offset })
  const all = pieces.map((piece) => found(piece, { size: reach, reach, offset: null }))
  return sql`select * from (${union(all)}) as u order by ${order} ${limited(size, offset)}`
}

/** What a page is put together from: ranges that an index serves one by one. */
function piecesOf(branch: Branch, { after, until }: Walk, skip: Skip | null): readonly Branch[] {
  const { keys, where } = branch
  if (!after && !until) return branch.walks ? walkedParts(branch, skip) : [branch]
  const bounds = until ? [anyOf(segmentsAfter(keys.map(reversed), valuesOf(keys, until)))] : []
  const ranges = after ? separate(keys, segmentsAfter(keys, valuesOf(keys, after))) : [[]]
  return ranges.map((range) => ({ ...branch, where: allOf([where, ...bounds, ...range]) }))
}

/** Ranges that no index serves are asked for at once. */
function separate(keys: readonly OrderKey[], ranges: readonly Sql[]): readonly (readonly Sql[])[] {
  return keys.every((key) => key.plain) ? ranges.map((range) => [range]) : [[anyOf(ranges)]]
}

/** Whether the walk has left entries behind: the one at the position, or any before it. */
function isBehind(list: Listed, after: Position): Sql {
  return isAny(list, segmentsFrom(list.keys.map(reversed), valuesOf(list.keys, after)))
}

/** Whether there are entries where the walk ends: the one at the position, or any after it. */
function isAhead(list: Listed, until: Position): Sql {
  return isAny(list, segmentsFrom(list.keys, valuesOf(list.keys, until)))
}

/** Only who asks for positions wants to know what lies beyond both ends. */
export function endsAhead({ until, hasPositions }: Walk): boolean {
  return until !== null && hasPositions
}

function isAny({ source: { from, where }, keys }: Listed, ranges: readonly Sql[]): Sql {
  const found = separate(keys, ranges).map(
    (range) => sql`exists (select 1 from ${from} where ${allOf([where, ...range])})`,
  )
  return sql`case when ${anyOf(found)} then 1 else 0 end`
}

/** What the keys are compared with at a position. */
export function valuesOf(keys: readonly OrderKey[], position: Position): Position {
  return keyValues(keys, position, () => {
    throw new DomainError('invalid', 'invalid_cursor', 'The cursor is not valid here')
  })
}
