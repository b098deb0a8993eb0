import { type Batch, createLru, type Fed, placesIn, type RowsWith, type Telling } from '#kernel'
import type { Component, ContentType } from '../model.ts'
import type { CopyState } from './ast.ts'
import { type Piece, type Sql, sql } from './fragment.ts'
import type { Documented } from './load/current.ts'
import {
  entryColumns,
  entrySource,
  type Looked,
  lookedAt,
  type Needed,
  placeOf,
} from './load/entry-row.ts'
import { FILE_SOURCE } from './load/files.ts'
import { PART, partStatement } from './load/parts.ts'
import { includeStatement, type Level, OWNED } from './load/statement.ts'
import type { Planning } from './planning.ts'
import type { ResolvedInclude, ResolvedQuery, Walk } from './resolved.ts'
import { type Slot, StepList } from './slot.ts'
import type { Compiling } from './sql/context.ts'
import { compilePage, type PageStatement } from './sql/page.ts'

/** A batch and, for each step, what is bound in it: constants, slots and lists of steps before. */
export interface Asking {
  readonly batch: Batch
  readonly parameters: readonly (readonly unknown[])[]
  readonly mayScan: boolean
  /** It was slow the last time. */
  isSlow: boolean
}

/** Asked so that its rows are told as text; null: they cannot be. */
interface ToldAsking {
  readonly asking: Asking | null
  /** Until then it is not tried: rows did not hold what they must. */
  restsUntilMs: number
}

/** What can be asked as it is, or so that its rows are told as text. */
export interface Tellable {
  readonly asking: Asking
  /** How many rows of the first step are shown. */
  readonly limit: Slot
  /** The same, told as text. */
  readonly texts: WeakMap<object, ToldAsking>
  /** The same for whoever looks at no other places of its rows; compiled once for the same places. */
  narrowed(needed: Needed): Asking
}

/** Of a plan: choices of members that are shown. */
const NARROWED_KEPT = 20

/** How a plan is asked for its rows as text. */
export function createTelling(limit: Slot, narrow: (needed: Needed) => Asking) {
  const known = createLru<string, Asking>(NARROWED_KEPT)
  return { limit, texts: new WeakMap<object, ToldAsking>(), narrowed }

  function narrowed(needed: Needed): Asking {
    const key = keyOfPlaces(needed)
    return known.find(key) ?? known.keep(key, narrow(needed))
  }
}

function keyOfPlaces(needed: Needed): string {
  const steps = [...needed].map(([step, places]) => [step, ...[...places].sort(byNumber)])
  return JSON.stringify(steps.sort(([one = 0], [other = 0]) => one - other))
}

function byNumber(one: number, other: number): number {
  return one - other
}

/** All statements of one shape of query, and how their rows become entries. */
export interface Plan extends Tellable, Pick<PageStatement, 'keys'> {
  readonly type: ContentType
  readonly walk: Walk
  /** What is counted beside the page, for when it has no row to carry it. */
  readonly aside: Asking
  readonly includes: readonly IncludePlan[]
  readonly documented: readonly Documented[]
  /** Where rows of the page hold the values they are sorted by (null: nowhere) and what was counted. */
  readonly sortedAt: number | null
  readonly countedAt: number
}

export interface IncludePlan {
  readonly include: ResolvedInclude
  /** Its step in the batch. */
  readonly step: number
  readonly found: Found
  readonly includes: readonly IncludePlan[]
}

/** What the rows of an include are. */
type Found =
  | { readonly kind: 'entries'; readonly type: ContentType }
  | { readonly kind: 'ids'; readonly of: 'entries' | 'files' }
  | { readonly kind: 'files' }
  | { readonly kind: 'parts'; readonly component: Component }

/** A plan that steps are added to. */
export interface Making extends Planning {
  readonly brief: boolean
  readonly needed: Needed | null
  readonly pieces: Piece[]
  /** Steps whose rows belong to one entry each. */
  readonly owned: Set<number>
  readonly documented: Documented[]
  mayScan: boolean
}

/**
 * The page is the first step; what belongs to it follows, each fed by a step before. With `isApart` the
 * entries themselves are what belongs to its keys, in a step behind all others.
 */
export function makePlan(
  to: Planning,
  query: ResolvedQuery,
  needed: Needed | null = null,
  isApart = false,
): Plan {
  to.countPlan()
  const { type, state, walk, brief } = query
  const looked = isApart ? 'keys' : lookedAt(needed, 0, 0)
  const page = compilePage(to.compiling(state), query, looked)
  const { keys, mayScan } = page
  const making: Making = {
    ...to,
    brief,
    needed,
    pieces: [page.rows],
    mayScan,
    owned: new Set(),
    documented: [],
  }
  making.documented.push(documentsOf(type, 0, 0))
  const copies = new StepList(0, placeOf('copy_no'), { first: walk.limit })
  const level = { holder: type, component: null, copies, parts: null }
  const includes = planIncludes(making, level, query.include, state)
  const { documented, pieces } = making
  const steps = pieces.length
  if (isApart) {
    const of = lookedAt(needed, steps, OWNED.rest)
    making.owned.add(pieces.push(entriesByCopy(to.compiling(state), query, copies, of)) - 1)
  }
  const asking = toAsking(to, pieces, making.mayScan, making.owned)
  const aside = toAsking(to, [page.aside], mayScan)
  const width = entryColumns(brief).length
  return {
    ...{ type, walk, keys, asking, aside, includes, documented },
    ...createTelling(walk.limit, (only) => makePlan(to, query, only, only.has(steps)).asking),
    sortedAt: brief ? null : width,
    countedAt: brief ? width : width + keys.length,
  }
}

