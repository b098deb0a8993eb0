import type { Cell, Cells } from '#db'

/** Values of a row by their place, which the select fixes; a value of another kind is our mistake. */
export function wholeAt(cells: Cells, at: number): number {
  const cell = cells[at]
  if (typeof cell === 'number') return cell
  return refuse(cell, 'a number')
}

export function textAt(cells: Cells, at: number): string {
  const cell = cells[at]
  if (typeof cell === 'string') return cell
  return refuse(cell, 'text')
}

export function wholeOrNullAt(cells: Cells, at: number): number | null {
  return cells[at] === null ? null : wholeAt(cells, at)
}

export function textOrNullAt(cells: Cells, at: number): string | null {
  return cells[at] === null ? null : textAt(cells, at)
}

function refuse(cell: Cell | undefined, wanted: string): never {
  throw new Error(`a row has ${typeof cell} where ${wanted} should be`)
}
