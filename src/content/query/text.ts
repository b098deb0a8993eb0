import type { CellForm, Demand, OtherRows, RowsWith, Telling, TextPart } from '#kernel'
import { findMember } from '../document.ts'
import type { ContentType } from '../model.ts'
import type { ListPlan } from './list-plan.ts'
import { placeOf } from './load/entry-row.ts'
import { OWNED } from './load/statement.ts'
import type { IncludePlan, Plan } from './plan.ts'
import { LISTED } from './sql/list.ts'

/**
 * A page as a dialect shows it, for pages that need nothing of their entries but this. It is made
 * where rows are read, so it may hold no more than what rows hold.
 */
export interface PageText {
  readonly entry: EntryText
  /** What entries refer to, in a text of its own: each document once, and none of the page. */
  readonly related: readonly RelatedEntryText[]
}

interface RelatedEntryText {
  readonly included: string
  readonly text: EntryText
}

/** The same of a list over several types. */
export interface ListText {
  readonly entries: ReadonlyMap<ContentType, EntryText>
}

export type EntryText = readonly EntryTextPart[]

type EntryTextPart =
  | string
  | { readonly show: Shown }
  /** The JSON of one public scalar, or what is shown instead of null. */
  | { readonly member: string; readonly none: string }
  /** The insides of the path as a JSON string, behind this; only of what stands below no other entry. */
  | { readonly pathBehind: string }
  /** What is said of this value, `others` of all that are not known; null: then nothing can be said. */
  | {
      readonly of: 'createdBy' | 'locale'
      readonly texts: Readonly<Record<string, string>>
      readonly others: string | null
    }
  /** What a relation refers to; `absent` where it was left out for the caller. */
  | {
      readonly included: string
      readonly before: string
      readonly text: EntryText
      /** Of a relation to one; null: it is one to many. */
      readonly none: string | null
      readonly after: string
      readonly absent: string
      /** A longer list is shown otherwise. */
      readonly most?: number
    }

/**
 * `members`: the public scalars, each with a comma behind it, `moreMembers` before it. Times may be
 * null; `locale` and `path` are JSON.
 */
type Shown =
  | 'id'
  | 'documentId'
  | 'revisionId'
  | 'members'
  | 'moreMembers'
  | 'locale'
  | 'path'
  | 'createdAtMs'
  | 'updatedAtMs'
  | 'publishedAtMs'
  | 'createdSeconds'
  | 'updatedSeconds'
  | 'createdDate'
  | 'updatedDate'

type Column = Parameters<typeof placeOf>[0]

const CELLS: Readonly<Record<Shown, readonly [Column, CellForm]>> = {
  id: ['id', 'plain'],
  documentId: ['document_id', 'plain'],
  revisionId: ['revision_id', 'plain'],
  members: ['doc', 'members'],
  moreMembers: ['doc', 'moreMembers'],
  locale: ['locale', 'json'],
  path: ['path', 'json'],
  createdAtMs: ['created_at', 'time'],
  updatedAtMs: ['updated_at', 'time'],
  publishedAtMs: ['published_at', 'time'],
  createdSeconds: ['created_at', 'seconds'],
  updatedSeconds: ['updated_at', 'seconds'],
  createdDate: ['created_at', 'date'],
  updatedDate: ['updated_at', 'date'],
}

/** Where a row that tells no more than which entry it is has what it tells. */
const ID_PLACES: ReadonlyMap<Column, number> = new Map([
  ['id', 0],
  ['document_id', 1],
])

const VALUES = { createdBy: 'created_by', locale: 'locale' } as const

/** Thrown inside: what is asked for cannot be told. */
const UNTELLABLE = new Error('a page cannot be told as this text')

/** Null when the page cannot be told so. `keepsOwned`: entries are best asked apart from their keys. */
export function toTelling(
  plan: Plan,
  { entry, related }: PageText,
  keepsOwned: boolean,
): Telling | null {
  const { type, walk, includes, documented, countedAt, asking } = plan
  if (walk.backwards) return null
  return orNull(() => {
    const step = keepsOwned ? asking.batch.steps.length : 0
    const demands = documentedDemands(documented).map((demand) => moved(demand, step))
    const rows: Rows = { step, at: step === 0 ? 0 : OWNED.rest, type, includes, demands }
    const apart = { step, owner: OWNED.owner, by: placeOf('copy_no') }
    return {
      ...(step === 0 ? {} : { apart }),
      parts: toParts(entry, rows),
      others: related.flatMap(({ included, text }) => toOthers(rows, included, text)),
      key: place('document_id', rows),
      demands,
      besides: countedAt,
    }
  })
}

/** What is demanded of entries that stand in a step of their own instead of the page. */
function moved(demand: Demand, step: number): Demand {
  if (demand.step !== 0 || step === 0) return demand
  return { ...demand, step, column: demand.column + OWNED.rest }
}

