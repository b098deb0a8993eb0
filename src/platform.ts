/**
 * What every role of a process stands on: log, clock, database, bus, counters, secrets. The main
 * thread starts it; the worker thread attaches to what it started.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { threadId } from 'node:worker_threads'
import {
  createBus,
  createLocalBus,
  createPostgresRemote,
  createRedisRemote,
  createRevisions,
} from '#bus'
import type { Config } from '#config'
import {
  type CounterStores,
  connectCounters,
  createSharedCounters,
  openCounters,
  ownerIdOf,
} from '#counters'
import {
  type Database,
  type DatabaseSettings,
  migrate,
  pendingMigrations,
  prepareDataDirectory,
  refuseMoving,
  sqliteFiles,
  startDatabase,
} from '#db'
import { openJournal } from '#journal'
import {
  type Clock,
  createClock,
  createIds,
  type Log,
  OperatorError,
  openLog,
  random,
} from '#kernel'
import {
  createSecretBox,
  isMasterKeyKnown,
  loadMasterKey,
  type SecretBox,
  verifyMasterKey,
} from '#secrets'
import { createFailures } from '#threads'
import manifest from '../package.json' with { type: 'json' }
import { openLiveSettings } from './live-settings.ts'
import type { PlatformAddress } from './platform-in-thread.ts'

export const version = manifest.version

export const MIGRATIONS = new URL('../migrations', import.meta.url).pathname

interface StartDeps {
  /** Threads keep dying; the process should end with a failure. */
  onGiveUp(name: string, error: Error): void
}

