import type { Batch, Fed, RowsWith } from '#db'
import type { Component, ContentType } from '../model.ts'
import type { CopyState, Detail } from './ast.ts'
import { type Piece, type Sql, sql } from './fragment.ts'
import { columnIndexOf, entryColumns, entrySource } from './load/entry-row.ts'
import { FILE_SOURCE } from './load/files.ts'
import type { Documented } from './load/rows.ts'
import {
  includeStatement,
  type Level,
  OWNED,
  PART,
  type PartStep,
  partStatement,
} from './load/statement.ts'
import type { ListScope } from './names/fields.ts'
import type { ResolvedInclude, ResolvedPart, ResolvedQuery, Walk, ZoneStep } from './resolved.ts'
import { StepList } from './slot.ts'
import { columnsOf, compilePage, type PageStatement } from './sql/compile.ts'
import type { Planning } from './sql/context.ts'
import type { OrderKey } from './sql/order.ts'

/** A batch and, for each step, what is bound in it: constants, slots and lists of steps before. */
export interface Asking {
  readonly batch: Batch
  readonly parameters: readonly (readonly unknown[])[]
  readonly mayScan: boolean
  /** It was slow the last time. */
  isSlow: boolean
}

/** All statements of one template, and how their rows become entries or files. */
export interface Plan extends Pick<PageStatement, 'keys'> {
  readonly asking: Asking
  /** What is counted beside the page, for when it has no row to carry it. */
  readonly aside: Asking
  /** The step that counts it for all pages of the list; null: rows of the page carry it. */
  readonly countedBy: number | null
  readonly walk: Walk
  readonly parts: readonly PartPlan[]
  readonly documented: readonly Documented[]
  readonly related: readonly RelatedStep[]
  /** Where rows of the page hold the number of their part; null: there is one. */
  readonly partAt: number | null
  /** Where they hold the values they are sorted by (null: nowhere) and what was counted. */
  readonly sortedAt: number | null
  readonly countedAt: number
}

/** A step whose rows are shown beside those of the page, by the name that they are asked for. */
interface RelatedStep {
  readonly step: number
  readonly name: string
}

interface PartPlan {
  readonly scope: ListScope
  readonly includes: readonly IncludePlan[]
}

export interface IncludePlan {
  readonly include: ResolvedInclude
  /** Its step in the batch; -1: a zone has none of its own. */
  readonly step: number
  readonly found: Found
  readonly includes: readonly IncludePlan[]
  /** Of a list that is walked by positions: where rows hold the values they are sorted by, then `CUT`. */
  readonly keys: readonly OrderKey[]
  readonly sortedAt: number
}

/** What the rows of an include are. */
type Found =
  | { readonly kind: 'entries'; readonly type: ContentType }
  | { readonly kind: 'ids'; readonly of: 'entries' | 'files' }
  | { readonly kind: 'files' }
  | { readonly kind: 'parts'; readonly component: Component }
  /** In steps of their own, one for each component. */
  | { readonly kind: 'zone'; readonly members: readonly IncludePlan[] }

/** A plan that steps are added to. */
interface Making extends Planning {
  readonly detail: Detail
  readonly pieces: Piece[]
  readonly documented: Documented[]
  readonly related: RelatedStep[]
  mayScan: boolean
}

/** The page is the first step; what belongs to it follows, each fed by a step before. */
export function makePlan(to: Planning, query: ResolvedQuery): Plan {
  to.countPlan()
  const { parts, state, walk, detail } = query
  const page = compilePage(to.compiling(state), query)
  const { keys, mayScan } = page
  const making: Making = {
    ...{ ...to, detail, pieces: [page.rows], mayScan, documented: [], related: [] },
  }
  const [first] = parts
  const width = first ? columnsOf(first.scope, detail).length : 0
  const partAt = parts.length === 1 ? null : width
  const sorted = walk.hasPositions && partAt === null ? keys.length : 0
  const countedBy = page.isCountedApart ? making.pieces.push(page.aside) - 1 : null
  const plans = parts.map((part, at) => planPart(making, part, query, partAt, at))
  return {
    asking: toAsking(to, making.pieces, making.mayScan, countedBy === null ? [] : [countedBy]),
    aside: toAsking(to, [page.aside], mayScan),
    countedBy,
    ...{ keys, walk, parts: plans, documented: making.documented, partAt },
    related: making.related,
    sortedAt: sorted === 0 ? null : width,
    countedAt: width + sorted + (partAt === null ? 0 : 1),
  }
}

const UNSORTED = { keys: [], sortedAt: 0 } as const

/** What belongs to entries of a type is fed by their rows alone. */
function planPart(
  to: Making,
  { scope, include }: ResolvedPart,
  { state, walk }: ResolvedQuery,
  partAt: number | null,
  at: number,
): PartPlan {
  if (scope.kind === 'file') return { scope, includes: [] }
  const only = partAt === null ? undefined : { column: partAt, value: at }
  to.documented.push(documentsOf(scope.type, 0, 0, only))
  const copies = new StepList(0, columnIndexOf('copy_no'), {
    first: walk.limit,
    ...(only && { only }),
  })
  const level = { holder: scope.type, component: null, copies, parts: null }
  return { scope, includes: planIncludes(to, level, include, state) }
}

