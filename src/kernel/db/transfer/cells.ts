/** A value of a row, whichever database it comes from. */
export type Cell = string | number | bigint | Uint8Array | null
export type Row = readonly Cell[]

export interface Column {
  readonly name: string
  readonly type: 'integer' | 'double' | 'text' | 'bytes'
  readonly notNull: boolean
}

/** A table as both databases can have it: enough to make it anew and to read it in one order. */
export interface TableInfo {
  readonly name: string
  readonly columns: readonly Column[]
  /** The columns of its primary key: pages of rows are asked for along it. */
  readonly key: readonly string[]
  /** The last number the database gave to a row of this column; such a number is never given again. */
  readonly generated: { readonly column: string; readonly last: number } | null
  /** Tables whose rows those of this one name; they have to be there before. */
  readonly references: readonly string[]
}

/** One line of JSON that is the same on both databases, so that rows can be compared by it. */
export function renderRow(row: Row): string {
  return JSON.stringify(row.map(renderCell))
}

/** The opposite of `renderRow`. */
export function parseRow(cells: readonly unknown[]): Row {
  return cells.map(parseCell)
}

function renderCell(cell: Cell): unknown {
  if (typeof cell === 'bigint') return { i: String(cell) }
  if (cell instanceof Uint8Array) return { b: Buffer.from(cell).toString('base64') }
  return cell
}

function parseCell(cell: unknown): Cell {
  if (cell === null || typeof cell === 'string' || typeof cell === 'number') return cell
  if (typeof cell === 'object' && 'i' in cell) return BigInt(String(cell.i))
  if (typeof cell === 'object' && 'b' in cell) return Buffer.from(String(cell.b), 'base64')
  throw new Error(`not a value of a row: ${JSON.stringify(cell).slice(0, 50)}`)
}

/** Whole numbers are numbers as far as those are exact. */
export function toCell(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** About how much memory a row takes. */
export function sizeOf(row: Row): number {
  let bytes = 16
  for (const cell of row) bytes += typeof cell === 'string' ? cell.length : 8
  for (const cell of row) if (cell instanceof Uint8Array) bytes += cell.length
  return bytes
}
