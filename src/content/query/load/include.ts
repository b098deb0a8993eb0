import type { SqlDialect } from '#kernel'
import type { CopyState } from '../ast.ts'
import type { ResolvedInclude } from '../resolved.ts'
import type { Runner } from '../run.ts'
import type { Compiling } from '../sql/context.ts'
import { loadEntries, loadIds } from './entries.ts'
import { loadFiles } from './files.ts'
import type { Level } from './parents.ts'
import { loadParts } from './parts.ts'

/** What loading needs: statements of the same state and locale as the page. */
export interface Loading extends Runner {
  readonly dialect: SqlDialect
  compiling(): Compiling
  withState(state: CopyState): Loading
}

/** One statement for each include of a level, however many parents it has. */
export async function loadIncludes(
  to: Loading,
  level: Level,
  includes: readonly ResolvedInclude[],
): Promise<void> {
  if (level.parents.length === 0 || includes.length === 0) return
  await Promise.all(
    includes.map((include) => {
      const own = include.state ? to.withState(include.state) : to
      return loadInclude(own, level, include)
    }),
  )
}

function loadInclude(to: Loading, level: Level, include: ResolvedInclude): Promise<void> {
  const { step, depth } = include
  switch (step.kind) {
    case 'media':
      return loadFiles(to, level, include)
    case 'component':
      return loadParts(to, level, include, step.attribute, step.component)
    case 'relation':
    case 'localizations': {
      const target = step.kind === 'relation' ? step.target : step.type
      const load = depth === 'ids' ? loadIds : loadEntries
      return load(to, level, include, target)
    }
  }
}
