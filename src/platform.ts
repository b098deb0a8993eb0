/**
 * What every role of a process stands on: log, clock, database, bus, counters, secrets. The main
 * thread starts it; the worker thread attaches to what it started.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Transferable } from 'node:worker_threads'
import type { Config } from '#config'
import {
  attachDatabase,
  type Clock,
  createBus,
  createClock,
  createFailures,
  createIds,
  createLocalBus,
  createPostgresRemote,
  createRedisRemote,
  createRevisions,
  createSecretBox,
  createSharedCounters,
  type DatabaseAddress,
  type DatabaseSettings,
  type LogSettings,
  loadMasterKey,
  type MasterKeys,
  migrate,
  openLog,
  prepareDataDirectory,
  REOPEN_LOG,
  random,
  startDatabase,
  verifyMasterKey,
} from '#kernel'

export const version: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version

const MIGRATIONS = new URL('../migrations', import.meta.url).pathname
const MAIN_THREAD = 1

interface StartDeps {
  /** Threads keep dying; the process should end with a failure. */
  onGiveUp(name: string, error: Error): void
}

/** What a thread needs to attach to the platform of its process; goes into its `workerData`. */
export interface PlatformAddress {
  readonly database: DatabaseAddress
  readonly clock: SharedArrayBuffer
  readonly counters: SharedArrayBuffer
  readonly channel: string
  readonly log: LogSettings
  readonly masterKeys: MasterKeys
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
    const settings = logSettings(config)
    const { log, file, reopen, close } = openLog(settings, 'main')
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
    const migrated = await migrate({ database, directory: MIGRATIONS, log })
    const box = createSecretBox({ ...masterKeys, random })
    await verifyMasterKey({ store: database.main, dialect: database.dialect, box })

    const nodeId = ids.uuid()
    const channel = `entrepot-${nodeId}`
    const local = createLocalBus({ channel, log })
    const remote = await openRemote(config, nodeId)
    const bus = await createBus({ local, remote, nodeId, log })
    stops.push(bus.close)
    const revisions = createRevisions({ bus, log, pollFrom: database.main })
    stops.push(revisions.close)
    const counters = openCounters(config, clock)
    stops.push(() => keepCounters(config, counters.dump()))

    const address = () => {
      const { address, transfer } = started.connect()
      const given: PlatformAddress = {
        database: address,
        clock: clock.shared,
        counters: counters.shared,
        channel,
        log: settings,
        masterKeys,
      }
      return { address: given, transfer: transfer as Transferable[] }
    }
    const logging = { log, logFile: file, reopenLog: reopen }
    return {
      ...logging,
      migrated,
      clock,
      ids,
      nodeId,
      channel,
      failures,
      database,
      bus,
      revisions,
      counters,
      box,
      address,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

export type Platform = Awaited<ReturnType<typeof startPlatform>>

/** The same parts in another thread of the process. */
export async function attachPlatform(address: PlatformAddress, name: string) {
  const clock = createClock(address.clock)
  const ids = createIds({ clock, random })
  const { log, close, reopen } = openLog(address.log, name)
  const database = await attachDatabase(address.database, { clock, log })
  const bus = createLocalBus({ channel: address.channel, log })
  bus.subscribe(REOPEN_LOG, reopen)
  const revisions = createRevisions({ bus, log })
  const box = createSecretBox({ ...address.masterKeys, random })
  const stop = async () => {
    revisions.close()
    await bus.close()
    await database.close()
    await close()
  }
  return { log, clock, ids, database, bus, revisions, box, stop }
}

export type AttachedPlatform = Awaited<ReturnType<typeof attachPlatform>>

export function databaseSettings(config: Config): DatabaseSettings {
  const { readers, readTimeoutMs, scanTimeoutMs } = config.storage
  const { dataDir, databaseUrl: url } = config
  return { url, dataDir, readers, readTimeoutMs, scanTimeoutMs }
}

/** The way to the other nodes; none while one process has it all. */
async function openRemote({ redisUrl, redisPrefix, databaseUrl }: Config, nodeId: string) {
  if (redisUrl) return createRedisRemote({ url: redisUrl, prefix: redisPrefix })
  if (databaseUrl) return createPostgresRemote({ url: databaseUrl, nodeId })
  return undefined
}

function logSettings({ log, dataDir }: Config): LogSettings {
  return { ...log, dataDir }
}

const countersFile = (config: Config) => join(config.dataDir, 'counters.bin')

/** Local counters survive an orderly restart only: the file is taken once and then gone. */
function openCounters(config: Config, clock: Clock) {
  const { capacity } = config.counters
  const counters = createSharedCounters({ clock, capacity, ownerId: MAIN_THREAD })
  try {
    counters.load(readFileSync(countersFile(config)))
    rmSync(countersFile(config))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  return counters
}

function keepCounters(config: Config, dump: Buffer) {
  writeFileSync(countersFile(config), dump)
}
