import type { Included } from '../../entry.ts'
import type { Component, ContentType } from '../../model.ts'

/** Something that includes are loaded for: an entry, or a component inside one. */
export interface Parent {
  readonly copyNo: number
  /** The stable id of the component; 0 for the entry itself. */
  readonly part: number
  readonly included: Map<string, Included>
}

/** Parents of one level, all inside copies of one type. */
export interface Level {
  readonly holder: ContentType
  /** Of which the parents are; null when they are entries. */
  readonly component: Component | null
  readonly parents: readonly Parent[]
}

function keyOf({ copyNo, part }: { copyNo: number; part: number }): string {
  return `${copyNo}/${part}`
}

/** What was found for each parent, in the order of the rows. */
export function groupRows<Row extends { owner: number; part: number }>(
  rows: readonly Row[],
): (parent: Parent) => readonly Row[] {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const key = keyOf({ copyNo: row.owner, part: row.part })
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return (parent) => groups.get(keyOf(parent)) ?? []
}
