import type { MediaFile } from '../entry.ts'
import type { AskFiles, PreparedFiles } from './ask-files.ts'
import { wholeAt } from './load/cells.ts'
import { toFile } from './load/files.ts'

/** Lists of files for dialects that know no folders. */
export function createFindFiles({ askFiles, fileTemplates }: AskFiles) {
  return { fileTemplates, findFiles, countFiles }

  async function findFiles(asked: PreparedFiles): Promise<readonly MediaFile[]> {
    const rows = await askFiles(asked, 'page')
    return rows.map((row) => toFile(row, 0))
  }

  /** How many there are, whatever the page. */
  async function countFiles(asked: PreparedFiles): Promise<number> {
    const [row] = await askFiles(asked, 'total')
    return row ? wholeAt(row, 0) : 0
  }
}
