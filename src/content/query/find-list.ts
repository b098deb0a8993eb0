import { type Cells, type Database, rowsWith } from '#kernel'
import type { Entry } from '../entry.ts'
import type { ContentModel } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import { type ListPlan, makeListPlan } from './list-plan.ts'
import type { EntryList, ListQuery } from './list-query.ts'
import { wholeAt } from './load/cells.ts'
import { renewDocuments } from './load/current.ts'
import { type Loaded, toEntries } from './load/load.ts'
import { createPlanning } from './planning.ts'
import { createPlans } from './plans.ts'
import { resolveList } from './resolve-list.ts'
import type { ResolvedList } from './resolved.ts'
import { createRunner } from './run.ts'
import { createShaping } from './shape.ts'
import type { ShapedList } from './shaped.ts'
import { LISTED } from './sql/list.ts'
import { isNever } from './sql/never.ts'

interface Deps {
  readonly db: Pick<Database, 'main' | 'dialect'>
  model(): ContentModel
}

/** Lists over several types. */
export function createFindList({ db, model }: Deps) {
  const { dialect } = db
  const runner = createRunner(db.main)
  const { shapeList } = createShaping()
  const { planFor } = createPlans((snapshot: ContentModel, list: ShapedList) =>
    makeListPlan(createPlanning({ ...runner, dialect }, snapshot, list.locale), list),
  )
  return findList

  async function findList(viewer: Viewer, query: ListQuery): Promise<EntryList> {
    const snapshot = model()
    const list = withoutNever(resolveList(snapshot, viewer, query))
    if (list.queries.length === 0) return { entries: [], total: 0 }
    const shape = shapeList(list, query)
    const plan = planFor(snapshot, shape)
    if (query.limit > 0) return readList(plan, shape.values)
    return { entries: [], total: await countAll(plan, shape.values) }
  }

  async function readList(plan: ListPlan, values: readonly unknown[]): Promise<EntryList> {
    const rows = await runner.runPlanned(plan.asking, values)
    const renewed = await renewDocuments({ ...runner, dialect }, plan.documented, rows)
    const [first] = rows[0] ?? []
    return {
      entries: listedEntries(plan, { rows, values, renewed }),
      total: first ? wholeAt(first, LISTED.total) : await countAll(plan, values),
    }
  }

  async function countAll({ counting }: ListPlan, values: readonly unknown[]): Promise<number> {
    const [rows] = await runner.runPlanned(counting, values)
    return Number(rows?.[0]?.[0] ?? 0)
  }
}

/** The sort stays as it is: types that are not asked change no order. */
function withoutNever({ queries, sort, locale }: ResolvedList): ResolvedList {
  const isAsked = queries.map(({ condition, locales }) => {
    const isEmpty = locales?.length === 0
    return !isEmpty && !(condition && isNever(condition))
  })
  return {
    queries: queries.filter((_, at) => isAsked[at]),
    sort: sort.map((columns) => columns.filter((_, at) => isAsked[at])),
    locale,
  }
}

/** Made type by type, shown in the order of the page. */
function listedEntries({ types }: ListPlan, loaded: Loaded): readonly Entry[] {
  const found = loaded.rows[0] ?? []
  const entries = new Map<Cells, Entry>()
  types.forEach(({ type, includes }, at) => {
    const own = rowsWith(found, { column: LISTED.type, value: at })
    if (own.length === 0) return
    toEntries(loaded, type, own, 0, includes).forEach((entry, n) => {
      const row = own[n]
      if (row) entries.set(row, entry)
    })
  })
  return found.flatMap((row) => entries.get(row) ?? [])
}