export function toListTelling(
  { types, documented }: ListPlan,
  { entries }: ListText,
): Telling | null {
  return orNull(() => {
    const demands = documentedDemands(documented)
    const cases = types.map(({ type, includes }, at) => {
      const only = { column: LISTED.type, value: at }
      const text = entries.get(type) ?? refuse()
      return toParts(text, { step: 0, at: 0, type, includes, demands, only })
    })
    return {
      parts: [{ kind: 'case', cell: LISTED.type, of: cases }],
      others: [],
      key: placeOf('document_id'),
      demands,
      besides: LISTED.total,
    }
  })
}

function orNull<T>(make: () => T): T | null {
  try {
    return make()
  } catch (error) {
    if (error === UNTELLABLE) return null
    throw error
  }
}

function refuse(): never {
  throw UNTELLABLE
}

/** Rows of one type: where their columns begin and what is loaded with them. */
interface Rows {
  readonly step: number
  readonly at: number
  readonly type: ContentType
  readonly includes: readonly IncludePlan[]
  /** Added to. */
  readonly demands: Demand[]
  readonly only?: RowsWith
  /** They tell no more than which entries they are. */
  readonly areIds?: boolean
}

/** Documents of an older shape are brought to the present one elsewhere. */
function documentedDemands(documented: Plan['documented']): Demand[] {
  return documented.map(({ step, shapeAt, set, only }) => ({
    ...{ step, column: shapeAt, value: set.shape },
    ...(only && { only }),
  }))
}

/** Texts that follow each other are one. */
function toParts(text: EntryText, rows: Rows): readonly TextPart[] {
  const parts: TextPart[] = []
  for (const part of text.flatMap((each) => partsOf(each, rows))) {
    const before = parts.at(-1)
    if (typeof part === 'string' && typeof before === 'string') parts[parts.length - 1] += part
    else parts.push(part)
  }
  return parts
}

function partsOf(part: EntryTextPart, rows: Rows): readonly TextPart[] {
  if (typeof part === 'string') return [part]
  if ('show' in part) return [cellPart(part.show, rows)]
  if ('member' in part) return [memberPart(part.member, part.none, rows)]
  if ('pathBehind' in part) return [pathPart(part.pathBehind, rows)]
  if ('of' in part) {
    const { of, texts, others } = part
    return [{ kind: 'known', cell: place(VALUES[of], rows), texts, others }]
  }
  const own = relatedPart(part, rows)
  return own ? [part.before, own, part.after] : [part.absent]
}

function place(column: Column, { at, areIds }: Rows): number {
  return at + (areIds ? (ID_PLACES.get(column) ?? refuse()) : placeOf(column))
}

function cellPart(show: Shown, rows: Rows): TextPart {
  const [column, as] = CELLS[show]
  return { kind: 'cell', cell: place(column, rows), as }
}

function memberPart(name: string, none: string, rows: Rows): TextPart {
  const found = findMember(rows.type, name) ?? refuse()
  return { kind: 'member', cell: place('doc', rows), ...found, none }
}

function pathPart(start: string, rows: Rows): TextPart {
  const { step, demands, only } = rows
  const about = { step, ...(only && { only }) }
  demands.push({ ...about, column: place('parent', rows), value: null })
  demands.push({ ...about, column: place('is_root', rows), value: 0 })
  return { kind: 'behind', cell: place('path', rows), start }
}

type RelatedText = Extract<EntryTextPart, { readonly included: string }>

/** Undefined where it was left out for the caller. */
function relatedPart(
  { included, text, none, most }: RelatedText,
  rows: Rows,
): TextPart | undefined {
  const plan = rows.includes.find(({ include }) => include.name === included)
  if (!plan) return undefined
  const parts = toParts(text, rowsOf(plan, rows))
  const owned = ownedBy(plan, rows)
  if ((none === null) !== plan.include.many) return refuse()
  if (none !== null) return { kind: 'first', ...owned, parts, none }
  const total = most === undefined ? {} : { total: { column: OWNED.total, most } }
  return { kind: 'all', ...owned, ...total, parts }
}

function toOthers(rows: Rows, included: string, text: EntryText): readonly OtherRows[] {
  const plan = rows.includes.find(({ include }) => include.name === included)
  if (!plan) return []
  const own = rowsOf(plan, rows)
  return [{ ...ownedBy(plan, rows), key: place('document_id', own), parts: toParts(text, own) }]
}

function ownedBy({ step, include }: IncludePlan, rows: Rows) {
  if (!include.isFromStart) return refuse()
  return { step, owner: OWNED.owner, by: place('copy_no', rows) }
}

/** Files and components are shown by whoever asked. */
function rowsOf({ step, found, include, includes }: IncludePlan, { demands }: Rows): Rows {
  const own = { step, at: OWNED.rest, includes, demands }
  if (found.kind === 'entries') return { ...own, type: found.type }
  if (found.kind !== 'ids' || found.of !== 'entries') return refuse()
  if (include.step.kind !== 'relation') return refuse()
  return { ...own, type: include.step.target, areIds: true }
}
