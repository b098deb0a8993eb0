import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../errors.ts'

/**
 * Keeps a second server away from a data directory. The lock is one of the operating system, held
 * through SQLite, so it ends with the process however that dies; a file with a process id would
 * outlive a crash.
 */
export function lockDataDirectory(directory: string): () => void {
  const pidFile = join(directory, 'entrepot.pid')
  const lock = new DatabaseSync(join(directory, 'entrepot.lock'), { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = delete; begin exclusive')
  } catch (error) {
    lock.close()
    // A full disk, for instance, says nothing of others.
    if (!isBusy(error)) throw error
    throw new OperatorError(
      `Another Entrepot${holder(pidFile)} is using ${directory}. Stop it, or set ENTREPOT_DATA_DIR to another directory.`,
      error,
    )
  }
  writeFileSync(pidFile, `${process.pid}\n`)
  return () => {
    rmSync(pidFile, { force: true })
    lock.close()
  }
}

const SQLITE_BUSY = 5

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}

function holder(pidFile: string): string {
  try {
    return ` (process ${readFileSync(pidFile, 'utf8').trim()})`
  } catch {
    return ''
  }
}
