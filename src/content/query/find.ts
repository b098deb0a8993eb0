import type { Database } from '#kernel'
import type { EntryTarget } from '../entries/ports.ts'
import type { Entry, EntryPage } from '../entry.ts'
import type { ContentModel } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import type { ContentQuery, CopyState, LocaleChoice, PageChoice, Scalar } from './ast.ts'
import { toEntries } from './load/entries.ts'
import type { Loading } from './load/include.ts'
import { resolve } from './resolve.ts'
import type { ResolvedQuery } from './resolved.ts'
import { createRunner } from './run.ts'
import { createCompiling } from './sql/context.ts'
import { compilePage, type PageRow, type PageStatement } from './sql/page.ts'

interface Deps {
  readonly db: Pick<Database, 'main' | 'dialect'>
  model(): ContentModel
}

export type OneQuery = Omit<ContentQuery, 'page' | 'sort' | 'search'>

/** Everything that reads entries, for whatever dialect. */
export function createFind({ db, model }: Deps) {
  const runner = createRunner(db.main)
  return { find, findOne }

  async function find(viewer: Viewer, query: ContentQuery): Promise<EntryPage> {
    const snapshot = model()
    const resolved = resolve(snapshot, viewer, query)
    return readPage(loadingFor(snapshot, resolved), resolved, query.page)
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
    const resolved: ResolvedQuery = { ...asked, only }
    const { entries } = await readPage(loadingFor(snapshot, resolved), resolved, page)
    return entries[0]
  }

  function loadingFor({ defaultLocale }: ContentModel, { state }: ResolvedQuery): Loading {
    const { dialect } = db
    return withState(state)

    function withState(own: CopyState): Loading {
      const compiling = () => createCompiling({ dialect, state: own, defaultLocale })
      return { ...runner, dialect, compiling, withState }
    }
  }
}

/** An id already names a variant; a document is shown in the locale of the target, if it has one. */
function localeFor(asked: LocaleChoice, target: EntryTarget): LocaleChoice {
  if ('id' in target) return { kind: 'all' }
  if (target.locale === null) return asked
  const fallback = asked.kind === 'one' ? asked.fallback : []
  return { kind: 'one', code: target.locale, fallback }
}

async function readPage(to: Loading, query: ResolvedQuery, page: PageChoice): Promise<EntryPage> {
  const statement = compilePage(to.compiling(), query, page)
  const found = await to.run(statement.rows, statement.mayScan)
  const shown = found.slice(0, page.limit)
  if (statement.backwards) shown.reverse()
  const [entries, aside] = await Promise.all([
    toEntries(to, query.type, shown, query.include),
    asideOf(to, page, statement, found),
  ])
  const rows = new Map(entries.map((entry, at) => [entry, shown[at]]))
  return {
    entries,
    total: aside.total,
    ...neighbours(statement, found.length > page.limit, aside.isBehind),
    positionOf: (entry) => toPosition(statement, rows.get(entry)),
  }
}

interface Beside {
  readonly total: number | null
  readonly isBehind: boolean
}

/** Comes with the rows; a page without any, past the end, asks once more. */
async function asideOf(
  { run }: Loading,
  page: PageChoice,
  { aside, mayScan }: PageStatement,
  found: readonly PageRow[],
): Promise<Beside> {
  const counts = page.kind !== 'keyset' && page.count
  const isStart = isFirst(page)
  if (!found[0] && isStart) return { total: counts ? 0 : null, isBehind: false }
  const needed = counts || page.kind !== 'offset'
  const row = found[0] ?? (needed ? (await run(aside, mayScan))[0] : undefined)
  const total = counts ? (row?.total ?? 0) : null
  const isBehind = page.kind === 'offset' ? !isStart && total !== 0 : row?.behind === 1
  return { total, isBehind }
}

function isFirst(page: PageChoice): boolean {
  if (page.kind === 'offset') return page.start === 0
  if (page.kind === 'cursor') return page.position === null
  return page.after === null && page.before === null
}

function neighbours({ backwards }: PageStatement, goesOn: boolean, isBehind: boolean) {
  return backwards
    ? { hasMore: isBehind, hasPrevious: goesOn }
    : { hasMore: goesOn, hasPrevious: isBehind }
}

/** One value for each sort key, the id last; of text the text itself, whose fold follows from it. */
function toPosition({ keys }: PageStatement, row: PageRow | undefined): readonly Scalar[] {
  if (!row) throw new Error('the entry is not of this page')
  const values: Scalar[] = []
  keys.forEach((key, at) => {
    if (!key.isFold) values[key.part] = row[`s${at}`] ?? null
  })
  return values
}
