import { renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

export interface BootLock {
  /** Gives the lock up; `remove` when nothing of that boot is left to guard. */
  release(options: { remove: boolean }): void
}

/**
 * Tells the living starts that share a directory from the dead ones. Held through SQLite, so it
 * ends with the process however that dies. Undefined when somebody else holds it.
 */
export function takeBootLock(path: string): BootLock | undefined {
  const lock = hold(path)
  return lock && { release: ({ remove }) => release(lock, path, remove) }
}

/** The lock of a new boot appears in the directory already held, so nobody can take it for dead. */
export function createBootLock(path: string): BootLock {
  const unseen = `${path}.new`
  const lock = hold(unseen)
  if (!lock) throw new Error(`${unseen} is in use`)
  renameSync(unseen, path)
  return { release: ({ remove }) => release(lock, path, remove) }
}

function hold(path: string): DatabaseSync | undefined {
  const lock = new DatabaseSync(path, { timeout: 0 })
  try {
    // Nothing is ever written, so there is no need for a file that could undo it.
    lock.exec('pragma journal_mode = memory; begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

function release(lock: DatabaseSync, path: string, remove: boolean) {
  if (remove) rmSync(path, { force: true })
  lock.close()
}

const SQLITE_BUSY = 5

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}
