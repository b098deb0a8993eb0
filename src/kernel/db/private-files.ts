import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const OF_OTHERS = 0o077

/**
 * Takes a directory and everything in it away from other users: directories 0700, files 0600. What is
 * made later is private by the umask of the process. A closed directory is not looked through again, and
 * a directory that belongs to somebody else (a mounted volume) stays as its owner made it.
 */
export function closeToOthers(path: string): void {
  const stats = lstatSync(path)
  if (process.platform === 'win32' || stats.isSymbolicLink()) return
  const isClosed = (stats.mode & OF_OTHERS) === 0
  if (stats.isDirectory() && !isClosed) {
    // From the inside out: a walk that was broken off begins again at the next start.
    for (const name of readdirSync(path)) closeToOthers(join(path, name))
  }
  if (!isClosed) changeMode(path, stats.isDirectory() ? 0o700 : 0o600)
}

function changeMode(path: string, mode: number): void {
  try {
    chmodSync(path, mode)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error
  }
}