/** Starts it in order; what was started is stopped again when a later part fails. */
export async function startPlatform(config: Config, { onGiveUp }: StartDeps) {
  prepareDataDirectory(config.dataDir)
  const clock = createClock()
  const ids = createIds({ clock, random })
  const stops: (() => unknown)[] = []
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each()
  }
  try {
    const { log, requests, file, reopen, close } = openLog(logSettings(config), 'main')
    stops.push(close)
    const failures = createFailures({ clock, log, onGiveUp })
    const masterKeys = await loadMasterKey({
      dataDir: config.dataDir,
      fromEnvironment: config.masterKey,
      previous: config.masterKeyPrevious,
      random,
    })
    const started = await startDatabase(databaseSettings(config), {
      clock,
      log,
      onThreadFailure: (name, error) => failures.note(name, error),
    })
    stops.push(started.stop)
    const { database } = started
    await refuseMoving(database)
    const migrated = await migrate({ database, directory: MIGRATIONS, log })
    const box = createSecretBox({ ...masterKeys, random })
    await verifyMasterKey({ store: database.main, dialect: database.dialect, box })

    const nodeId = ids.uuid()
    const local = createLocalBus({ log })
    const remote = await openRemote(config, nodeId)
    const bus = await createBus({ local, remote, nodeId, log })
    stops.push(bus.close)
    const revisions = createRevisions({ bus, log, pollFrom: database.main })
    stops.push(revisions.close)
    const settings = await openLiveSettings({
      config,
      db: database,
      revisions,
      box,
      log,
      followers: bus,
    })
    stops.push(settings.close)
    const localCounters = openLocalCounters(config, clock)
    stops.push(() => keepCounters(config, localCounters.dump(), log))
    const counters = await openCounters(counterStores(config, log), {
      clock,
      log,
      local: localCounters,
      policy: () => settings.get('limits').onStoreFailure,
    })
    stops.push(counters.close)

    const journal = openJournal({
      directory: join(config.dataDir, 'journal'),
      clock,
      random,
      maxTotalBytes: config.usage.journalMaxBytes,
    })
    stops.push(journal.close)

    const address = () => {
      const { address, transfer } = started.connect()
      const busPort = bus.connect()
      const given: PlatformAddress = {
        database: address,
        clock: clock.shared,
        counters: localCounters.shared,
        bus: busPort,
        log: logSettings(config),
        masterKeys,
        usageRetentionDays: config.usage.retentionDays,
        publicUrl: config.publicUrl,
        settings: settings.share(),
        version,
        chromium: chromiumOf(config),
        uploads: uploadsOf(config),
        amqpUrl: config.amqpUrl,
        commerce: { workers: config.commerce.workers },
        backup: { ...config.backup, schedule: config.backup.schedule },
        isDevelopment: config.env === 'development',
      }
      return { address: given, transfer: [...transfer, busPort] }
    }
    const logging = { log, requestLog: requests, logFile: file, reopenLog: reopen }
    return {
      ...logging,
      migrated,
      clock,
      ids,
      nodeId,
      failures,
      database,
      bus,
      revisions,
      settings,
      localCounters,
      counters,
      journal,
      box,
      address,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

export function uploadsOf({ dataDir, media }: Config) {
  return { directory: resolve(dataDir, 'uploads'), ...media }
}

export function chromiumOf({ scrapers: { chromium, chromiumUser } }: Config) {
  return { chromium, chromiumUser }
}

export type Platform = Awaited<ReturnType<typeof startPlatform>>

/**
 * Just the database, for a command on the host: also while a server runs on it, which finds what was
 * changed by comparing revisions. The schema has to be there already.
 */
export async function openForCommand(config: Config) {
  const settings = databaseSettings(config)
  const { dataDir } = settings
  if (settings.url === undefined && !existsSync(sqliteFiles(dataDir).main)) {
    throw new OperatorError(`There is no Entrepot in ${dataDir} yet; start the server once first.`)
  }
  const opened = await openStore(config, { beside: true })
  const { database, stop } = opened
  if ((await pendingMigrations({ database, directory: MIGRATIONS })).length > 0) {
    await stop()
    throw new OperatorError('The database is of an older version; start the server once first.')
  }
  return opened
}

/** `beside`: a server may run on it. */
async function openStore(config: Config, { beside }: { readonly beside: boolean }) {
  const clock = createClock()
  const ids = createIds({ clock, random })
  const { log, close } = openLog(logSettings(config), 'command')
  const { database, ...started } = await startDatabase(databaseSettings(config), {
    ...{ clock, log, beside },
    onThreadFailure: (_name, error) => {
      throw error
    },
  })
  const bus = createLocalBus({ log })
  const revisions = createRevisions({ bus, log })
  return { clock, ids, log, database, bus, revisions, stop }

  async function stop() {
    revisions.close()
    await bus.close()
    await started.stop()
    await close()
  }
}

export interface Inspected {
  readonly database: Database
  /** Migrations that the next start applies. */
  readonly pending: number
  /** Null when the key file is not there; it is not made, which would hide that it is lost. */
  readonly box: SecretBox | null
}

/** Opens the database for a look, a server beside it or not; null when there is none yet. */
export async function inspectDatabase<T>(
  config: Config,
  inspect: (found: Inspected) => Promise<T>,
): Promise<T | null> {
  const settings = databaseSettings(config)
  const { dataDir } = settings
  if (settings.url === undefined && !existsSync(sqliteFiles(dataDir).main)) return null
  const silent = { ...logSettings(config), to: 'stdout', level: 'silent' } as const
  const { log, close } = openLog(silent, 'command')
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  const started = await startDatabase(settings, {
    ...{ clock: createClock(), log, beside: true },
    onThreadFailure: (_name, error) => failed.reject(error),
  })
  try {
    return await Promise.race([look(started.database), failed.promise])
  } finally {
    await started.stop()
    await close()
  }

  async function look(database: Database): Promise<T> {
    const pending = await pendingMigrations({ database, directory: MIGRATIONS })
    return inspect({ database, pending: pending.length, box: await findBox(config) })
  }
}

/** For commands that only read: they make no key file, so null when there is none. */
export async function findBox(config: Config): Promise<SecretBox | null> {
  const { dataDir, masterKey: fromEnvironment, masterKeyPrevious: previous } = config
  if (fromEnvironment === undefined && !existsSync(join(dataDir, 'master.key'))) return null
  const keys = await loadMasterKey({ dataDir, fromEnvironment, previous, random })
  return createSecretBox({ ...keys, random })
}

/**
 * The database of a stopped server, at the schema of this version, with the master key that is there or
 * a new one: whether it is the one that sealed what is stored is for the caller to deal with.
 */
export async function openAlone(config: Config) {
  prepareDataDirectory(config.dataDir)
  const masterKeys = await loadMasterKey({
    dataDir: config.dataDir,
    fromEnvironment: config.masterKey,
    previous: config.masterKeyPrevious,
    random,
  })
  const opened = await openStore(config, { beside: false })
  const { database, log, stop } = opened
  try {
    await migrate({ database, directory: MIGRATIONS, log })
    const box = createSecretBox({ ...masterKeys, random })
    const isKeyKnown = await isMasterKeyKnown({ store: database.main, box })
    return { ...opened, box, isKeyKnown }
  } catch (error) {
    await stop()
    throw error
  }
}

interface BareOptions {
  /** Absent: SQLite in the data directory. */
  readonly url: string | undefined
  /** Where the URL was given, if not in the settings. */
  readonly urlFrom?: string
  /** There has to be one, and a server may run on it. */
  readonly isThere?: boolean
  /** Also one that the next start would change. */
  readonly anyVersion?: boolean
}

/** Just a database, empty or not, for what takes an installation from one place to another. */
export async function openBare(config: Config, options: BareOptions) {
  const { url, urlFrom, isThere = false, anyVersion = false } = options
  const { dataDir } = config
  if (isThere && url === undefined && !existsSync(sqliteFiles(dataDir).main)) {
    throw new OperatorError(`There is no database in ${dataDir}.`)
  }
  prepareDataDirectory(dataDir)
  const { log, close } = openLog(logSettings(config), 'command')
  const started = await startDatabase(
    { ...databaseSettings(config), url, ...(urlFrom === undefined ? {} : { urlFrom }) },
    {
      ...{ clock: createClock(), log, beside: isThere, writesWhileMoving: true },
      onThreadFailure: (_name, error) => {
        throw error
      },
    },
  )
  const stop = async () => {
    await started.stop()
    await close()
  }
  const { database } = started
  const needsAll = isThere && !anyVersion
  if (needsAll && (await pendingMigrations({ database, directory: MIGRATIONS })).length > 0) {
    await stop()
    throw new OperatorError('The database is of an older version; start the server once first.')
  }
  return { database, log, stop }
}

function databaseSettings(config: Config): DatabaseSettings {
  const { storage } = config
  const { dataDir, databaseUrl: url } = config
  return { url, dataDir, ...storage }
}

/** The way to the other nodes; none while one process has it all. */
async function openRemote({ redisUrl, redisPrefix, databaseUrl }: Config, nodeId: string) {
  if (redisUrl) return createRedisRemote({ url: redisUrl, prefix: redisPrefix })
  if (databaseUrl) return createPostgresRemote({ url: databaseUrl, nodeId })
  return undefined
}

function logSettings({ log, dataDir }: Config): Parameters<typeof openLog>[0] {
  return { ...log, dataDir }
}

const countersFile = (config: Config) => join(config.dataDir, 'counters.bin')

function counterStores(config: Config, log: Log): CounterStores {
  const { redisUrl, redisPrefix, databaseUrl } = config
  return {
    redis: redisUrl === undefined ? null : { url: redisUrl, prefix: redisPrefix },
    openSql: databaseUrl === undefined ? null : () => connectCounters(databaseUrl, log),
    timeoutMs: config.counters.storeTimeoutMs,
  }
}

/** Local counters survive an orderly restart only: the file is taken once and then gone. */
function openLocalCounters(config: Config, clock: Clock) {
  const { capacity } = config.counters
  const counters = createSharedCounters({ clock, capacity, ownerId: ownerIdOf(threadId) })
  try {
    counters.load(readFileSync(countersFile(config)))
    rmSync(countersFile(config))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  return counters
}

/** Without them the next start counts anew, by database and journal; a full disk must not keep this one from ending. */
function keepCounters(config: Config, dump: Buffer, log: Pick<Log, 'warn'>) {
  try {
    writeFileSync(countersFile(config), dump)
  } catch (error) {
    log.warn({ err: error }, 'the counters of this node could not be kept')
  }
}
