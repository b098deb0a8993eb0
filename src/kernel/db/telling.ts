import { renderTime } from '../times.ts'
import type { Cell, Cells, RowsWith } from './ask.ts'

/**
 * How rows become text where they are read, so that one text travels instead of all their cells. It is
 * plain data: the thread of a database that has one does the work, whoever asked does it otherwise.
 */
export interface Telling {
  /** The rows to tell, one for each of the first step, where that only names them. */
  readonly apart?: OwnedRows
  /** The text of a row of the first step, or of those apart; texts of rows are separated by commas. */
  readonly parts: readonly TextPart[]
  /** What those rows lead to, in a text of its own: each once, and none that is among them. */
  readonly others: readonly OtherRows[]
  /** Where the rows that are told have what `others` are known by. */
  readonly key: number
  /** What rows of a step must hold, or all are told as they are. */
  readonly demands: readonly Demand[]
  /** The cells of the first row from here on are told beside the text. */
  readonly besides: number
}

export interface Demand {
  readonly step: number
  readonly column: number
  readonly value: number | null
  /** Other rows of the step may hold anything. */
  readonly only?: RowsWith
}

/** Rows of another step that belong to one: where they name their owner, and where it has that name. */
interface OwnedRows {
  readonly step: number
  readonly owner: number
  readonly by: number
  /** Where each says how many there are; with more than `most` rows are told as they are. */
  readonly total?: { readonly column: number; readonly most: number }
}

export interface OtherRows extends OwnedRows {
  readonly key: number
  readonly parts: readonly TextPart[]
}

export type TextPart =
  | string
  | { readonly kind: 'cell'; readonly cell: number; readonly as: CellForm }
  /**
   * One member of a JSON object, between its name and what follows. No object may lie before it or in
   * it: strings cannot hold a name in quotes, but objects can.
   */
  | {
      readonly kind: 'member'
      readonly cell: number
      readonly from: string
      /** Null: it is the last one. */
      readonly to: string | null
      /** Instead of null. */
      readonly none: string
    }
  /** The insides of a JSON string, without this beginning; it must be there. */
  | { readonly kind: 'behind'; readonly cell: number; readonly start: string }
  /** What is said of this value; null: rows that hold another are told as they are. */
  | {
      readonly kind: 'known'
      readonly cell: number
      readonly texts: Readonly<Record<string, string>>
      readonly others: string | null
    }
  /** One of several texts, by a number. */
  | {
      readonly kind: 'case'
      readonly cell: number
      readonly of: readonly (readonly TextPart[])[]
    }
  /** The first row of another step that belongs to this one, or what stands for none. */
  | (OwnedRows & {
      readonly kind: 'first'
      readonly parts: readonly TextPart[]
      readonly none: string
    })
  /** All of them, separated by commas. */
  | (OwnedRows & { readonly kind: 'all'; readonly parts: readonly TextPart[] })

/**
 * `members`: of a JSON object, each with a comma behind it; `moreMembers`: with one before. `time`: as
 * answers show one, `seconds` without the rest, `date` with the rest only where there is one; null when
 * there is none.
 */
export type CellForm = 'plain' | 'json' | 'members' | 'moreMembers' | 'time' | 'seconds' | 'date'

/** What was told instead of rows. */
export interface ToldText {
  readonly text: string
  /** Of the rows of other steps. */
  readonly others: string
  /** Of rows that the first step found, also of those that are not in the text. */
  readonly count: number
  readonly besides: Cells
}

/** The places of the rows of each step that it looks at. */
export function placesIn(telling: Telling): ReadonlyMap<number, ReadonlySet<number>> {
  const found = new Map<number, Set<number>>()
  const { apart, parts, key, others } = telling
  if (apart) lookAtOwned(0, { ...apart, parts }, [key])
  else {
    look(0, parts)
    add(0, key)
  }
  for (const other of others) lookAtOwned(apart?.step ?? 0, other, [other.key])
  for (const { step, column, only } of telling.demands) {
    add(step, column)
    if (only) add(step, only.column)
  }
  return found

  function look(step: number, parts: readonly TextPart[]) {
    for (const part of parts) {
      if (typeof part === 'string') continue
      if (part.kind === 'first' || part.kind === 'all') lookAtOwned(step, part, [])
      else add(step, part.cell)
      if (part.kind === 'case') for (const each of part.of) look(step, each)
    }
  }

  function lookAtOwned(
    step: number,
    owned: OwnedRows & Pick<OtherRows, 'parts'>,
    more: readonly number[],
  ) {
    add(step, owned.by)
    add(owned.step, owned.owner)
    if (owned.total) add(owned.step, owned.total.column)
    for (const place of more) add(owned.step, place)
    look(owned.step, owned.parts)
  }

  function add(step: number, place: number) {
    const known = found.get(step)
    if (known) known.add(place)
    else found.set(step, new Set([place]))
  }
}

type Rows = readonly (readonly Cells[])[]
type RowsOf = (owned: OwnedRows, row: Cells) => readonly Cells[]

