import type { Database } from '#kernel'
import type { Entry } from '../entry.ts'
import type { ContentModel } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import type { CopyState, LocaleChoice } from './ast.ts'
import type { EntryList, ListQuery } from './list-query.ts'
import { toEntries } from './load/entries.ts'
import type { Loading } from './load/include.ts'
import { type ResolvedList, resolveList } from './resolve-list.ts'
import { createRunner } from './run.ts'
import { createCompiling } from './sql/context.ts'
import { compileList, type ListRow } from './sql/list.ts'
import { isNever } from './sql/never.ts'

interface Deps {
  readonly db: Pick<Database, 'main' | 'dialect'>
  model(): ContentModel
}

/** Lists over several types. */
export function createFindList({ db, model }: Deps) {
  const runner = createRunner(db.main)
  return findList

  async function findList(viewer: Viewer, query: ListQuery): Promise<EntryList> {
    const snapshot = model()
    const list = withoutNever(resolveList(snapshot, viewer, query))
    if (list.queries.length === 0) return { entries: [], total: 0 }
    return readList(loadingFor(snapshot, query), list, query)
  }

  function loadingFor(snapshot: ContentModel, { state, locale }: ListQuery): Loading {
    const { dialect } = db
    const { defaultLocale } = snapshot
    const chosen = chosenLocale(snapshot, locale)
    return withState(state)

    function withState(own: CopyState): Loading {
      const compiling = () =>
        createCompiling({ dialect, state: own, defaultLocale, ...(chosen && { locale: chosen }) })
      return { ...runner, dialect, compiling, withState }
    }
  }
}

/** Entries without a language show others in the language of the list. */
function chosenLocale(model: ContentModel, choice: LocaleChoice): string | undefined {
  return choice.kind === 'one' ? model.findLocale(choice.code)?.code : undefined
}

/** The sort stays as it is: types that are not asked change no order. */
function withoutNever({ queries, sort }: ResolvedList): ResolvedList {
  const isAsked = queries.map(({ condition, locales }) => {
    const isEmpty = locales?.length === 0
    return !isEmpty && !(condition && isNever(condition))
  })
  return {
    queries: queries.filter((_, at) => isAsked[at]),
    sort: sort.map((columns) => columns.filter((_, at) => isAsked[at])),
  }
}

async function readList(
  to: Loading,
  list: ResolvedList,
  page: Pick<ListQuery, 'start' | 'limit'>,
): Promise<EntryList> {
  const { rows, total, mayScan } = compileList(to.compiling(), list, page)
  const found = page.limit > 0 ? await to.run(rows, mayScan) : []
  const [first] = found
  const counted = first ?? (await to.run(total, mayScan))[0]
  return { entries: await wholeEntries(to, list, found), total: Number(counted?.total ?? 0) }
}

/** Each type's entries with their includes at once; then all in the order of the page. */
async function wholeEntries(
  to: Loading,
  { queries }: ResolvedList,
  found: readonly ListRow[],
): Promise<readonly Entry[]> {
  const entries = new Map<ListRow, Entry>()
  await Promise.all(
    queries.map(async ({ type, include }, at) => {
      const own = found.filter(({ t }) => t === at)
      if (own.length === 0) return
      const read = await toEntries(to, type, own, include)
      own.forEach((row, n) => {
        const entry = read[n]
        if (entry) entries.set(row, entry)
      })
    }),
  )
  return found.flatMap((row) => entries.get(row) ?? [])
}
