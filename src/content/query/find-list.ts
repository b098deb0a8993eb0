import { type Cells, type Database, rowsWith } from '#kernel'
import type { Entry } from '../entry.ts'
import type { ContentModel } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import { type ListPlan, makeListPlan } from './list-plan.ts'
import type { EntryList, ListQuery } from './list-query.ts'
import { wholeAt } from './load/cells.ts'
import { isCurrent, NONE_RENEWED, renewDocuments } from './load/current.ts'
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
import { type ListText, toListTelling } from './text.ts'

interface Deps {
  readonly db: Pick<Database, 'main' | 'dialect'>
  model(): ContentModel
  countPlan(): void
}

/** Lists over several types. */
export function createFindList({ db, model, countPlan }: Deps) {
  const { dialect } = db
  const runner = createRunner(db.main)
  const { shapeList } = createShaping()
  const { planFor } = createPlans((snapshot: ContentModel, list: ShapedList) =>
    makeListPlan(createPlanning({ ...runner, dialect, countPlan }, snapshot, list.locale), list),
  )
  const prepared = new WeakMap<ListQuery, Known>()
  return findList

  async function findList(viewer: Viewer, query: ListQuery, text?: ListText): Promise<EntryList> {
    const { asked } = askedBefore(viewer, query) ?? ask(viewer, query)
    if (!asked) return { entries: [], text: null, total: 0 }
    const { plan, values } = asked
    if (query.limit > 0) return readList(plan, values, text)
    return { entries: [], text: null, total: await countAll(plan, values) }
  }

  /** Dialects keep queries that are asked again and never change one. */
  function askedBefore({ level }: Viewer, query: ListQuery): Known | undefined {
    const known = prepared.get(query)
    return known?.model === model() && known.level === level ? known : undefined
  }

  function ask(viewer: Viewer, query: ListQuery): Known {
    const snapshot = model()
    const list = withoutNever(resolveList(snapshot, viewer, query))
    const shape = list.queries.length === 0 ? null : shapeList(list, query)
    const asked = shape && { plan: planFor(snapshot, shape), values: shape.values }
    const known = { model: snapshot, level: viewer.level, asked }
    prepared.set(query, known)
    return known
  }

  async function readList(
    plan: ListPlan,
    values: readonly unknown[],
    text: ListText | undefined,
  ): Promise<EntryList> {
    const told = text
      ? await runner.runTold(plan, text, () => toListTelling(plan, text), values)
      : await runner.runPlanned(plan.asking, values)
    if (told.text && told.text.count > 0) {
      return { entries: [], text: told.text.text, total: wholeAt(told.text.besides, 0) }
    }
    const { rows } = told
    const renewed = isCurrent(plan.documented, rows)
      ? NONE_RENEWED
      : await renewDocuments({ ...runner, dialect }, plan.documented, rows)
    const [first] = rows[0] ?? []
    return {
      entries: listedEntries(plan, { rows, values, renewed }),
      text: null,
      total: first ? wholeAt(first, LISTED.total) : await countAll(plan, values),
    }
  }

  async function countAll({ counting }: ListPlan, values: readonly unknown[]): Promise<number> {
    const { rows } = await runner.runPlanned(counting, values)
    return Number(rows[0]?.[0]?.[0] ?? 0)
  }
}

/** For whom and under which model a query was resolved; `asked` null: it has no entries. */
interface Known {
  readonly model: ContentModel
  readonly level: Viewer['level']
  readonly asked: { readonly plan: ListPlan; readonly values: readonly unknown[] } | null
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
