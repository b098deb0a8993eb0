import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { ContentTables } from '../../tables.ts'
import { isFile } from './chunks.ts'
import type { BytesDeps } from './file-bytes.ts'
import { hashIn } from './names.ts'

/** Below the directory of bytes: what is not whole yet, and the names of what is in doubt (`FileBytes.doubt`). */
export const INCOMING = '.incoming'

const ABANDONED_AFTER_MS = 24 * 3_600_000

/** Removes what a process that was killed left undone; who is alone here knows it by its age. */
export async function cleanIncoming({ db, directory }: Pick<BytesDeps, 'db' | 'directory'>) {
  const { singleProcess } = db.dialect
  const reader: Kysely<ContentTables> = db.main.reader
  const nowMs = Date.now()
  const abandonedAfterMs = singleProcess ? process.uptime() * 1_000 : ABANDONED_AFTER_MS
  const incoming = join(directory, INCOMING)
  for (const name of await readdir(incoming).catch(() => [])) {
    const file = join(incoming, name)
    const found = await stat(file).catch(() => undefined)
    if (!found || nowMs - found.mtimeMs <= abandonedAfterMs) continue
    const hash = hashIn(name)
    const isNobodys = hash !== undefined && !(await isFile(reader, hash))
    if (isNobodys) await rm(join(directory, name), { force: true })
    await rm(file, { force: true })
  }
}
