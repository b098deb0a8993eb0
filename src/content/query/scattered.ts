import type { Cells } from '#db'
import { referencesIn } from './lists.ts'
import { wholeColumn } from './names/column.ts'
import { type Asking, makePlan, type Plan, toAsking } from './plan.ts'
import type { ResolvedPart, ResolvedQuery, Walk } from './resolved.ts'
import { Slot, type Values } from './slot.ts'
import { compileKeys } from './sql/compile.ts'
import type { Planning } from './sql/context.ts'
import type { OrderKey } from './sql/order.ts'

/**
 * A list of very many types. No database takes a statement over all their tables, so the keys of the
 * first rows are asked for in groups and merged here, and the rows of the page are then read from
 * the few tables they lie in.
 */
export interface ScatteredPlan {
  readonly scattered: true
  /** The keys of each group, then what each counts. */
  readonly asking: Asking
  readonly groups: number
  readonly keys: readonly OrderKey[]
  readonly walk: Walk
  /** Of each part: rows by the numbers of their copies, which come behind the values of the question. */
  readonly parts: readonly Plan[]
}

/** References within a statement over several parts grow with the square of their number. */
export const MOST_PARTS = 24
/** Of what is asked of each part; beyond it planning takes SQLite longer than the rest of an answer. */
const MOST_SQUARED = 6_000
/** SQLite takes 65,535 of one table; what is asked of a part is in a statement up to three times. */
const MOST_REFERENCES = 20_000

export function isScattered(query: ResolvedQuery): boolean {
  const { parts, walk } = query
  const isLong = parts.length > 1 && parts.length ** 2 * mostAsked(query) > MOST_SQUARED
  return (parts.length > MOST_PARTS || isLong) && !walk.after && !walk.until && !walk.backwards
}

/** Fewer when much is asked of each. */
function partsAtOnce(query: ResolvedQuery): number {
  return Math.max(1, Math.min(MOST_PARTS, Math.floor(MOST_REFERENCES / mostAsked(query))))
}

function mostAsked({ parts }: ResolvedQuery): number {
  const asked = parts.map(({ condition }) => (condition ? referencesIn(condition) : 0))
  return Math.max(1, ...asked)
}

export function makeScatteredPlan(to: Planning, query: ResolvedQuery): ScatteredPlan {
  const { walk, parts } = query
  const compiling = to.compiling(query.state)
  const { groups, keys } = compileKeys(compiling, query, partsAtOnce(query))
  const counts = walk.count ? groups.map(({ count }) => count) : []
  const kept = counts.flatMap((_, at) => (groups[at]?.isCommon ? [groups.length + at] : []))
  const pieces = [...groups.map(({ rows }) => rows), ...counts]
  return {
    scattered: true,
    asking: toAsking(to, pieces, compiling.mayScan, kept),
    groups: groups.length,
    ...{ keys, walk },
    parts: parts.map((part) => makePlan(to, byCopies(query, part))),
  }
}

const COPY_NO = wholeColumn('copy_no')
const COPIES = new Slot((values) => listOf(values).map(Number))
const MANY = new Slot((values) => listOf(values).length)

function listOf(values: Values): readonly string[] {
  const last = values.at(-1)
  return typeof last === 'object' ? last : []
}

/** Rows of one part that were found already. */
function byCopies(query: ResolvedQuery, { scope, include }: ResolvedPart): ResolvedQuery {
  const compare = { kind: 'compare', operator: 'in', fold: false } as const
  const condition = { ...compare, column: COPY_NO, values: [COPIES] }
  const whole = { locales: null, search: null, zones: [], linkedFrom: null, only: null, sort: [] }
  const walk = {
    ...{ after: null, until: null, backwards: false, start: null, count: false },
    ...{ hasPositions: false, limit: MANY },
  }
  return { ...query, parts: [{ scope, include, condition, ...whole }], walk }
}

interface Key {
  readonly part: number
  readonly copyNo: number
}

/** The page among the first rows of all groups, and the total of all. */
export function pickPage(
  { groups, keys, walk }: ScatteredPlan,
  values: Values,
  rows: readonly (readonly Cells[])[],
) {
  const start = walk.start?.of(values) ?? 0
  const limit = walk.limit.of(values)
  const lists = rows.slice(0, groups)
  const shown = mergeUpTo(lists, byKeys(keys), start + limit).slice(start)
  const total = rows.slice(groups).reduce((sum, counted) => sum + Number(counted[0]?.[0] ?? 0), 0)
  return {
    page: shown.map((row): Key => ({ part: Number(row[0]), copyNo: Number(row[1]) })),
    total: walk.count ? total : null,
    hasMore: lists.reduce((sum, { length }) => sum + length, 0) > start + limit,
  }
}

/** Of lists that are in order, so that what lies behind the page is not compared. */
function mergeUpTo(
  lists: readonly (readonly Cells[])[],
  compare: (one: Cells, other: Cells) => number,
  count: number,
): Cells[] {
  const next = lists.map(() => 0)
  const merged: Cells[] = []
  while (merged.length < count) {
    let first: { readonly row: Cells; readonly list: number } | undefined
    for (const [list, rows] of lists.entries()) {
      const row = rows[next[list] ?? 0]
      if (row && (!first || compare(row, first.row) < 0)) first = { row, list }
    }
    if (!first) break
    next[first.list] = (next[first.list] ?? 0) + 1
    merged.push(first.row)
  }
  return merged
}

const FIRST_KEY = 2

/** As both databases sort: by code points, by value, what is missing where the key says. */
function byKeys(keys: readonly OrderKey[]) {
  return (one: Cells, other: Cells): number => {
    for (const [at, key] of keys.entries()) {
      const [a, b] = [one[FIRST_KEY + at] ?? null, other[FIRST_KEY + at] ?? null]
      if (a === null && b === null) continue
      if (a === null || b === null) return (a === null) === key.nullsFirst ? -1 : 1
      const found =
        key.kind === 'text' ? byCodePoints(String(a), String(b)) : byValue(a, b, key.big)
      if (found !== 0) return key.order === 'asc' ? found : -found
    }
    return 0
  }
}

function byCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (one !== other) return rankOf(one) - rankOf(other)
  }
  return a.length - b.length
}

/** Halves of what lies beyond 16 bits come behind everything else. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

function byValue(a: Cells[number], b: Cells[number], isBig: boolean): number {
  const [one, other] = isBig ? [BigInt(String(a)), BigInt(String(b))] : [Number(a), Number(b)]
  if (one === other) return 0
  return one < other ? -1 : 1
}
