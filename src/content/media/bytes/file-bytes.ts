import type { Readable } from 'node:stream'
import type { Database } from '#db'
import type { Clock, Log } from '#kernel'
import { createDatabaseBytes } from './database.ts'
import { createDirectoryBytes } from './directory.ts'

/** The bytes of files by the names of `names.ts`. Under one name they never change. */
export interface FileBytes {
  /** Takes over a file of this machine, which is gone from its place afterwards. */
  take(path: string, name: string): Promise<void>
  open(name: string): Promise<OpenedBytes | undefined>
  /** A file of this machine with these bytes; undefined when nobody has them. */
  toLocal(name: string): Promise<string | undefined>
  remove(names: readonly string[]): Promise<void>
  /**
   * Before a transaction that decides whether these are a file's: a start after a kill finds them, and removes those
   * that no file has. `settle` or `remove` follow when it has decided.
   */
  doubt(names: readonly string[]): Promise<void>
  settle(names: readonly string[]): Promise<void>
  /** All whole ones, in their order. */
  names(): AsyncIterable<string>
  /** Whether what is taken has to be on the disk before. */
  readonly needsSync: boolean
}

export interface OpenedBytes {
  readonly sizeBytes: number
  /** Both ends included; there is at least one byte between them. */
  read(first: number, last: number): Readable
}

export interface BytesDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  /** `<data>/uploads`: the bytes themselves, or the cache of those in the database. */
  readonly directory: string
  /** What the cache may hold. */
  readonly cacheBytes: number
}

/** Where several processes share a database it holds the bytes, so that each of them can serve all. */
export function createFileBytes(deps: BytesDeps): FileBytes {
  const local = createDirectoryBytes(deps.directory)
  return deps.db.dialect.singleProcess ? local : createDatabaseBytes(deps, local)
}
