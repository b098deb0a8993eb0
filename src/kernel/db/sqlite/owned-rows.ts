import type { AskStep, Cell, Cells } from '../ask.ts'

/** Of everything that is kept, as if all of it were text. */
const MOST_CHARS = 4_000_000
/** What an owner takes without its rows, and a row without its texts. */
const OVERHEAD_CHARS = 40

type ByOwner = Map<Cell, readonly Cells[]>

/**
 * Keeps what belongs to something until the database changes: pages differ, and yet refer to the same
 * authors and pictures.
 */
export function createOwnedRows() {
  const known = new Map<AskStep, Map<string, ByOwner>>()
  let keptVersion = 0
  let chars = 0
  return { find }

  /** The rows of all `owners`; `load` is asked for those that are not known of this version. */
  function find(
    version: number,
    step: AskStep & { readonly owner: number },
    parameters: string,
    owners: readonly Cell[],
    load: (missing: Cell[]) => readonly Cells[],
  ): readonly Cells[] {
    if (version !== keptVersion || chars > MOST_CHARS) forget(version)
    const own = rowsOf(step, parameters)
    const missing = owners.filter((owner) => !own.has(owner))
    if (missing.length > 0) keep(own, missing, load(missing), step.owner)
    return owners.flatMap((owner) => own.get(owner) ?? [])
  }

  function forget(version: number): void {
    known.clear()
    keptVersion = version
    chars = 0
  }

  function rowsOf(step: AskStep, parameters: string): ByOwner {
    const ofStep = known.get(step) ?? new Map<string, ByOwner>()
    known.set(step, ofStep)
    const found = ofStep.get(parameters)
    if (found) return found
    const made: ByOwner = new Map()
    ofStep.set(parameters, made)
    chars += parameters.length + OVERHEAD_CHARS
    return made
  }

  function keep(own: ByOwner, owners: Cell[], rows: readonly Cells[], ownerAt: number): void {
    const grouped = Map.groupBy(rows, (row) => row[ownerAt] ?? null)
    for (const owner of owners) own.set(owner, grouped.get(owner) ?? [])
    chars += (owners.length + rows.length) * OVERHEAD_CHARS
    for (const row of rows)
      for (const cell of row) if (typeof cell === 'string') chars += cell.length
  }
}
