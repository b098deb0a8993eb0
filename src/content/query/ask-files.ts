import type { Cells, Database } from '#kernel'
import type { MediaFile } from '../entry.ts'
import { fold } from '../fold.ts'
import type { ContentModel } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import type { Filter, SortKey } from './ast.ts'
import { createIssues } from './issues.ts'
import { wholeAt } from './load/cells.ts'
import { toFile } from './load/files.ts'
import { type Asking, toAsking } from './plan.ts'
import { createPlanning } from './planning.ts'
import { resolveFilter } from './resolve-filter.ts'
import { resolveSort } from './resolve-sort.ts'
import type { FilesWanted, ResolvedFiles } from './resolved.ts'
import { createRunner } from './run.ts'
import { type Operand, toSlot } from './slot.ts'
import { compileFiles } from './sql/files.ts'
import { createTemplates, type Prepared, type Question } from './templates.ts'

export interface FilesDeps {
  readonly db: Pick<Database, 'main' | 'dialect'>
  model(): ContentModel
  countPlan(): void
}

/** A list of media files by themselves, with the operators that entries have. */
export interface FilesQuery {
  readonly filter: Filter | null
  /** Case-insensitive substring of name, alternative text or caption; '' means none. */
  readonly search: Operand<string>
  readonly sort: readonly SortKey[]
  readonly start: Operand<number>
  readonly limit: Operand<number>
  /** As in `ContentQuery`. */
  readonly nulls?: 'lowest' | 'last'
}

/** What is read of a template of files. */
export interface FilesRead {
  readonly query: FilesQuery
}

/** Whatever of the files is wanted; each statement is compiled when it first is. */
type FilesPlan = (wanted: FilesWanted) => Asking

/** A question about files that is ready to be asked. */
export type PreparedFiles<Read extends FilesRead = FilesRead> = Prepared<Read, FilesPlan>

/** Prepares the questions of one kind; refuses what is wrong with them. */
export type FileTemplates<Read extends FilesRead> = (
  viewer: Viewer,
  question: Question<Read>,
) => PreparedFiles<Read>

export function createAskFiles({ db, model, countPlan }: FilesDeps) {
  const runner = createRunner(db.main)
  return { fileTemplates, askFiles, findFiles, countFiles }

  function fileTemplates<Read extends FilesRead = FilesRead>(): FileTemplates<Read> {
    return createTemplates<Read, FilesRead, FilesPlan>({ model, make, sizeOf: () => PLAN_BYTES })
  }

  function make(viewer: Viewer, { query }: FilesRead): FilesPlan {
    const snapshot = model()
    const files = resolveFiles(snapshot, viewer, query)
    const known = new Map<FilesWanted, Asking>()
    return (wanted) => {
      const asking = known.get(wanted) ?? compile(snapshot, { ...files, wanted })
      known.set(wanted, asking)
      return asking
    }
  }

  function compile(snapshot: ContentModel, files: ResolvedFiles): Asking {
    countPlan()
    const planning = createPlanning({ ...runner, dialect: db.dialect, countPlan }, snapshot)
    const to = planning.compiling('live')
    const piece = compileFiles(to, snapshot, files)
    return toAsking(planning, [piece], to.mayScan)
  }

  /** Rows of what the viewer sees, as `compileFiles` selects them. */
  async function askFiles(
    { plan, values }: PreparedFiles,
    wanted: FilesWanted,
  ): Promise<readonly Cells[]> {
    const { rows } = await runner.runPlanned(plan(wanted), values)
    return rows[0] ?? []
  }

  async function findFiles(asked: PreparedFiles): Promise<readonly MediaFile[]> {
    return (await askFiles(asked, 'page')).map((row) => toFile(row, 0))
  }

  /** How many there are, whatever the page. */
  async function countFiles(asked: PreparedFiles): Promise<number> {
    const [row] = await askFiles(asked, 'total')
    return row ? wholeAt(row, 0) : 0
  }
}

export type AskFiles = ReturnType<typeof createAskFiles>

/** Of the few short statements that a question about files has. */
const PLAN_BYTES = 4_000

function resolveFiles(
  model: ContentModel,
  viewer: Viewer,
  query: FilesQuery,
): Omit<ResolvedFiles, 'wanted'> {
  const resolving = { model, viewer, issues: createIssues() }
  const scope = { kind: 'file' } as const
  const condition = query.filter && resolveFilter(resolving, scope, query.filter)
  const sort = resolveSort(resolving, scope, query.sort)
  resolving.issues.refuse()
  const { start, limit, nulls = 'lowest' } = query
  const given = toSlot(query.search)
  const search = given.look((text) => text === '') ? null : given.map(fold)
  const isPublic = viewer.level === null
  const page = { start: toSlot(start), limit: toSlot(limit) }
  return { isPublic, condition, search, sort, nulls, ...page }
}
