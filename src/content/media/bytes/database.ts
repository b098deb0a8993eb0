import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open as openFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Kysely } from 'kysely'
import type { ContentTables } from '../../tables.ts'
import { createCacheSweep } from './cache.ts'
import {
  chunkNames,
  createChunkWriter,
  deleteChunks,
  findChunks,
  heldOf,
  isFile,
} from './chunks.ts'
import type { BytesDeps, FileBytes, OpenedBytes } from './file-bytes.ts'
import { INCOMING } from './incoming.ts'
import { hashIn } from './names.ts'

/**
 * Bytes in the database, with a bounded cache of them on this machine. The database is asked with
 * every use: what another node has deleted is gone here, too.
 */
export function createDatabaseBytes(deps: BytesDeps, local: FileBytes): FileBytes {
  const { clock, log, directory, cacheBytes } = deps
  const { dialect } = deps.db
  const reader: Kysely<ContentTables> = deps.db.main.reader
  const writer: Kysely<ContentTables> = deps.db.main.writer
  const cache = createCacheSweep({
    ...{ directory, maxBytes: cacheBytes },
    heldOf: (names) => heldOf(reader, names),
  })
  const chunks = createChunkWriter(deps.db.main)
  const filling = new Map<string, Promise<void>>()
  return {
    ...{ take, open, toLocal, remove, names: () => chunkNames(reader) },
    // Bytes that no file has are found by their rows (`findAbandoned`).
    ...{ doubt: async () => {}, settle: async () => {} },
    // The directory is a cache: what a crash takes from it the database still has.
    needsSync: false,
  }

  async function take(path: string, name: string): Promise<void> {
    const { size } = await stat(path)
    await chunks.writeFile(path, name, clock.now())
    await local.take(path, name)
    await cache.added(size)
  }

  async function open(name: string): Promise<OpenedBytes | undefined> {
    const cached = await local.open(name)
    const stored = await findChunks(reader, name).catch((error: unknown) => {
      // While the database is away files go on being served from what is here.
      if (cached && dialect.isUnavailable(error)) return cached
      throw error
    })
    if (stored === cached) return cached
    if (!stored) return cached && openOlder(name, cached)
    if (cached?.sizeBytes === stored.sizeBytes) {
      cache.used(name).catch(() => {})
      return { ...stored, read: (first, last) => readCached(name, stored, first, last) }
    }
    if (stored.sizeBytes > 0 && stored.sizeBytes <= cacheBytes) {
      fill(name, stored).catch((error: unknown) => {
        log.warn({ err: error, name }, 'a file could not be put into the cache')
      })
    }
    return stored
  }

  /** What the cache is swept of between the look and the reading comes from the database; an open file stays readable. */
  function readCached(name: string, stored: OpenedBytes, first: number, last: number): Readable {
    return Readable.from(bytes(), { objectMode: false })

    async function* bytes() {
      const file = await openFile(join(directory, name)).catch(() => undefined)
      yield* file ? file.createReadStream({ start: first, end: last }) : stored.read(first, last)
    }
  }

  /** Of an installation whose directory is not taken in yet; anything else here was deleted. */
  async function openOlder(name: string, cached: OpenedBytes): Promise<OpenedBytes | undefined> {
    if (await isFile(reader, hashIn(name) ?? '')) return cached
    await local.remove([name])
    return undefined
  }

  async function toLocal(name: string): Promise<string | undefined> {
    const opened = await open(name)
    if (!opened) return undefined
    const path = await local.toLocal(name)
    if (path) return path
    await fill(name, opened)
    return local.toLocal(name)
  }

  /** Once for all who ask for the file meanwhile; it is there whole or not at all. */
  function fill(name: string, stored: OpenedBytes): Promise<void> {
    const running = filling.get(name)
    if (running) return running
    const started = copy(name, stored).finally(() => filling.delete(name))
    filling.set(name, started)
    return started
  }

  async function copy(name: string, { sizeBytes, read }: OpenedBytes): Promise<void> {
    const incoming = join(directory, INCOMING, randomUUID())
    await mkdir(join(directory, INCOMING), { recursive: true })
    try {
      await pipeline(read(0, sizeBytes - 1), createWriteStream(incoming))
      await local.take(incoming, name)
    } catch (error) {
      await rm(incoming, { force: true })
      throw error
    }
    await cache.added(sizeBytes)
  }

  async function remove(names: readonly string[]): Promise<void> {
    await deleteChunks(writer, names)
    await local.remove(names)
  }
}
