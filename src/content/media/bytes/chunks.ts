/** Bytes in the database. A row of `content_file_bytes` that is `whole` promises all its chunks. */
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Kysely } from 'kysely'
import type { Store } from '#db'
import type { ContentTables } from '../../tables.ts'
import type { OpenedBytes } from './file-bytes.ts'
import { hashIn } from './names.ts'

type Db = Kysely<ContentTables>

const CHUNK_BYTES = 256 * 1024

/** So many are one write: most files are no larger, and are there with a single commit. */
const CHUNKS_AT_ONCE = 4

/**
 * Writes files. A long one is several writes: nobody waits for a long one. Bytes never change under their name, so
 * what another process or an interrupted attempt has written already is left as it is.
 *
 * What is read of a file lies in memory that is kept: were it new for each, the collector would stop the thread that
 * answers requests again and again while many files come.
 */
export function createChunkWriter(store: Pick<Store, 'write'>) {
  let kept: Buffer | undefined
  return { writeFile }

  async function writeFile(path: string, name: string, nowMs: number): Promise<void> {
    // Another one has it: a long file, beside which short ones are not held up.
    const buffer = kept ?? Buffer.allocUnsafeSlow(CHUNKS_AT_ONCE * CHUNK_BYTES)
    kept = undefined
    const file = await open(path)
    try {
      await writeAll(file, buffer, { name, hash: hashIn(name) ?? '', created_at: nowMs })
    } finally {
      await file.close()
      kept = buffer
    }
  }

  async function writeAll(file: FileHandle, buffer: Buffer, row: NewBytes): Promise<void> {
    let position = 0
    let size_bytes = 0
    for (;;) {
      const bytes = await readInto(file, buffer)
      const chunks = toChunks(row.name, position, bytes)
      position += chunks.length
      size_bytes += bytes.length
      const isLast = bytes.length < buffer.length
      await write(chunks, isLast ? { ...row, size_bytes, whole: 1 } : notYet(row))
      if (isLast) return
    }
  }

  /** The row first, so that no chunk is without one. */
  function write(chunks: readonly Chunk[], row: NewBytes & Extent): Promise<void> {
    return store.write(async (tx) => {
      const trx = tx.as<ContentTables>()
      const { size_bytes, whole } = row
      await trx
        .insertInto('content_file_bytes')
        .values(row)
        .onConflict((on) =>
          whole === 1
            ? on.column('name').doUpdateSet({ size_bytes, whole })
            : on.column('name').doNothing(),
        )
        .execute()
      if (chunks.length > 0) {
        await trx
          .insertInto('content_file_chunks')
          .values(chunks)
          .onConflict((on) => on.columns(['name', 'position']).doNothing())
          .execute()
      }
      return () => {}
    })
  }
}

interface NewBytes {
  readonly name: string
  readonly hash: string
  readonly created_at: number
}

interface Extent {
  readonly size_bytes: number
  readonly whole: 0 | 1
}

interface Chunk {
  readonly name: string
  readonly position: number
  readonly bytes: Buffer
}

function notYet(row: NewBytes): NewBytes & Extent {
  return { ...row, size_bytes: 0, whole: 0 }
}

/** As much as there is room for; less at the end of the file only. */
async function readInto(file: FileHandle, buffer: Buffer): Promise<Buffer> {
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

function toChunks(name: string, first: number, bytes: Buffer): Chunk[] {
  return Array.from({ length: Math.ceil(bytes.length / CHUNK_BYTES) }, (_, at) => ({
    name,
    position: first + at,
    bytes: bytes.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES),
  }))
}

/** Those with all their chunks. */
function whole(db: Db) {
  return db.selectFrom('content_file_bytes').where('whole', '=', 1)
}

export async function findChunks(db: Db, name: string): Promise<OpenedBytes | undefined> {
  const row = await whole(db).select('size_bytes').where('name', '=', name).executeTakeFirst()
  return (
    row && {
      sizeBytes: row.size_bytes,
      read: (first, last) => Readable.from(chunksOf(db, name, first, last), { objectMode: false }),
    }
  )
}

/** One chunk at a time, as fast as the reader takes them. */
async function* chunksOf(db: Db, name: string, first: number, last: number) {
  for (let at = first - (first % CHUNK_BYTES); at <= last; at += CHUNK_BYTES) {
    const { bytes } = await db
      .selectFrom('content_file_chunks')
      .select('bytes')
      .where('name', '=', name)
      .where('position', '=', at / CHUNK_BYTES)
      .executeTakeFirstOrThrow()
    yield bytes.subarray(Math.max(0, first - at), last - at + 1)
  }
}

/**
 * The promise first: a reader that comes between finds nothing rather than half. The row last: whoever is killed
 * between leaves a name without a file, which the worker finds (`findAbandoned`), and never chunks that nobody knows.
 */
export async function deleteChunks(db: Db, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await db.updateTable('content_file_bytes').set({ whole: 0 }).where('name', 'in', names).execute()
  await db.deleteFrom('content_file_chunks').where('name', 'in', names).execute()
  await db.deleteFrom('content_file_bytes').where('name', 'in', names).execute()
}

const NAMES_AT_ONCE = 1_000

export async function* chunkNames(db: Db): AsyncGenerator<string> {
  for (let last = ''; ; ) {
    const rows = await whole(db)
      .select('name')
      .where('name', '>', last)
      .orderBy('name')
      .limit(NAMES_AT_ONCE)
      .execute()
    for (const { name } of rows) yield name
    last = rows.at(-1)?.name ?? ''
    if (rows.length < NAMES_AT_ONCE) return
  }
}

/** Which of these names the database holds whole. */
export async function heldOf(db: Db, names: readonly string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set()
  const rows = await whole(db).select('name').where('name', 'in', names).execute()
  return new Set(rows.map(({ name }) => name))
}

export async function isFile(db: Db, hash: string): Promise<boolean> {
  const row = await db
    .selectFrom('content_files')
    .select('id')
    .where('hash', '=', hash)
    .executeTakeFirst()
  return row !== undefined
}

/** Bytes that no file has, long after they came: what processes left that were killed in between. */
export async function findAbandoned(db: Db, beforeMs: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('content_file_bytes')
    .select('name')
    .where('created_at', '<', beforeMs)
    .where('hash', 'not in', (query) => query.selectFrom('content_files').select('hash'))
    .limit(limit)
    .execute()
  return rows.map(({ name }) => name)
}
