import { renderTime } from '../times.ts'
import type { Cell, Cells } from './ask.ts'

/**
 * How rows become text where they are read, so that one text travels instead of all their cells. It is
 * plain data: the thread of a database that has one does the work, whoever asked does it otherwise.
 */
export interface Telling {
  /** The text of a row of the first step; texts of rows are separated by commas. */
  readonly parts: readonly TextPart[]
  /** What every row of a step must hold, or the rows are told as they are. */
  readonly demands: readonly Demand[]
  /** The cells of the first row from here on are told beside the text. */
  readonly besides: number
}

interface Demand {
  readonly step: number
  readonly column: number
  readonly value: number
}

export type TextPart =
  | string
  | { readonly cell: number; readonly as: CellForm }
  /** The first row of another step that belongs to this one, or what stands for none. */
  | {
      readonly step: number
      /** Where that row names its owner, and where this one has what is named there. */
      readonly owner: number
      readonly by: number
      readonly parts: readonly TextPart[]
      readonly none: string
    }

/**
 * `members`: of a JSON object, each with a comma behind it. `time`: as answers show one, null when
 * there is none.
 */
type CellForm = 'plain' | 'json' | 'members' | 'time'

/** What was told instead of rows. */
export interface ToldText {
  readonly text: string
  /** Of rows that the first step found, also of those that are not in the text. */
  readonly count: number
  readonly besides: Cells
}

type Rows = readonly (readonly Cells[])[]
type FirstOf = (step: number, owner: number, key: Cell) => Cells | undefined

/** Of the first so many rows; null when a demand is not met. */
export function tellRows(
  { parts, demands, besides }: Telling,
  rows: Rows,
  most: number,
): ToldText | null {
  if (!demands.every((demand) => isMet(demand, rows))) return null
  const found = rows[0] ?? []
  const firstOf = createOwners(rows)
  const end = Math.min(found.length, most)
  let text = ''
  for (let at = 0; at < end; at++) {
    if (at > 0) text += ','
    text += textOf(parts, found[at] ?? [], firstOf)
  }
  return { text, count: found.length, besides: found[0]?.slice(besides) ?? [] }
}

function isMet({ step, column, value }: Demand, rows: Rows): boolean {
  for (const row of rows[step] ?? []) if (row[column] !== value) return false
  return true
}

function textOf(parts: readonly TextPart[], row: Cells, firstOf: FirstOf): string {
  let text = ''
  for (const part of parts) {
    if (typeof part === 'string') text += part
    else if ('as' in part) text += cellText(row[part.cell] ?? null, part.as)
    else {
      const own = firstOf(part.step, part.owner, row[part.by] ?? null)
      text += own ? textOf(part.parts, own, firstOf) : part.none
    }
  }
  return text
}

function cellText(cell: Cell, as: CellForm): string {
  switch (as) {
    case 'plain':
      return String(cell)
    case 'json':
      return JSON.stringify(cell)
    case 'members':
      return membersText(String(cell))
    case 'time':
      return cell === null ? 'null' : `"${renderTime(Number(cell))}"`
  }
}

function membersText(json: string): string {
  return json.length > 2 ? `${json.slice(1, -1)},` : ''
}

/** The rows of a step by their owners, the first of each; looked at when first asked for. */
function createOwners(rows: Rows): FirstOf {
  const known: Map<Cell, Cells>[] = []
  return (step, owner, key) => {
    const own = known[step] ?? byOwner(rows[step] ?? [], owner)
    known[step] = own
    return own.get(key)
  }
}

function byOwner(rows: readonly Cells[], owner: number): Map<Cell, Cells> {
  const found = new Map<Cell, Cells>()
  for (const row of rows) {
    const key = row[owner] ?? null
    if (!found.has(key)) found.set(key, row)
  }
  return found
}
