import { statSync } from 'node:fs'

/** File systems note the time of a change in steps of some milliseconds; two changes within one look the same. */
const STEP_MS = 100

/**
 * Whoever commits, in this process or another, writes to the write-ahead log beside the file. So a look at the time of
 * its last change tells for nothing that a statement would find nothing new.
 */
export function createFileMark(path: string): () => bigint | undefined {
  return () => {
    const log = statSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false })
    if (!log || Date.now() - Number(log.mtimeMs) < STEP_MS) return undefined
    return log.mtimeNs
  }
}
