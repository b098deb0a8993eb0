import { type Cells, createRecent, type Database } from '#kernel'
import type { Entry } from '../entry.ts'
import type { ContentModel } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import { LISTED, type ListPlan, makeListPlan } from './list-plan.ts'
import type { EntryList, ListQuery } from './list-query.ts'
import { renewDocuments } from './load/current.ts'
import { toEntries } from './load/load.ts'
import type { Planning } from './plan.ts'
import { type ListPage, type ResolvedList, resolveList } from './resolve-list.ts'
import { createRunner } from './run.ts'
import { createShaping } from './shape.ts'
import type { ListShape } from './shaped.ts'
import { createCompiling } from './sql/context.ts'
import { isNever } from './sql/never.ts'

interface Deps {
  readonly db: Pick<Database, 'main' | 'dialect'>
  model(): ContentModel
}

const PLANS_KEPT = 200

/** Lists over several types. */
export function createFindList({ db, model }: Deps) {
  const { dialect } = db
  const runner = createRunner(db.main)
  const { ofList } = createShaping()
  const recent = createRecent<string, ListPlan>(PLANS_KEPT)
  let of: ContentModel | undefined
  return findList

  async function findList(viewer: Viewer, query: ListQuery): Promise<EntryList> {
    const snapshot = model()
    const list = withoutNever(resolveList(snapshot, viewer, query))
    if (list.queries.length === 0) return { entries: [], total: 0 }
    return readList(snapshot, list, query)
  }

  async function readList(
    snapshot: ContentModel,
    list: ResolvedList,
    { start, limit }: ListPage,
  ): Promise<EntryList> {
    const shape = ofList(list, { start, limit })
    const { values } = shape
    const plan = planFor(snapshot, shape)
    const rows = limit > 0 ? await runner.runPlanned(plan.asking, values) : []
    const renewed = await renewDocuments({ ...runner, dialect }, plan.documented, rows)
    const found = rows[0] ?? []
    const entries = wholeEntries(plan, { rows, values, renewed }, found)
    const total = found[0] ? found[0][LISTED.total] : await askTotal(plan, values)
    return { entries, total: Number(total ?? 0) }
  }

  /** Under another model the same shape may mean other statements. */
  function planFor(snapshot: ContentModel, { key, list }: ListShape): ListPlan {
    if (of !== snapshot) recent.clear()
    of = snapshot
    return recent.find(key) ?? recent.keep(key, makeListPlan(planningFor(snapshot, list), list))
  }

  function planningFor({ defaultLocale }: ContentModel, { locale }: ListShape['list']): Planning {
    return {
      compiling: (state) => createCompiling({ dialect, state, defaultLocale, locale }),
      toText: runner.toText,
    }
  }

  async function askTotal({ total }: ListPlan, values: readonly unknown[]) {
    const [rows] = await runner.runPlanned(total, values)
    return rows?.[0]?.[0]
  }
}

/** Types that are not asked change no order. */
function withoutNever({ queries, sort, locale }: ResolvedList): ResolvedList {
  const isAsked = queries.map(({ condition, locales }) => {
    const isEmpty = locales?.length === 0
    return !isEmpty && !(condition && isNever(condition))
  })
  return {
    locale,
    queries: queries.filter((_, at) => isAsked[at]),
    sort: sort.map((columns) => columns.filter((_, at) => isAsked[at])),
  }
}

/** Each type's entries with their includes; then all in the order of the page. */
function wholeEntries(
  { types }: ListPlan,
  loaded: Parameters<typeof toEntries>[0],
  found: readonly Cells[],
): readonly Entry[] {
  const entries = new Map<Cells, Entry>()
  types.forEach(({ type, includes }, at) => {
    const own = found.filter((row) => row[LISTED.type] === at)
    const read = toEntries(loaded, type, own, 0, includes)
    own.forEach((row, n) => {
      const entry = read[n]
      if (entry) entries.set(row, entry)
    })
  })
  return found.flatMap((row) => entries.get(row) ?? [])
}
