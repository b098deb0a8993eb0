import type { Included } from '../../entry.ts'
import { type FileRow, toMediaFile } from '../../media/store.ts'
import { sql } from '../fragment.ts'
import type { ResolvedInclude } from '../resolved.ts'
import type { Loading } from './include.ts'
import { groupRows, type Level } from './parents.ts'
import { includeStatement, type OwnedRow } from './statement.ts'

const FILE_SOURCE = {
  key: 'id',
  columns: [sql`d.*`],
  source: (key: ReturnType<typeof sql.ref>) => sql`join content_files as d on d.id = ${key}`,
}

export async function loadFiles(to: Loading, level: Level, include: ResolvedInclude) {
  const compiling = to.compiling()
  const statement = includeStatement<OwnedRow & FileRow>(compiling, level, include, FILE_SOURCE)
  const rowsOf = groupRows(await to.run(statement, compiling.mayScan))
  for (const parent of level.parents) {
    parent.included.set(include.name, toIncluded(rowsOf(parent), include))
  }
}

function toIncluded(
  found: readonly (OwnedRow & FileRow)[],
  { depth, many, start }: ResolvedInclude,
): Included {
  const rows = found.filter(({ n }) => n > start)
  if (depth === 'ids') {
    const ids = rows.map(({ id, uuid, mime }) => ({ id, documentId: uuid, mime }))
    return { kind: 'ids', ids, total: found[0]?.total ?? 0 }
  }
  const files = rows.map(toMediaFile)
  if (!many) return { kind: 'file', file: files[0] ?? null }
  return { kind: 'files', files, total: found[0]?.total ?? 0 }
}
