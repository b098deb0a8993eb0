import type { MediaFile } from '../entry.ts'
import type { Viewer } from '../viewer.ts'
import type { AskFiles, FilesQuery } from './ask-files.ts'
import { wholeAt } from './load/cells.ts'
import { toFile } from './load/files.ts'

/** Lists of files for dialects that know no folders. */
export function createFindFiles(askFiles: AskFiles) {
  return { findFiles, countFiles }

  async function findFiles(viewer: Viewer, query: FilesQuery): Promise<readonly MediaFile[]> {
    const rows = await askFiles(viewer, 'page', query)
    return rows.map((row) => toFile(row, 0))
  }

  /** How many there are, whatever the page. */
  async function countFiles(viewer: Viewer, query: FilesQuery): Promise<number> {
    const [row] = await askFiles(viewer, 'total', query)
    return row ? wholeAt(row, 0) : 0
  }
}
