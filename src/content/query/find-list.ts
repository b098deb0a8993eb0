import { type Cells, type Database, rowsWith } from '#kernel'
import type { Entry } from '../entry.ts'
import type { ContentModel } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import { type ListPlan, makeListPlan } from './list-plan.ts'
import type { EntryList, ListQuery } from './list-query.ts'
import { wholeAt } from './load/cells.ts'
import { isCurrent, NONE_RENEWED, renewDocuments } from './load/current.ts'
import { type Loaded, toEntries } from './load/load.ts'
import { sizeOf } from './plan.ts'
import { createPlanning } from './planning.ts'
import { resolveList } from './resolve-list.ts'
import type { ResolvedList } from './resolved.ts'
import { createRunner } from './run.ts'
import type { Values } from './slot.ts'
import { LISTED } from './sql/list.ts'
import { isNever } from './sql/never.ts'
import { createTemplates, type Prepared, type Question } from './templates.ts'

interface Deps {
  readonly db: Pick<Database, 'main' | 'dialect'>
  model(): ContentModel
  countPlan(): void
}

/** What is read of a template of lists. */
export interface ListRead {
  readonly query: ListQuery
}

/** Null: it has no entries. */
type MaybePlan = { readonly list: ListPlan; readonly isCounted: boolean } | null

/** A question of a list that is ready to be asked. */
export type PreparedList<Read extends ListRead = ListRead> = Prepared<Read, MaybePlan>

/** Prepares the lists of one kind; refuses what is wrong with them. */
export type ListTemplates<Read extends ListRead> = (
  viewer: Viewer,
  question: Question<Read>,
) => PreparedList<Read>

/** Lists over several types. */
export function createFindList({ db, model, countPlan }: Deps) {
  const { dialect } = db
  const runner = createRunner(db.main)
  return { listTemplates, readList }

  function listTemplates<Read extends ListRead = ListRead>(): ListTemplates<Read> {
    return createTemplates<Read, ListRead, MaybePlan>({
      model,
      make,
      sizeOf: (plan) => (plan ? sizeOf(plan.list) : 0),
    })
  }

  function make(viewer: Viewer, { query }: ListRead): MaybePlan {
    const snapshot = model()
    const list = withoutNever(resolveList(snapshot, viewer, query))
    if (list.queries.length === 0) return null
    const planning = createPlanning({ ...runner, dialect, countPlan }, snapshot, list.locale)
    const isCounted = list.limit.look((limit) => limit <= 0)
    return { list: makeListPlan(planning, list), isCounted }
  }

  async function readList({ plan, values }: PreparedList): Promise<EntryList> {
    if (!plan) return { entries: [], total: 0 }
    if (!plan.isCounted) return readRows(plan.list, values)
    return { entries: [], total: await countAll(plan.list, values) }
  }

  async function readRows(plan: ListPlan, values: Values): Promise<EntryList> {
    const { rows } = await runner.runPlanned(plan.asking, values)
    const renewed = isCurrent(plan.documented, rows)
      ? NONE_RENEWED
      : await renewDocuments({ ...runner, dialect }, plan.documented, rows)
    const [first] = rows[0] ?? []
    return {
      entries: listedEntries(plan, { rows, values, renewed }),
      total: first ? wholeAt(first, LISTED.total) : await countAll(plan, values),
    }
  }

  async function countAll({ counting }: ListPlan, values: Values): Promise<number> {
    const { rows } = await runner.runPlanned(counting, values)
    return Number(rows[0]?.[0]?.[0] ?? 0)
  }
}

/** The sort stays as it is: types that are not asked change no order. */
function withoutNever({ queries, sort, ...rest }: ResolvedList): ResolvedList {
  const isAsked = queries.map(({ condition, locales }) => {
    const isEmpty = locales?.length === 0
    return !isEmpty && !(condition && isNever(condition))
  })
  return {
    queries: queries.filter((_, at) => isAsked[at]),
    sort: sort.map((columns) => columns.filter((_, at) => isAsked[at])),
    ...rest,
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
