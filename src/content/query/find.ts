import type { Cells, Database, Told } from '#kernel'
import type { EntryTarget } from '../entries/ports.ts'
import type { Entry, EntryPage } from '../entry.ts'
import type { ContentModel } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import type { ContentQuery, LocaleChoice, PageChoice, Scalar } from './ast.ts'
import { isCurrent, NONE_RENEWED, renewDocuments } from './load/current.ts'
import { toEntries } from './load/load.ts'
import { makePlan, type Plan } from './plan.ts'
import { createPlanning } from './planning.ts'
import { createPlans } from './plans.ts'
import { resolve } from './resolve.ts'
import type { ResolvedQuery } from './resolved.ts'
import { createRunner } from './run.ts'
import { createShaping } from './shape.ts'
import type { ShapedQuery } from './shaped.ts'
import { type PageText, toTelling } from './text.ts'

interface Deps {
  readonly db: Pick<Database, 'main' | 'dialect'>
  model(): ContentModel
  countPlan(): void
}

export type OneQuery = Omit<ContentQuery, 'page' | 'sort' | 'search'>

/** Everything that reads entries, for whatever dialect. */
export function createFind({ db, model, countPlan }: Deps) {
  const { dialect } = db
  const runner = createRunner(db.main)
  const { shapeOf } = createShaping()
  const { planFor } = createPlans((snapshot: ContentModel, query: ShapedQuery) =>
    makePlan(createPlanning({ ...runner, dialect, countPlan }, snapshot), query),
  )
  const prepared = new WeakMap<ContentQuery, PreparedQuery>()
  return { find, findOne }

  async function find(viewer: Viewer, query: ContentQuery, text?: PageText): Promise<EntryPage> {
    const asked = askedBefore(viewer, query) ?? ask(viewer, query)
    return readPage(asked, query.page, text)
  }

  /** Dialects keep queries that are asked again and never change one. */
  function askedBefore({ level }: Viewer, query: ContentQuery): PreparedQuery | undefined {
    const known = prepared.get(query)
    return known?.model === model() && known.level === level ? known : undefined
  }

  function ask(viewer: Viewer, query: ContentQuery): PreparedQuery {
    const snapshot = model()
    const asked = planned(snapshot, resolve(snapshot, viewer, query), query.page)
    const known = { ...asked, model: snapshot, level: viewer.level }
    prepared.set(query, known)
    return known
  }

  function planned(snapshot: ContentModel, query: ResolvedQuery, page: PageChoice): Asked {
    const shape = shapeOf(query, page)
    return { plan: planFor(snapshot, shape), values: shape.values }
  }

  /** Undefined when it does not exist for this viewer. */
  async function findOne(
    viewer: Viewer,
    query: OneQuery,
    target: EntryTarget,
  ): Promise<Entry | undefined> {
    const snapshot = model()
    const locale = localeFor(query.locale, target)
    const page: PageChoice = { kind: 'offset', start: 0, limit: 1, count: false }
    const asked = resolve(snapshot, viewer, { ...query, locale, search: '', sort: [], page })
    const only =
      'id' in target
        ? ({ column: 'id', value: target.id } as const)
        : ({ column: 'document_id', value: target.documentId } as const)
    const { entries } = await readPage(planned(snapshot, { ...asked, only }, page), page)
    return entries[0]
  }

  async function readPage(asked: Asked, page: PageChoice, text?: PageText): Promise<EntryPage> {
    const { plan, values } = asked
    const told = text
      ? await runner.runTold(plan, text, () => toTelling(plan, text, dialect.keepsOwned), values)
      : await runner.runPlanned(plan.asking, values)
    if (!told.text) return entryPage(asked, page, told.rows)
    const { count, besides } = told.text
    const counted = count > 0 ? besides : await countAside(asked, page)
    return textPage(plan, page, told.text, besideOf(page, counted))
  }

  async function entryPage(asked: Asked, page: PageChoice, rows: Told['rows']): Promise<EntryPage> {
    const { plan, values } = asked
    const renewed = isCurrent(plan.documented, rows)
      ? NONE_RENEWED
      : await renewDocuments({ run: runner.run, dialect }, plan.documented, rows)
    const found = rows[0] ?? []
    const shown = found.slice(0, page.limit)
    if (plan.backwards) shown.reverse()
    const entries = toEntries({ rows, values, renewed }, plan.type, shown, 0, plan.includes)
    const counted = found[0]?.slice(plan.countedAt) ?? (await countAside(asked, page))
    const { total, isBehind } = besideOf(page, counted)
    return {
      entries,
      ...{ text: null, related: '', total },
      ...neighbours(plan, found.length > page.limit, isBehind),
      positionOf: (entry) => toPosition(plan, shown[entries.indexOf(entry)]),
    }
  }

  /** Comes with the rows; a page without any, past the end, asks once more. Null: there are none at all. */
  async function countAside({ plan, values }: Asked, page: PageChoice): Promise<Cells | null> {
    if (isFirst(page)) return null
    if (!isCounted(page) && page.kind === 'offset') return []
    const { rows } = await runner.runPlanned(plan.aside, values)
    return rows[0]?.[0] ?? []
  }
}

