import type { Included, Part } from '../../entry.ts'
import type { Component, ComponentAttribute } from '../../model.ts'
import { sql } from '../fragment.ts'
import type { ResolvedInclude } from '../resolved.ts'
import { currentDocuments } from './current.ts'
import { type Loading, loadIncludes } from './include.ts'
import { groupRows, type Level, type Parent } from './parents.ts'
import { toPart } from './to-entry.ts'

interface PartRow {
  readonly part_no: number
  readonly owner: number
  /** The component it lies in. */
  readonly part: number
  readonly part_id: number
  readonly shape: number
  readonly doc: string
}

/** Components of the level's parents with what they include themselves. */
export async function loadParts(
  to: Loading,
  level: Level,
  include: ResolvedInclude,
  attribute: ComponentAttribute,
  component: Component,
) {
  const rows = await to.run(partRows(to, level, attribute, component), false)
  const partNo = { column: 'part_no', of: (row: PartRow) => row.part_no } as const
  const current = await currentDocuments(to, component, partNo, rows)
  const parents: Parent[] = []
  const found = rows.map((row) => {
    const included = new Map<string, Included>()
    parents.push({ copyNo: row.owner, part: row.part_id, included })
    const part = toPart(component, row.part_id, current(row), included)
    return { owner: row.owner, part: row.part, shown: part }
  })
  await loadIncludes(to, { holder: level.holder, component, parents }, include.include)
  const rowsOf = groupRows(found)
  for (const parent of level.parents) {
    const parts = rowsOf(parent).map(({ shown }) => shown)
    parent.included.set(include.name, toIncluded(parts, include))
  }
}

function toIncluded(parts: readonly Part[], { many }: ResolvedInclude): Included {
  return many ? { kind: 'parts', parts } : { kind: 'part', part: parts[0] ?? null }
}

function partRows(
  { dialect }: Loading,
  { parents }: Level,
  attribute: ComponentAttribute,
  { table }: Component,
) {
  const copies = [...new Set(parents.map(({ copyNo }) => copyNo))]
  const parts = [...new Set(parents.map(({ part }) => part))]
  return sql<PartRow>`select part_no, owner_copy as owner, parent_part as part, part_id, shape, doc from ${sql.table(table)} where ${dialect.isOneOf(sql.ref('owner_copy'), copies, 'integer')} and attribute_no = ${sql.lit(attribute.no)} and ${dialect.isOneOf(sql.ref('parent_part'), parts, 'integer')} order by owner_copy, parent_part, position`
}
