/** The bytes of all files, for whoever copies an installation: wherever they are kept, and wherever they go. */
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type BytesDeps, createFileBytes } from './file-bytes.ts'
import { INCOMING } from './incoming.ts'
import { hashIn } from './names.ts'
import { notTakenIn } from './take-in.ts'

export interface StoredBytes {
  /** As in the URL below `/uploads`; unique. */
  readonly name: string
  readonly sizeBytes: number
  read(): Readable
}

/** These tables are how one kind of database keeps bytes: whoever copies rows leaves them out. */
export const TABLES_OF_BYTES: readonly string[] = ['content_file_bytes', 'content_file_chunks']

export function isStoredName(name: string): boolean {
  return hashIn(name) !== undefined
}

/**
 * All of them, also those that this directory still has to give to the database. What is deleted meanwhile
 * is left out; each one's bytes are read only when asked for.
 */
export async function* readFileBytes(deps: BytesDeps): AsyncGenerator<StoredBytes> {
  // Listed first: a file that is taken in meanwhile is found in one of both lists.
  const waiting = deps.db.dialect.singleProcess
    ? []
    : await Array.fromAsync(notTakenIn(deps.db.main.reader, deps.directory))
  yield* openedOf(deps, waiting)
  const known = new Set(waiting)
  yield* openedOf(deps, createFileBytes(deps).names(), known)
}

/** Only those that are where this installation keeps its files. */
export function readKeptBytes(deps: BytesDeps): AsyncGenerator<StoredBytes> {
  return openedOf(deps, createFileBytes(deps).names())
}

async function* openedOf(
  deps: BytesDeps,
  names: AsyncIterable<string> | Iterable<string>,
  known: ReadonlySet<string> = new Set(),
): AsyncGenerator<StoredBytes> {
  const bytes = createFileBytes(deps)
  for await (const name of names) {
    if (known.has(name)) continue
    const opened = await bytes.open(name)
    if (!opened) continue
    const { sizeBytes, read } = opened
    yield {
      name,
      sizeBytes,
      read: () => (sizeBytes > 0 ? read(0, sizeBytes - 1) : Readable.from([])),
    }
  }
}

/** Puts the bytes where this installation keeps its files; doing it again changes nothing. */
export async function writeFileBytes(
  deps: BytesDeps,
  name: string,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  if (hashIn(name) === undefined) throw new Error(`${name} is no name of a file's bytes`)
  const incoming = join(deps.directory, INCOMING, name)
  await mkdir(join(deps.directory, INCOMING), { recursive: true })
  await pipeline(source, createWriteStream(incoming, { flush: true }))
  await createFileBytes(deps).take(incoming, name)
}