function textPage(
  plan: Plan,
  page: PageChoice,
  { text, others: related, count }: NonNullable<Told['text']>,
  { total, isBehind }: Beside,
): EntryPage {
  const around = neighbours(plan, count > page.limit, isBehind)
  return { entries: [], text, related, total, ...around, positionOf: refusePosition }
}

function besideOf(page: PageChoice, cells: Cells | null): Beside {
  const counts = isCounted(page)
  if (!cells) return { total: counts ? 0 : null, isBehind: false }
  const total = counts ? Number(cells[0] ?? 0) : null
  const isStart = isFirst(page)
  const isBehind = page.kind === 'offset' ? !isStart && total !== 0 : cells[counts ? 1 : 0] === 1
  return { total, isBehind }
}

function isCounted(page: PageChoice): boolean {
  return page.kind !== 'keyset' && page.count
}

interface Asked {
  readonly plan: Plan
  readonly values: readonly unknown[]
}

/** For whom and under which model a query was resolved. */
interface PreparedQuery extends Asked {
  readonly model: ContentModel
  readonly level: Viewer['level']
}

interface Beside {
  readonly total: number | null
  readonly isBehind: boolean
}

/** An id already names a variant; a document is shown in the locale of the target, if it has one. */
function localeFor(asked: LocaleChoice, target: EntryTarget): LocaleChoice {
  if ('id' in target) return { kind: 'all' }
  if (target.locale === null) return asked
  const fallback = asked.kind === 'one' ? asked.fallback : []
  return { kind: 'one', code: target.locale, fallback }
}

function refusePosition(): never {
  throw new Error('a page told as text has no entries')
}

function isFirst(page: PageChoice): boolean {
  if (page.kind === 'offset') return page.start === 0
  if (page.kind === 'cursor') return page.position === null
  return page.after === null && page.before === null
}

function neighbours({ backwards }: Plan, goesOn: boolean, isBehind: boolean) {
  return backwards
    ? { hasMore: isBehind, hasPrevious: goesOn }
    : { hasMore: goesOn, hasPrevious: isBehind }
}

/** One value for each sort key, the id last; of text the text itself, whose fold follows from it. */
function toPosition({ keys, sortedAt }: Plan, row: Cells | undefined): readonly Scalar[] {
  if (!row || sortedAt === null) throw new Error('the page has no position of this entry')
  const values: Scalar[] = []
  keys.forEach((key, at) => {
    if (!key.isFold) values[key.part] = toScalar(row[sortedAt + at])
  })
  return values
}

function toScalar(cell: Cells[number] | undefined): Scalar {
  return typeof cell === 'string' || typeof cell === 'number' ? cell : null
}
