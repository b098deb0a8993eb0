import type { Cells } from '#db'
import type { Entry, Included, Part } from '../../entry.ts'
import type { Component, ContentType } from '../../model.ts'
import type { IncludePlan } from '../plan.ts'
import type { Values } from '../slot.ts'
import { textAt, wholeAt } from './cells.ts'
import { documentOf } from './current.ts'
import { columnIndexOf } from './entry-row.ts'
import { toFile } from './files.ts'
import { OWNED, PART } from './statement.ts'
import { StoredEntry, toPart } from './to-entry.ts'

/** What was found for one query. */
export interface Loaded {
  /** The rows of each step. */
  readonly rows: readonly (readonly Cells[])[]
  readonly values: Values
  readonly renewed: ReadonlyMap<Cells, string>
}

const COPY_NO = columnIndexOf('copy_no')
const DOC = columnIndexOf('doc')
const NOTHING: ReadonlyMap<string, Included> = new Map()

/** Entries of rows, with everything that was asked to be loaded with them. */
export function toEntries(
  to: Loaded,
  type: ContentType,
  rows: readonly Cells[],
  at: number,
  includes: readonly IncludePlan[],
): readonly Entry[] {
  const parents: Parent[] = []
  const entries = rows.map((cells) => {
    const json = documentOf(to.renewed, cells, at + DOC)
    if (includes.length === 0) return new StoredEntry({ type, cells, at, json, included: NOTHING })
    const included = new Map<string, Included>()
    parents.push({ copyNo: wholeAt(cells, at + COPY_NO), part: 0, included })
    return new StoredEntry({ type, cells, at, json, included })
  })
  for (const include of includes) fill(to, parents, include)
  return entries
}

function fill(to: Loaded, parents: readonly Parent[], plan: IncludePlan): void {
  const includedOf = includedBy(to, plan)
  for (const parent of parents) parent.included.set(plan.include.name, includedOf(parent))
}

function includedBy(to: Loaded, plan: IncludePlan): (parent: Parent) => Included {
  const { found } = plan
  switch (found.kind) {
    case 'entries':
      return entriesBy(to, plan, found.type)
    case 'parts':
      return partsBy(to, plan, found.component)
    case 'files':
      return filesBy(to, plan)
    case 'ids':
      return idsBy(to, plan, found.of === 'files' ? toFileId : toEntryId)
  }
}

function entriesBy(to: Loaded, plan: IncludePlan, type: ContentType) {
  const rows = to.rows[plan.step] ?? []
  const entries = toEntries(to, type, rows, OWNED.rest, plan.includes)
  const placeOfRow = new Map(rows.map((row, at) => [row, at]))
  const listOf = listsOf(to, plan, (row) => entries[placeOfRow.get(row) ?? -1])
  return (parent: Parent): Included => {
    const { items, total } = listOf(parent)
    if (!plan.include.many) return { kind: 'entry', entry: items[0] ?? null }
    return { kind: 'entries', entries: items.filter((entry) => entry !== undefined), total }
  }
}

function filesBy(to: Loaded, plan: IncludePlan) {
  const listOf = listsOf(to, plan, (row) => toFile(row, OWNED.rest))
  return (parent: Parent): Included => {
    const { items, total } = listOf(parent)
    if (!plan.include.many) return { kind: 'file', file: items[0] ?? null }
    return { kind: 'files', files: items, total }
  }
}

function idsBy(to: Loaded, plan: IncludePlan, toId: typeof toEntryId) {
  const listOf = listsOf(to, plan, toId)
  return (parent: Parent): Included => {
    const { items, total } = listOf(parent)
    return { kind: 'ids', ids: items, total }
  }
}

function toEntryId(row: Cells): { id: number; documentId: string; mime?: string } {
  return { id: wholeAt(row, OWNED.rest), documentId: textAt(row, OWNED.rest + 1) }
}

function toFileId(row: Cells) {
  const { id, uuid, mime } = toFile(row, OWNED.rest)
  return { id, documentId: uuid, mime }
}

/** The piece of each parent's list that was asked for, and how long the whole is. */
function listsOf<Item>(
  { rows, values }: Loaded,
  { step, include }: IncludePlan,
  toItem: (row: Cells) => Item,
): (parent: Parent) => { readonly items: readonly Item[]; readonly total: number } {
  const { many } = include
  const start = include.start.of(values)
  const rowsOf = groupRows(rows[step] ?? [], OWNED)
  return (parent) => {
    const own = rowsOf(parent)
    const [first] = own
    if (!first) return NO_ITEMS
    if (!many) return { items: own.slice(start, start + 1).map(toItem), total: own.length }
    const shown = start === 0 ? own : own.filter((row) => wholeAt(row, OWNED.n) > start)
    return { items: shown.map(toItem), total: wholeAt(first, OWNED.total) }
  }
}

const NO_ITEMS = { items: [], total: 0 } as const

function partsBy(to: Loaded, plan: IncludePlan, component: Component) {
  const parents: Parent[] = []
  const parts = new Map<Cells, Part>()
  for (const row of to.rows[plan.step] ?? []) {
    const included = new Map<string, Included>()
    const id = wholeAt(row, PART.partId)
    parents.push({ copyNo: wholeAt(row, PART.owner), part: id, included })
    parts.set(row, toPart(component, id, documentOf(to.renewed, row, PART.doc), included))
  }
  for (const include of plan.includes) fill(to, parents, include)
  const rowsOf = groupRows([...parts.keys()], PART)
  return (parent: Parent): Included => {
    const own = rowsOf(parent).flatMap((row) => parts.get(row) ?? [])
    return plan.include.many
      ? { kind: 'parts', parts: own }
      : { kind: 'part', part: own[0] ?? null }
  }
}

/** Something that includes are loaded for: an entry, or a component inside one. */
interface Parent {
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

/** What was found for each parent, in the order of the rows. */
function groupRows(
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
  return (parent) => groups.get(keyOf(parent.copyNo, parent.part)) ?? []
}

function keyOf(copyNo: number, part: number): string | number {
  return part === 0 ? copyNo : `${copyNo}/${part}`
}
