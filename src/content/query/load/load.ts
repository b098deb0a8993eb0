import type { Cells } from '#db'
import type { Entry, Included, Part, WalkedList } from '../../entry.ts'
import type { Component, ContentType } from '../../model.ts'
import type { IncludePlan } from '../plan.ts'
import type { ResolvedBetween } from '../resolved.ts'
import type { Values } from '../slot.ts'
import { CUT } from './between.ts'
import { columnIndexOf } from './entry-row.ts'
import { toFile } from './files.ts'
import { documentOf, positionIn, textAt, wholeAt } from './rows.ts'
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
    case 'zone':
      return zoneBy(to, found.members)
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
    const { items, ...about } = listOf(parent)
    if (!plan.include.many) return { kind: 'entry', entry: items[0] ?? null }
    return { kind: 'entries', entries: items.filter((entry) => entry !== undefined), ...about }
  }
}

function filesBy(to: Loaded, plan: IncludePlan) {
  const listOf = listsOf(to, plan, (row) => toFile(row, OWNED.rest))
  return (parent: Parent): Included => {
    const { items, ...about } = listOf(parent)
    if (!plan.include.many) return { kind: 'file', file: items[0] ?? null }
    return { kind: 'files', files: items, ...about }
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

interface List<Item> {
  readonly items: readonly Item[]
  readonly total: number
  readonly walked?: WalkedList
}

/** The piece of each parent's list that was asked for, and how long the whole is. */
function listsOf<Item>(
  { rows, values }: Loaded,
  plan: IncludePlan,
  toItem: (row: Cells) => Item,
): (parent: Parent) => List<Item> {
  const { step, include } = plan
  const { many, between } = include
  const start = include.start.of(values)
  const until = include.until.of(values)
  const rowsOf = groupRows(rows[step] ?? [], OWNED)
  return (parent) => {
    const own = rowsOf(parent)
    const [first] = own
    if (!first) return NO_ITEMS
    if (!many) return { items: own.slice(start, start + 1).map(toItem), total: own.length }
    const total = wholeAt(first, OWNED.total)
    if (between) return { ...walkedItems(own, plan, between, values, toItem), total }
    const isShown = (row: Cells) => wholeAt(row, OWNED.n) > start && wholeAt(row, OWNED.n) <= until
    return { items: (include.isFromStart ? own : own.filter(isShown)).map(toItem), total }
  }
}

const NO_ITEMS = { items: [], total: 0 } as const

/** What of a list lies between positions, and what does around it. */
function walkedItems<Item>(
  rows: readonly Cells[],
  { keys, sortedAt }: Pick<IncludePlan, 'keys' | 'sortedAt'>,
  { first, last }: ResolvedBetween,
  values: Values,
  toItem: (row: Cells) => Item,
): Pick<List<Item>, 'items' | 'walked'> {
  const cutAt = sortedAt + keys.length
  const shown = rows.filter((row) => row[cutAt + CUT.shown] === 1)
  const [carrier = []] = rows
  const between = wholeAt(carrier, cutAt + CUT.between)
  const end = Math.min(first?.of(values) ?? between, between)
  const start = last ? Math.max(0, end - last.of(values)) : 0
  return {
    items: shown.map(toItem),
    walked: {
      positions: shown.map((row) => positionIn(row, keys, sortedAt)),
      hasPrevious: wholeAt(carrier, cutAt + CUT.behind) + start > 0,
      hasMore: between - end + wholeAt(carrier, cutAt + CUT.ahead) > 0,
    },
  }
}

function partsBy(to: Loaded, plan: IncludePlan, component: Component) {
  const placedOf = placedParts(to, plan, component)
  const start = plan.include.start.of(to.values)
  const until = plan.include.until.of(to.values)
  return (parent: Parent): Included => {
    const own = placedOf(parent).map(({ part }) => part)
    return plan.include.many
      ? { kind: 'parts', parts: own.slice(start, until) }
      : { kind: 'part', part: own[start] ?? null }
  }
}

/** Components of one zone lie in the tables of their kinds; their positions are those in the zone. */
function zoneBy(to: Loaded, members: readonly IncludePlan[]) {
  const lists = members.flatMap((plan) => {
    const { found } = plan
    return found.kind === 'parts' ? [placedParts(to, plan, found.component)] : []
  })
  return (parent: Parent): Included => {
    const placed = lists.flatMap((placedOf) => placedOf(parent))
    const inOrder = placed.sort((one, other) => one.position - other.position)
    return { kind: 'zone', parts: inOrder.map(({ part }) => part) }
  }
}

interface Placed {
  readonly part: Part
  readonly position: number
}

function placedParts(to: Loaded, plan: IncludePlan, component: Component) {
  const parents: Parent[] = []
  const parts = new Map<Cells, Placed>()
  for (const row of to.rows[plan.step] ?? []) {
    const included = new Map<string, Included>()
    const id = wholeAt(row, PART.partId)
    parents.push({ copyNo: wholeAt(row, PART.owner), part: id, included })
    const json = documentOf(to.renewed, row, PART.doc)
    const part = toPart({ component, id, json, included }, textAt(row, PART.hidden))
    parts.set(row, { part, position: wholeAt(row, PART.position) })
  }
  for (const include of plan.includes) fill(to, parents, include)
  const rowsOf = groupRows([...parts.keys()], PART)
  return (parent: Parent): Placed[] => rowsOf(parent).flatMap((row) => parts.get(row) ?? [])
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
