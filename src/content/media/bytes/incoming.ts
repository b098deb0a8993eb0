import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Below the directory of bytes: what is not whole yet. */
export const INCOMING = '.incoming'

const ABANDONED_AFTER_MS = 24 * 3_600_000

/** Removes what a process that was killed left half written. */
export async function cleanIncoming(directory: string, nowMs: number): Promise<void> {
  const incoming = join(directory, INCOMING)
  for (const name of await readdir(incoming).catch(() => [])) {
    const file = join(incoming, name)
    const found = await stat(file).catch(() => undefined)
    if (found && nowMs - found.mtimeMs > ABANDONED_AFTER_MS) await rm(file, { force: true })
  }
}
