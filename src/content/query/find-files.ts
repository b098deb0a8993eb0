import type { Database } from '#kernel'
import type { MediaFile } from '../entry.ts'
import { fold } from '../fold.ts'
import { type FileRow, toMediaFile } from '../media/store.ts'
import type { ContentModel } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import type { Filter, SortKey } from './ast.ts'
import { type Sql, sql } from './fragment.ts'
import { createIssues } from './issues.ts'
import { resolveFilter } from './resolve-filter.ts'
import { resolveSort } from './resolve-sort.ts'
import { createRunner } from './run.ts'
import { shapeFilter } from './shape.ts'
import { allOf, anyOf, type Compiling, column, createCompiling } from './sql/context.ts'
import { compileCondition } from './sql/filter.ts'
import { orderBy, orderKeys } from './sql/order.ts'
import { isPublicFile } from './sql/public-files.ts'

interface Deps {
  readonly db: Pick<Database, 'main' | 'dialect'>
  model(): ContentModel
}

/** A list of media files by themselves, with the operators that entries have. */
export interface FilesQuery {
  readonly filter: Filter | null
  /** Case-insensitive substring of name, alternative text or caption; '' means none. */
  readonly search: string
  readonly sort: readonly SortKey[]
  readonly start: number
  readonly limit: number
  /** As in `ContentQuery`. */
  readonly nulls?: 'lowest' | 'last'
}

const FILE = { kind: 'file', alias: 'f' } as const
const SEARCHED = ['name_fold', 'alternative_text_fold', 'caption_fold']

export function createFindFiles({ db, model }: Deps) {
  const { run } = createRunner(db.main)
  return { findFiles, countFiles }

  async function findFiles(viewer: Viewer, query: FilesQuery): Promise<readonly MediaFile[]> {
    const to = compiling()
    const { where, keys, values } = compileFiles(to, model(), viewer, query)
    const page = sql`limit ${query.limit} offset ${query.start}`
    const statement = sql<FileRow>`select f.* from content_files as f where ${where} order by ${orderBy(keys)} ${page}`
    const rows = await run(statement, to.mayScan, values)
    return rows.map(toMediaFile)
  }

  /** How many there are, whatever the page. */
  async function countFiles(viewer: Viewer, query: FilesQuery): Promise<number> {
    const to = compiling()
    const { where, values } = compileFiles(to, model(), viewer, query)
    const statement = sql<Counted>`select count(*) as total from content_files as f where ${where}`
    const [row] = await run(statement, to.mayScan, values)
    return Number(row?.total ?? 0)
  }

  function compiling(): Compiling {
    const { defaultLocale } = model()
    return createCompiling({ dialect: db.dialect, state: 'live', defaultLocale })
  }
}

/** Of the files `f` that the viewer sees: which belong to the list, and in which order. */
export function compileFiles(
  to: Compiling,
  model: ContentModel,
  viewer: Viewer,
  query: Omit<FilesQuery, 'start' | 'limit'>,
) {
  const resolving = { model, viewer, issues: createIssues() }
  const scope = { kind: 'file' } as const
  const condition = query.filter && resolveFilter(resolving, scope, query.filter)
  const sort = resolveSort(resolving, scope, query.sort)
  resolving.issues.refuse()
  const shape = shapeFilter(condition, sort)
  const conditions = shape.condition ? [compileCondition(to, FILE, shape.condition)] : []
  if (query.search !== '') conditions.push(searchFor(to, query.search))
  if (viewer.level === null) conditions.push(isPublicFile(to, model, FILE.alias))
  const keys = orderKeys(to, FILE, shape.sort, query.nulls ?? 'lowest')
  if (to.mayScan) conditions.unshift(to.dialect.withinDeadline('f.id'))
  return { where: allOf(conditions), keys, values: shape.values }
}

interface Counted {
  readonly total: number | string
}

function searchFor(to: Compiling, text: string): Sql {
  to.noteScan()
  const part = sql.val(fold(text))
  return anyOf(SEARCHED.map((name) => to.dialect.contains(column('f', name), part)))
}
