import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Below the directory of bytes: what is not whole yet. */
export const INCOMING = '.incoming'

const ABANDONED_AFTER_MS = 24 * 3_600_000

/** Removes what a process that was killed left half written; who is alone here knows it by its age. */
export async function cleanIncoming(directory: string, isAlone: boolean): Promise<void> {
  const nowMs = Date.now()
  const abandonedAfterMs = isAlone ? process.uptime() * 1_000 : ABANDONED_AFTER_MS
  const incoming = join(directory, INCOMING)
  for (const name of await readdir(incoming).catch(() => [])) {
    const file = join(incoming, name)
    const found = await stat(file).catch(() => undefined)
    if (found && nowMs - found.mtimeMs > abandonedAfterMs) await rm(file, { force: true })
  }
}
