import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { ContentTables } from '../../tables.ts'
import { createChunkWriter, deleteChunks, findAbandoned, heldOf, isFile } from './chunks.ts'
import { createDirectoryBytes } from './directory.ts'
import type { BytesDeps } from './file-bytes.ts'
import { hashIn } from './names.ts'

const ABANDONED_AFTER_MS = 24 * 3_600_000
const ABANDONED_AT_ONCE = 100

/**
 * Brings files that lie only in this node's directory into the database, where other nodes find them;
 * the directory is their cache from then on. Before version 0.2 every installation kept them there.
 */
export async function takeInDirectory(deps: BytesDeps, signal: AbortSignal): Promise<void> {
  const { db, clock, log, directory } = deps
  if (db.dialect.singleProcess) return
  const reader: Kysely<ContentTables> = db.main.reader
  const chunks = createChunkWriter(db.main)
  let taken = 0
  for await (const name of notTakenIn(reader, directory)) {
    if (signal.aborted) return
    await chunks.writeFile(join(directory, name), name, clock.now())
    taken++
  }
  if (taken > 0)
    log.info({ files: taken }, 'files of the data directory were taken into the database')
}

/** Names of files in this directory that the database knows and does not hold. */
export async function* notTakenIn(
  reader: Kysely<ContentTables>,
  directory: string,
): AsyncGenerator<string> {
  for await (const name of createDirectoryBytes(directory).names()) {
    if ((await heldOf(reader, [name])).has(name)) continue
    if (await isFile(reader, hashIn(name) ?? '')) yield name
  }
}

/** Removes bytes that never became a file. */
export async function removeAbandoned(
  { db, clock }: Pick<BytesDeps, 'db' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  if (db.dialect.singleProcess) return
  const beforeMs = clock.now() - ABANDONED_AFTER_MS
  for (;;) {
    const names = await findAbandoned(db.main.reader, beforeMs, ABANDONED_AT_ONCE)
    if (names.length === 0 || signal.aborted) return
    await deleteChunks(db.main.writer, names)
  }
}
