import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bus, type BusMessage, PROCESS_TOPIC } from '#bus'
import { nextTick } from '#cron'
import { openSnapshot } from '#db-transfer'
import { createLedLoop, type Leases, type Loop } from '#jobs'
import { type Clock, type Log, makeDirectory, OperatorError, type Random } from '#kernel'
import { BACKUP_ENDING, PART, writeBackup } from './backup-file.ts'
import { countMissing, type Files } from './files.ts'
import { recordsOf } from './records.ts'

export interface BackupSettings {
  readonly schedule: string | undefined
  readonly keep: number
  readonly directory: string
}

interface Deps {
  readonly settings: BackupSettings
  readonly at: Parameters<typeof openSnapshot>[0]
  readonly files: Pick<Files, 'list' | 'listMissing'>
  readonly version: string
  readonly clock: Clock
  readonly log: Log
  readonly random: Random
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly leases: Pick<Leases, 'tryHold'>
}

/** Tells how each backup has ended. */
export const BACKUP_TOPIC = 'backup.done'
/** The same, heard by this process alone: its backups lie here. */
export const BACKUP_HERE_TOPIC = `${PROCESS_TOPIC}backup.done`
/** Asks the worker of this process for one now. */
export const MAKE_BACKUP = `${PROCESS_TOPIC}backup.make`

const LOOK_EVERY_MS = 5_000
const LEASE_MS = 30_000
/** One that is written grows all the time; nodes that share the directory leave each other's alone. */
const ABANDONED_AFTER_MS = 600_000
const NAME = /^entrepot-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.entrepot$/

/**
 * Makes a backup when somebody asks for it, and whenever the schedule says so, on the node that holds the lease. What is there tells when the
 * last one was made: a time that was missed while nothing ran is made up for at once.
 */
export function startBackups(deps: Deps): Loop | null {
  const { settings, clock, log, random, leases } = deps
  const { schedule, directory } = settings
  /** One after the other: each removes what an unfinished one has left. */
  let making: Promise<unknown> = Promise.resolve()
  const make = (): Promise<boolean> => {
    const made = making.then(() => makeOne(deps))
    making = made
    return made
  }
  deps.bus.subscribe(MAKE_BACKUP, () => void make())
  if (schedule === undefined) return null
  const startedAtMs = clock.now()
  let failedAtMs = 0
  return createLedLoop({
    ...{ name: 'backups', everyMs: LOOK_EVERY_MS, ttlMs: LEASE_MS, leases, log, random },
    async run(signal) {
      const last = (await findBackups(directory)).at(-1)
      // Tried again with the next tick: a disk that is full now is full in five seconds, too.
      const after = Math.max(last?.atMs ?? startedAtMs, failedAtMs)
      const dueAtMs = nextTick(schedule, 'UTC', after)
      if (dueAtMs === null || clock.now() < dueAtMs || signal.aborted) return
      if (!(await make())) failedAtMs = clock.now()
    },
  })
}

/** Whether it could be made. */
async function makeOne({ settings, at, files, version, clock, log, bus }: Deps): Promise<boolean> {
  const startedMs = performance.now()
  const { directory, keep } = settings
  const tell = async (outcome: BusMessage) => {
    for (const topic of [BACKUP_TOPIC, BACKUP_HERE_TOPIC]) await bus.publish(topic, outcome)
  }
  try {
    prepare(directory)
    const createdAt = new Date(clock.now()).toISOString()
    const path = join(directory, nameOf(createdAt))
    await removeAbandoned(directory)
    const snapshot = await openSnapshot(at)
    try {
      const records = recordsOf({ snapshot, files, version, createdAt })
      const contents = await writeBackup(path, records)
      const durationMs = Math.round(performance.now() - startedMs)
      const { count: missing, example } = await countMissing(files)
      log.info({ path, durationMs, missing, ...contents }, 'a backup was made')
      if (missing > 0)
        log.warn({ path, missing, example }, 'a backup lacks files that lie elsewhere')
      const { bytes } = contents
      await tell({ ok: true, atMs: clock.now(), bytes, missing })
    } finally {
      await snapshot.close()
    }
    // Only now: until here the older ones were all there was.
    const all = await findBackups(directory)
    for (const { path: old } of all.slice(0, -keep)) await rm(old, { force: true })
    return true
  } catch (error) {
    log.error({ err: error, directory }, 'a backup could not be made; older ones are kept')
    await tell({ ok: false, atMs: clock.now(), bytes: 0, missing: 0 })
    return false
  }
}

function prepare(directory: string): void {
  try {
    makeDirectory(directory, 0o700)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new OperatorError(
      `${directory} cannot be made: ${why}. Set backup.directory to one that the server may write to.`,
      error,
    )
  }
}

/** Removes what processes have left that died over it; what is written by hand has another name. */
async function removeAbandoned(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.endsWith(PART) || !NAME.test(name.slice(0, -PART.length))) continue
    const path = join(directory, name)
    const found = await stat(path).catch(() => null)
    // By the clock of the disk, which has its times.
    const isGrowing = found !== null && Date.now() - found.mtimeMs < ABANDONED_AFTER_MS
    if (!isGrowing) await rm(path, { force: true })
  }
}

/** Those made by schedule, the oldest first. */
export async function findBackups(
  directory: string,
): Promise<readonly { readonly path: string; readonly atMs: number }[]> {
  // What is not there, or cannot be read, has none; making one tells what is wrong.
  const names = await readdir(directory).catch((): string[] => [])
  return names.sort().flatMap((name) => {
    const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? []
    if (year === undefined) return []
    const atMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
    return [{ path: join(directory, name), atMs }]
  })
}

function nameOf(createdAt: string): string {
  return `entrepot-${createdAt.slice(0, 19).replaceAll(/[-:]/g, '')}Z${BACKUP_ENDING}`
}