function planIncludes(
  to: Making,
  level: Level,
  includes: readonly ResolvedInclude[],
  state: CopyState,
): readonly IncludePlan[] {
  return includes.map((include) => planInclude(to, level, include, include.state ?? state))
}

function planInclude(
  to: Making,
  level: Level,
  include: ResolvedInclude,
  state: CopyState,
): IncludePlan {
  const { step } = include
  if (step.kind === 'component') return planParts(to, level, include, step, state)
  if (step.kind === 'zone') return planZone(to, level, include, step, state)
  const compiling = to.compiling(state)
  const target = step.kind === 'relation' ? step.target : step.kind === 'media' ? null : step.type
  const source = sourceOf(target, include, to.detail)
  const { rows, keys } = includeStatement(compiling, level, include, source)
  // Bare ids are what some dialects owe of every entry, and they are small.
  const isShown = include.depth !== 'ids'
  const own = to.pieces.push(isShown ? upToMost(rows, to.mostRelated) : rows) - 1
  if (isShown) to.related.push({ step: own, name: include.name })
  to.mayScan ||= compiling.mayScan
  const sorted = { keys, sortedAt: OWNED.rest + source.columns.length }
  if (include.depth === 'ids') {
    const found = { kind: 'ids', of: target ? 'entries' : 'files' } as const
    return { include, step: own, found, includes: [], ...sorted }
  }
  if (!target) return { include, step: own, found: { kind: 'files' }, includes: [], ...sorted }
  to.documented.push(documentsOf(target, own, OWNED.rest))
  const copies = new StepList(own, OWNED.rest + columnIndexOf('copy_no'))
  const inner = { holder: target, component: null, copies, parts: null }
  const includes = planIncludes(to, inner, include.include, state)
  return { include, step: own, found: { kind: 'entries', type: target }, includes, ...sorted }
}

function sourceOf(target: ContentType | null, { depth }: ResolvedInclude, detail: Detail) {
  if (!target) return FILE_SOURCE
  if (depth === 'entries') {
    const source = (key: Sql) => entrySource(target, key, detail)
    return { key: 'copy_no', columns: entryColumns(detail), source }
  }
  return {
    key: 'copy_no',
    columns: [sql`d.id`, sql`d.document_id`],
    source: (key: Sql) => sql`join ${sql.table(target.table)} as d on d.copy_no = ${key}`,
  }
}

/** Components of the level's parents with what they include themselves. */
function planParts(
  to: Making,
  level: Level,
  include: ResolvedInclude,
  step: PartStep,
  state: CopyState,
): IncludePlan {
  const { component } = step
  const compiling = to.compiling(state)
  const own = to.pieces.push(partStatement(compiling, level, include, step)) - 1
  to.mayScan ||= compiling.mayScan
  const places = { keyAt: PART.partNo, shapeAt: PART.shape, docAt: PART.doc }
  to.documented.push({ step: own, set: component, key: 'part_no', ...places })
  const inner = {
    holder: level.holder,
    component,
    copies: new StepList(own, PART.owner),
    parts: new StepList(own, PART.partId),
  }
  const includes = planIncludes(to, inner, include.include, state)
  return { include, step: own, found: { kind: 'parts', component }, includes, ...UNSORTED }
}

/** The statements of its components are as those of so many repeatable ones. */
function planZone(
  to: Making,
  level: Level,
  include: ResolvedInclude,
  { attribute, members }: ZoneStep,
  state: CopyState,
): IncludePlan {
  const plans = members.map(({ component, include: inner }) =>
    planParts(to, level, { ...include, include: inner }, { attribute, component }, state),
  )
  const found = { kind: 'zone', members: plans } as const
  return { include, step: -1, found, includes: [], ...UNSORTED }
}

/** `at`: where the columns of the entries begin in the rows of the step. */
function documentsOf(set: ContentType, step: number, at: number, only?: RowsWith): Documented {
  const places = {
    keyAt: at + columnIndexOf('copy_no'),
    shapeAt: at + columnIndexOf('shape'),
    docAt: at + columnIndexOf('doc'),
  }
  return { step, set, key: 'copy_no', ...places, ...(only && { only }) }
}

/** `kept`: the steps that are the same for every question. */
export function toAsking(
  to: Planning,
  pieces: readonly Piece[],
  mayScan: boolean,
  kept: readonly number[] = [],
): Asking {
  const compiled = pieces.map(to.toText)
  const steps = compiled.map(({ sql: text, parameters }, at) => ({
    ...{ sql: text, fed: fedOf(parameters) },
    ...(kept.includes(at) && { isKept: true as const }),
  }))
  const parameters = compiled.map(({ parameters: own }) => own)
  return { batch: { steps }, parameters, mayScan, isSlow: false }
}

/** Of the text of its statements, about. */
export function sizeOf({ asking }: Pick<Plan, 'asking'>): number {
  return 2 * asking.batch.steps.reduce((sum, { sql: text }) => sum + text.length, 0)
}

function fedOf(parameters: readonly unknown[]): readonly Fed[] {
  return parameters.flatMap((parameter, at) =>
    parameter instanceof StepList ? [parameter.fed(at)] : [],
  )
}

/** One more than may be shown is read, which tells that there are too many. */
function upToMost(rows: Piece, most: number): Piece {
  return Number.isFinite(most) ? sql`${rows} limit ${sql.lit(most + 1)}` : rows
}
