import { sql } from 'kysely'
import { readHidden, readValues, selectValues } from '../../document.ts'
import type { ColumnValue } from '../../fields/kind.ts'
import type { Component } from '../../model.ts'
import type { Body, Part } from '../body.ts'
import { type KnownPositions, type LinkRow, linkRows, type TagRow, tagRows } from './links.ts'
import { bodyColumns, cellsOf, insertRows } from './rows.ts'
import { gatherInChunks, inChunks, type Trx } from './statements.ts'

interface PartRow {
  readonly component: Component
  readonly ownerCopy: number
  readonly attributeNo: number
  readonly parentPart: number
  readonly position: number
  readonly partId: number
  readonly body: Pick<Body, 'values' | 'formats'>
}

/** Every component of these copies, at every depth, those of one kind in the order of their lists. */
export async function findParts(
  trx: Trx,
  components: readonly Component[],
  copyNos: readonly number[],
): Promise<PartRow[]> {
  const rows: PartRow[][] = []
  for (const component of components) {
    rows.push(await gatherInChunks(copyNos, (chunk) => findRows(trx, component, chunk)))
  }
  return rows.flat()
}

async function findRows(trx: Trx, component: Component, copyNos: readonly number[]) {
  const rows = await trx
    .selectFrom(sql<StoredPart>`${sql.table(component.table)}`.as('part'))
    .select(['owner_copy', 'attribute_no', 'parent_part', 'position', 'part_id', 'hidden'])
    .select(selectValues(component, 'part'))
    .where('owner_copy', 'in', copyNos)
    .orderBy('position')
    .execute()
  return rows.map((row) => ({
    component,
    ownerCopy: row.owner_copy,
    attributeNo: row.attribute_no,
    parentPart: row.parent_part,
    position: row.position,
    partId: row.part_id,
    body: { values: readValues(component, row), ...readHidden(row.hidden) },
  }))
}

interface StoredPart {
  owner_copy: number
  attribute_no: number
  parent_part: number
  position: number
  part_id: number
  hidden: string
}

/** The links and components of a copy, from all rows that belong to it. */
export function nest(
  rows: readonly PartRow[],
  links: readonly LinkRow[],
): Pick<Body, 'links' | 'parts'> {
  const byParent = Map.groupBy(rows, (row) => row.parentPart)
  const byOwner = Map.groupBy(links, (row) => row.owner_part)
  return inside(0)

  function inside(part: number): Pick<Body, 'links' | 'parts'> {
    const targets = Map.groupBy(byOwner.get(part) ?? [], (row) => row.attribute_no)
    const groups = Map.groupBy(byParent.get(part) ?? [], (row) => row.attributeNo)
    return {
      links: new Map([...targets].map(([no, group]) => [no, group.map(({ target }) => target)])),
      parts: new Map([...groups].map(([no, group]) => [no, inOrder(group).map(toPart)])),
    }
  }

  function toPart({ component, partId, body }: PartRow): Part {
    return { id: partId, component, body: { ...body, ...inside(partId) } }
  }
}

/** Zones hold components of several tables. */
function inOrder(list: readonly PartRow[]): readonly PartRow[] {
  return list.toSorted((one, other) => one.position - other.position)
}

interface Owner {
  readonly copyNo: number
  readonly known: KnownPositions
  readonly revision: number
}

/** Its cells are those of `PLACE` and of its body. */
interface FoundPart {
  readonly component: Component
  readonly cells: readonly ColumnValue[]
}

const PLACE = ['owner_copy', 'attribute_no', 'parent_part', 'position', 'part_id']

/** All rows of a body's components at every depth; every component has its id by now. */
export function partRows(parts: Body['parts'], owner: Owner) {
  const found: FoundPart[] = []
  const links: LinkRow[][] = []
  const tags: TagRow[][] = []
  gather(parts, 0)
  return { found, links: links.flat(), tags: tags.flat() }

  function gather(lists: Body['parts'], parent: number) {
    for (const [attributeNo, list] of lists) {
      for (const [position, part] of list.entries()) add(part, attributeNo, parent, position)
    }
  }

  function add({ id, component, body }: Part, attributeNo: number, parent: number, at: number) {
    const cells = cellsOf(component, body, [owner.copyNo, attributeNo, parent, at, id])
    found.push({ component, cells })
    links.push(linkRows(body.links, { ...owner, partId: id }))
    tags.push(tagRows(component, body, { copyNo: owner.copyNo, partId: id }))
    gather(body.parts, id)
  }
}

export async function insertParts(trx: Trx, rows: readonly FoundPart[]) {
  for (const [component, list] of Map.groupBy(rows, (row) => row.component)) {
    const names = [...PLACE, ...bodyColumns(component)]
    await insertRows(trx, component.table, { names, cells: list.map(({ cells }) => cells) })
  }
}

export async function deleteParts(
  trx: Trx,
  components: readonly Component[],
  copyNos: readonly number[],
) {
  for (const { table } of components) {
    await inChunks(copyNos, (chunk) =>
      sql`delete from ${sql.table(table)} where owner_copy in (${sql.join(chunk)})`.execute(trx),
    )
  }
}