function entriesByCopy(
  { dialect }: Pick<Compiling, 'dialect'>,
  { type, brief }: ResolvedQuery,
  copies: StepList,
  looked: Looked | null,
): Piece {
  const columns = sql.join([
    sql`d.copy_no as owner, 0 as part, 0 as total, 0 as n`,
    ...entryColumns(brief, looked),
  ])
  const own = dialect.isOneOf(sql.ref('d.copy_no'), sql.val(copies), 'integer')
  const entries = brief ? sql`` : sql` join content_entries as e on e.no = d.entry_no`
  return sql`select ${columns} from ${sql.table(type.table)} as d${entries} where ${own}`
}

export function planIncludes(
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
  if (step.kind === 'component') return planParts(to, level, include, state)
  const compiling = to.compiling(state)
  const target = step.kind === 'relation' ? step.target : step.kind === 'media' ? null : step.type
  const looked = lookedAt(to.needed, to.pieces.length, OWNED.rest)
  const source = sourceOf(target, include, to.brief, looked)
  const own = to.pieces.push(includeStatement(compiling, level, include, source)) - 1
  if (!level.parts) to.owned.add(own)
  to.mayScan ||= compiling.mayScan
  if (include.depth === 'ids') {
    const found = { kind: 'ids', of: target ? 'entries' : 'files' } as const
    return { include, step: own, found, includes: [] }
  }
  if (!target) return { include, step: own, found: { kind: 'files' }, includes: [] }
  to.documented.push(documentsOf(target, own, OWNED.rest))
  const copies = new StepList(own, OWNED.rest + placeOf('copy_no'))
  const inner = { holder: target, component: null, copies, parts: null }
  const includes = planIncludes(to, inner, include.include, state)
  return { include, step: own, found: { kind: 'entries', type: target }, includes }
}

function sourceOf(
  target: ContentType | null,
  { depth }: ResolvedInclude,
  brief: boolean,
  looked: Looked | null,
) {
  if (!target) return FILE_SOURCE
  if (depth === 'entries') {
    const source = (key: Sql) => entrySource(target, key, brief)
    return { key: 'copy_no', columns: entryColumns(brief, looked), source }
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
  state: CopyState,
): IncludePlan {
  const { step } = include
  if (step.kind !== 'component') throw new Error('the include is no component')
  const { attribute, component } = step
  const { dialect } = to.compiling(state)
  const own = to.pieces.push(partStatement(dialect, level, attribute, component)) - 1
  const places = { keyAt: PART.partNo, shapeAt: PART.shape, docAt: PART.doc }
  to.documented.push({ step: own, set: component, key: 'part_no', ...places })
  const inner = {
    holder: level.holder,
    component,
    copies: new StepList(own, PART.owner),
    parts: new StepList(own, PART.partId),
  }
  const includes = planIncludes(to, inner, include.include, state)
  return { include, step: own, found: { kind: 'parts', component }, includes }
}

/** `at`: where the columns of the entries begin in the rows of the step. */
export function documentsOf(
  set: ContentType,
  step: number,
  at: number,
  only?: RowsWith,
): Documented {
  const places = {
    keyAt: at + placeOf('copy_no'),
    shapeAt: at + placeOf('shape'),
    docAt: at + placeOf('doc'),
  }
  return { step, set, key: 'copy_no', ...places, ...(only && { only }) }
}

export function toAsking(
  to: Planning,
  pieces: readonly Piece[],
  mayScan: boolean,
  owned: ReadonlySet<number> = new Set(),
): Asking {
  const compiled = pieces.map(to.toText)
  const steps = compiled.map(({ sql: text, parameters }, at) => {
    const step = { sql: text, fed: fedOf(parameters) }
    return owned.has(at) ? { ...step, owner: OWNED.owner } : step
  })
  const parameters = compiled.map(({ parameters: own }) => own)
  return { batch: { steps }, parameters, mayScan, isSlow: false }
}

/** How to ask for rows told as text. */
export function askingAs(
  { limit, texts, narrowed }: Tellable,
  text: object,
  toTelling: () => Telling | null,
): ToldAsking {
  const known = texts.get(text)
  if (known) return known
  const telling = toTelling()
  const asking = telling && toldAsking(narrowed(placesIn(telling)), telling, limit)
  const told = { asking, restsUntilMs: 0 }
  texts.set(text, told)
  return told
}

function toldAsking({ batch, parameters, ...rest }: Asking, telling: Telling, limit: Slot) {
  return { ...rest, batch: { ...batch, telling }, parameters: [...parameters, [limit]] }
}

/** Of the text of its statements, about: those told as text come with it. */
export function sizeOf(plan: Tellable): number {
  const chars = plan.asking.batch.steps.reduce((sum, { sql: text }) => sum + text.length, 0)
  return 4 * chars
}

function fedOf(parameters: readonly unknown[]): readonly Fed[] {
  return parameters.flatMap((parameter, at) =>
    parameter instanceof StepList ? [parameter.fed(at)] : [],
  )
}
