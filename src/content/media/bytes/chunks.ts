/** Bytes in the database. A row of `content_file_bytes` that is `whole` promises all its chunks. */
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
 * A long file is several writes: nobody waits for a long one. Bytes never change under their name, so what another
 * process or an interrupted attempt has written already is left as it is.
 */
export async function writeChunks(
  store: Pick<Store, 'transaction'>,
  name: string,
  source: AsyncIterable<Uint8Array>,
  nowMs: number,
): Promise<void> {
  let position = 0
  let sizeBytes = 0
  let some: Chunk[] = []
  for await (const bytes of inChunks(source)) {
    if (some.length === CHUNKS_AT_ONCE) {
      await write(0)
      some = []
    }
    some.push({ name, position, bytes })
    position++
    sizeBytes += bytes.length
  }
  await write(1)

  /** The row first, so that no chunk is without one. */
  function write(whole: 0 | 1): Promise<void> {
    return store.transaction(undefined, async (tx) => {
      const trx = tx.as<ContentTables>()
      const size_bytes = whole === 1 ? sizeBytes : 0
      const row = { name, hash: hashIn(name) ?? '', size_bytes, whole, created_at: nowMs }
      await trx
        .insertInto('content_file_bytes')
        .values(row)
        .onConflict((on) =>
          whole === 1
            ? on.column('name').doUpdateSet({ size_bytes, whole })
            : on.column('name').doNothing(),
        )
        .execute()
      if (some.length === 0) return
      await trx
        .insertInto('content_file_chunks')
        .values(some)
        .onConflict((on) => on.columns(['name', 'position']).doNothing())
        .execute()
    })
  }
}

interface Chunk {
  readonly name: string
  readonly position: number
  readonly bytes: Buffer
}

async function* inChunks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let length = 0
  for await (const bytes of source) {
    waiting.push(bytes)
    length += bytes.length
    if (length < CHUNK_BYTES) continue
    const all = Buffer.concat(waiting)
    const whole = length - (length % CHUNK_BYTES)
    for (let at = 0; at < whole; at += CHUNK_BYTES) yield all.subarray(at, at + CHUNK_BYTES)
    waiting = whole === length ? [] : [all.subarray(whole)]
    length -= whole
  }
  if (length > 0) yield Buffer.concat(waiting)
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