/** Of the first so many rows; null when they do not hold what they must. */
export function tellRows(telling: Telling, rows: Rows, most: number): ToldText | null {
  const { apart, parts, demands, besides, others } = telling
  if (!demands.every((demand) => isMet(demand, rows))) return null
  const found = rows[0] ?? []
  const named = found.length > most ? found.slice(0, most) : found
  const rowsOf = createOwners(rows)
  try {
    const shown = apart ? named.map((row) => rowsOf(apart, row)[0] ?? refuse()) : named
    return {
      text: textsOf(parts, shown, rowsOf),
      others: others.length > 0 ? othersOf(telling, shown, rowsOf) : '',
      count: found.length,
      besides: found[0]?.slice(besides) ?? [],
    }
  } catch (error) {
    if (error === UNTELLABLE) return null
    throw error
  }
}

const UNTELLABLE = new Error('a row does not hold what it must to be told as text')

function isMet({ step, column, value, only }: Demand, rows: Rows): boolean {
  for (const row of rows[step] ?? []) {
    if (row[column] !== value && (!only || row[only.column] === only.value)) return false
  }
  return true
}

function textsOf(parts: readonly TextPart[], rows: readonly Cells[], rowsOf: RowsOf): string {
  let text = ''
  for (const row of rows) {
    if (text !== '') text += ','
    text += textOf(parts, row, rowsOf)
  }
  return text
}

function othersOf({ others, key }: Telling, rows: readonly Cells[], rowsOf: RowsOf): string {
  const told = new Set(rows.map((row) => row[key]))
  let text = ''
  for (const row of rows) {
    for (const other of others) {
      for (const own of rowsOf(other, row)) {
        const name = own[other.key]
        if (told.has(name)) continue
        told.add(name)
        if (text !== '') text += ','
        text += textOf(other.parts, own, rowsOf)
      }
    }
  }
  return text
}

function textOf(parts: readonly TextPart[], row: Cells, rowsOf: RowsOf): string {
  let text = ''
  for (const part of parts) text += typeof part === 'string' ? part : partText(part, row, rowsOf)
  return text
}

function partText(part: Exclude<TextPart, string>, row: Cells, rowsOf: RowsOf): string {
  switch (part.kind) {
    case 'cell':
      return cellText(row[part.cell] ?? null, part.as)
    case 'member':
      return memberText(String(row[part.cell]), part)
    case 'behind':
      return textBehind(row[part.cell] ?? null, part.start)
    case 'known':
      return part.texts[String(row[part.cell])] ?? part.others ?? refuse()
    case 'case':
      return textOf(part.of[Number(row[part.cell])] ?? refuse(), row, rowsOf)
    case 'first': {
      const [own] = rowsOf(part, row)
      return own ? textOf(part.parts, own, rowsOf) : part.none
    }
    case 'all':
      return textsOf(part.parts, rowsOf(part, row), rowsOf)
  }
}

function refuse(): never {
  throw UNTELLABLE
}

function cellText(cell: Cell, as: CellForm): string {
  switch (as) {
    case 'plain':
      return String(cell)
    case 'json':
      return JSON.stringify(cell)
    case 'members':
      return hasMembers(cell) ? `${cell.slice(1, -1)},` : ''
    case 'moreMembers':
      return hasMembers(cell) ? `,${cell.slice(1, -1)}` : ''
    default:
      return cell === null ? 'null' : timeText(Number(cell), as)
  }
}

function hasMembers(cell: Cell): cell is string {
  return typeof cell === 'string' && cell.length > 2
}

function timeText(ms: number, as: CellForm): string {
  const text = renderTime(ms)
  if (as === 'seconds') return `"${text.slice(0, 19)}+00:00"`
  return as === 'date' && ms % 1_000 === 0 ? `"${text.slice(0, -5)}Z"` : `"${text}"`
}

function memberText(
  json: string,
  { from, to, none }: Extract<TextPart, { readonly kind: 'member' }>,
): string {
  const found = json.indexOf(from)
  const start = found + from.length
  const end = to === null ? json.length - 1 : json.indexOf(to, start)
  if (found === -1 || end === -1) throw UNTELLABLE
  const value = json.slice(start, end)
  return value === 'null' ? none : value
}

function textBehind(cell: Cell, start: string): string {
  if (typeof cell !== 'string' || !cell.startsWith(start)) throw UNTELLABLE
  return JSON.stringify(cell.slice(start.length)).slice(1, -1)
}

const NONE: readonly Cells[] = []

/** The rows of steps by their owners; looked at when first asked for. */
function createOwners(rows: Rows): RowsOf {
  const known: Map<Cell, Cells[]>[] = []
  return ({ step, owner, by, total }, row) => {
    const own = known[step] ?? byOwner(rows[step] ?? [], owner)
    known[step] = own
    const found = own.get(row[by] ?? null) ?? NONE
    const [first] = found
    if (total && first && Number(first[total.column]) > total.most) throw UNTELLABLE
    return found
  }
}

function byOwner(rows: readonly Cells[], owner: number): Map<Cell, Cells[]> {
  const found = new Map<Cell, Cells[]>()
  for (const row of rows) {
    const key = row[owner] ?? null
    const known = found.get(key)
    if (known) known.push(row)
    else found.set(key, [row])
  }
  return found
}
