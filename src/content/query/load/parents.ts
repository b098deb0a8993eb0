import type { Cells } from '#db'
import type { Included } from '../../entry.ts'
import { wholeAt } from './cells.ts'

/** Something that includes are loaded for: an entry, or a component inside one. */
export interface Parent {
  readonly copyNo: number
  /** The stable id of the component; 0 for the entry itself. */
  readonly part: number
  readonly included: Map<string, Included>
}

/** Where rows tell to whom they belong. */
interface Places {
  readonly owner: number
  readonly part: number
}

const NOTHING: readonly never[] = []

/** What was found for each parent, in the order of the rows. */
export function groupRows(
  rows: readonly Cells[],
  { owner, part }: Places,
): (parent: Parent) => readonly Cells[] {
  const groups = new Map<string | number, Cells[]>()
  for (const row of rows) {
    const key = keyOf(wholeAt(row, owner), wholeAt(row, part))
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return (parent) => groups.get(keyOf(parent.copyNo, parent.part)) ?? NOTHING
}

function keyOf(copyNo: number, part: number): string | number {
  return part === 0 ? copyNo : `${copyNo}/${part}`
}
