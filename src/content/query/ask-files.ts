import type { Cells, Database } from '#kernel'
import type { ContentModel } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import type { Filter, SortKey } from './ast.ts'
import { createIssues } from './issues.ts'
import { type Asking, toAsking } from './plan.ts'
import { createPlanning } from './planning.ts'
import { createPlans } from './plans.ts'
import { resolveFilter } from './resolve-filter.ts'
import { resolveSort } from './resolve-sort.ts'
import type { FilesWanted, ResolvedFiles } from './resolved.ts'
import { createRunner } from './run.ts'
import { createShaping } from './shape.ts'
import type { ShapedFiles } from './shaped.ts'
import { compileFiles } from './sql/files.ts'

export interface FilesDeps {
  readonly db: Pick<Database, 'main' | 'dialect'>
  model(): ContentModel
  countPlan(): void
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

/** Questions about files; those that differ in values alone have one statement. */
export function createAskFiles({ db, model, countPlan }: FilesDeps) {
  const runner = createRunner(db.main)
  const { shapeFiles } = createShaping()
  const { planFor } = createPlans(makePlan)
  return askFiles

  /** Rows of what the viewer sees, as `compileFiles` selects them. */
  async function askFiles(
    viewer: Viewer,
    wanted: FilesWanted,
    query: FilesQuery,
  ): Promise<readonly Cells[]> {
    const snapshot = model()
    const shape = shapeFiles(resolveFiles(snapshot, viewer, wanted, query))
    const { rows } = await runner.runPlanned(planFor(snapshot, shape), shape.values)
    return rows[0] ?? []
  }

  function makePlan(snapshot: ContentModel, files: ShapedFiles): Asking {
    countPlan()
    const planning = createPlanning({ ...runner, dialect: db.dialect, countPlan }, snapshot)
    const to = planning.compiling('live')
    const piece = compileFiles(to, snapshot, files)
    return toAsking(planning, [piece], to.mayScan)
  }
}

export type AskFiles = ReturnType<typeof createAskFiles>

function resolveFiles(
  model: ContentModel,
  viewer: Viewer,
  wanted: FilesWanted,
  query: FilesQuery,
): ResolvedFiles {
  const resolving = { model, viewer, issues: createIssues() }
  const scope = { kind: 'file' } as const
  const condition = query.filter && resolveFilter(resolving, scope, query.filter)
  const sort = resolveSort(resolving, scope, query.sort)
  resolving.issues.refuse()
  const { search, start, limit, nulls = 'lowest' } = query
  const isPublic = viewer.level === null
  return { wanted, isPublic, condition, search, sort, nulls, start, limit }
}
