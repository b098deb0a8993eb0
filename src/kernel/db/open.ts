import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import type { Clock } from '../clock.ts'
import { OperatorError } from '../errors.ts'
import type { Log } from '../log.ts'
import { makeDirectory } from '../make-directory.ts'
import type { Database } from './database.ts'
import { findMove } from './moves.ts'
import { allowedConnections, openPostgres } from './postgres.ts'
import {
  MOST_CONNECTIONS,
  mostConnections,
  shareOfMain,
  shareOfThread,
  splitConnections,
} from './postgres-connections.ts'
import { closeToOthers } from './private-files.ts'
import { createStorageClient } from './sqlite/client.ts'
import { sqliteDialect } from './sqlite/dialect.ts'
import { StorageError } from './sqlite/errors.ts'
import { createFileMark } from './sqlite/file-mark.ts'
import { startStorage } from './sqlite/hub.ts'
import { createSqliteKysely, sqliteAsk, sqliteCarryOut, sqliteRead } from './sqlite/kysely.ts'
import { lockDataDirectory } from './sqlite/lock.ts'
import type { FileName, StorageAddress } from './sqlite/protocol.ts'
import { IN_FLIGHT_PER_READER } from './sqlite/reader-queue.ts'
import { createStore, timesOf } from './store.ts'
import { createWriteGate, type MayWrite } from './write-gate.ts'

/** What SQLite says of a statement that names a table or column which is not there, among others. */
const SQLITE_ERROR = 1
/** Twice as many as a reader is sent: it has the next ones at once, before those that are answered have been rendered. */
const LONG_READS_PER_READER = 2 * IN_FLIGHT_PER_READER
/** One that scans, and one that the scanner finds when it is done. */
const SCANS_AT_HAND = 2

export interface DatabaseSettings {
  /** Absent: SQLite in the data directory. */
  readonly url: string | undefined
  /** What a person has to correct when the URL is wrong: by default the setting. */
  readonly urlFrom?: string
  readonly dataDir: string
  readonly readers: number
  readonly readTimeoutMs: number
  readonly scanTimeoutMs: number
  /** Most connections to PostgreSQL: of a process, and in the address of a thread those of this thread. */
  readonly connections?: number
}

interface Deps {
  readonly clock: Clock
  readonly log: Log
  /** For what moves an installation: it writes where others must not. */
  readonly writesWhileMoving?: boolean
}

interface StartDeps extends Deps {
  /** For a command on the host: beside a server that may be running, without its lock. */
  readonly beside?: boolean
  onThreadFailure(name: string, error: Error): void
}

/** What another thread needs to reach the same database. */
export interface DatabaseAddress {
  readonly settings: DatabaseSettings
  readonly storage: StorageAddress | null
}

export interface StartedDatabase {
  readonly database: Database
  /** A way in for one more thread; the ports go into the transfer list of its `workerData`. */
  connect(): { readonly address: DatabaseAddress; readonly transfer: MessagePort[] }
  stop(): Promise<void>
}

export function sqliteFiles(dataDir: string): Record<FileName, string> {
  return { main: join(dataDir, 'entrepot.db'), aux: join(dataDir, 'usage.db') }
}

/** Creates the data directory; fails with one clear line when it cannot be written. */
export function prepareDataDirectory(dataDir: string): void {
  try {
    makeDirectory(dataDir)
    accessSync(dataDir, constants.W_OK)
    closeToOthers(dataDir)
  } catch (error) {
    throw new OperatorError(
      `The data directory ${dataDir} cannot be written: ${error instanceof Error ? error.message : error}. Set ENTREPOT_DATA_DIR to a directory that can be written.`,
      error,
    )
  }
}

/** Opens the database for a process: on SQLite it takes the lock and starts the storage threads. */
export async function startDatabase(
  settings: DatabaseSettings,
  deps: StartDeps,
): Promise<StartedDatabase> {
  if (settings.url !== undefined) {
    const allowed = await allowedConnections(settings.url)
    const most = mostConnections(settings.connections ?? MOST_CONNECTIONS, allowed)
    const addressOf = (connections: number): DatabaseAddress => ({
      ...{ settings: { ...settings, connections }, storage: null },
    })
    const database = await attachDatabase(addressOf(shareOfMain(most)), deps)
    const connect = () => ({ address: addressOf(shareOfThread(most)), transfer: [] })
    return { database, connect, stop: () => database.close() }
  }
  const unlock = deps.beside ? () => {} : lockDataDirectory(settings.dataDir)
  try {
    const hub = await startStorage({
      files: sqliteFiles(settings.dataDir),
      readers: settings.readers,
      log: deps.log,
      onFailure: deps.onThreadFailure,
    })
    const connect = () => {
      const storage = hub.connect()
      const transfer = [storage.control, storage.writer, ...storage.readers]
      return { address: { settings, storage }, transfer }
    }
    const database = await attachDatabase(connect().address, deps)
    const stop = async () => {
      await database.close()
      await hub.stop()
      unlock()
    }
    return { database, connect, stop }
  } catch (error) {
    unlock()
    throw error
  }
}

/** Opens the database in a thread that was given its address. */
export async function attachDatabase(address: DatabaseAddress, deps: Deps): Promise<Database> {
  const { settings, storage } = address
  const timeouts = { readMs: settings.readTimeoutMs, scanMs: settings.scanTimeoutMs }
  let findOut: Parameters<typeof createWriteGate>[0] = async () => undefined
  const mayWrite: MayWrite = deps.writesWhileMoving
    ? async () => {}
    : createWriteGate(() => findOut())
  if (!storage) {
    if (settings.url === undefined) throw new Error('neither storage threads nor a database URL')
    const connections = splitConnections(settings.connections ?? shareOfMain(MOST_CONNECTIONS))
    const { url, urlFrom = 'ENTREPOT_DATABASE_URL' } = settings
    const database = await openPostgres({ url, urlFrom, ...deps, connections, timeouts, mayWrite })
    findOut = () => findMove(database.main.reader, 'out')
    return database
  }
  const client = createStorageClient(storage, timeouts)
  const dialect = sqliteDialect(deps.clock, storage.numbers)
  const store = (file: FileName) =>
    createStore({
      reader: createSqliteKysely(client, file, 'read'),
      scanner: createSqliteKysely(client, file, 'scan'),
      writer: createSqliteKysely(client, file, 'write', mayWrite),
      ask: sqliteAsk(client, file),
      longReads: { try: settings.readers * LONG_READS_PER_READER, scan: SCANS_AT_HAND },
      mark: createFileMark(sqliteFiles(settings.dataDir)[file]),
      read: sqliteRead(client, file),
      carryOut: sqliteCarryOut(client, file, mayWrite),
      isLostRace: dialect.isUniqueViolation,
      isMisfit: (error) => error instanceof StorageError && error.errcode === SQLITE_ERROR,
      log: deps.log,
    })
  const main = store('main')
  findOut = () => findMove(main.reader, 'out')
  const aux = store('aux')
  return {
    ...{ dialect, main, aux, times: timesOf(main, aux) },
    close: async () => client.close(),
  }
}
