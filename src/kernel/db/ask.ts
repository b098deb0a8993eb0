/** A value of a row, as both databases give it. */
export type Cell = null | number | bigint | string | Uint8Array
export type Cells = readonly Cell[]

/**
 * A parameter that is the list of what a column of an earlier step holds, each value once. What is
 * bound in its place is the number of rows that count, from the first; null means all of them.
 */
export interface Fed {
  /** Which parameter of the step. */
  readonly parameter: number
  readonly step: number
  readonly column: number
  /** Only of the rows that hold this number in that column. */
  readonly only?: RowsWith
}

/** Rows of one kind among those of a step. */
export interface RowsWith {
  readonly column: number
  readonly value: number
}

/** One statement. A step that is fed with nothing is not run and has no rows. */
export interface AskStep {
  readonly sql: string
  readonly fed: readonly Fed[]
  /** It has the same parameters every time, so its rows may be kept until the database changes. */
  readonly isKept?: true
}

/**
 * Statements that belong together, asked at once: made once, kept by whoever asks them often, and known
 * to the database by their identity, so that their texts neither travel nor are parsed each time.
 */
export interface Batch {
  readonly steps: readonly AskStep[]
}

export interface BatchResult {
  /** The rows of each step. */
  readonly rows: readonly (readonly Cells[])[]
  /** What the database needed, without the time in which the batch waited for its turn. */
  readonly tookMs: number
}

/**
 * `read`: an index serves it. `scan`: it may read whole tables, for which there is one slot. `try`: it may,
 * but was quick the last time: it goes with the reads, and to the scans when it is not quick now.
 */
export type AskKind = 'read' | 'scan' | 'try'

/**
 * Asks a batch with the parameters of each step. Where one thread answers it (SQLite), all steps see
 * the same moment and share the deadline of a read, or of a scan.
 */
export type Ask = (
  batch: Batch,
  parameters: readonly (readonly unknown[])[],
  kind: AskKind,
) => Promise<BatchResult>

/** The parameters of a step with its lists; undefined when one of these is empty. */
export function feed<Value>(
  { fed }: AskStep,
  given: readonly Value[],
  before: readonly (readonly Cells[] | undefined)[],
  toList: (cells: Cell[]) => Value,
): readonly Value[] | undefined {
  if (fed.length === 0) return given
  const parameters = [...given]
  for (const each of fed) {
    const list = listFor(each, given, before)
    if (list.length === 0) return undefined
    parameters[each.parameter] = toList(list)
  }
  return parameters
}

/** What a parameter is fed with. */
function listFor(
  { parameter, step, column, only }: Fed,
  given: readonly unknown[],
  before: readonly (readonly Cells[] | undefined)[],
): Cell[] {
  const first = given[parameter]
  const rows = rowsWith(before[step] ?? [], only)
  return columnOf(rows, column, typeof first === 'number' ? first : null)
}

export function rowsWith(rows: readonly Cells[], only: RowsWith | undefined): readonly Cells[] {
  return only ? rows.filter((row) => row[only.column] === only.value) : rows
}

function columnOf(rows: readonly Cells[], column: number, first: number | null): Cell[] {
  const found = new Set<Cell>()
  const end = first === null ? rows.length : Math.min(first, rows.length)
  for (let at = 0; at < end; at++) found.add(rows[at]?.[column] ?? null)
  return [...found]
}
