/** What an operator watches of the process as a whole; gauges are read when they are asked for. */
import { existsSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import type { Bus, BusMessage } from '#bus'
import type { Config } from '#config'
import { type AnyTables, type Database, sqliteFiles } from '#db'
import type { Metrics } from '#http'
import type { Clock } from '#kernel'
import { BACKUP_TOPIC, findBackups } from '#transfer'

interface Deps {
  readonly config: Config
  readonly registry: Metrics['registry']
  readonly db: Database
  readonly clock: Clock
  readonly bus: Pick<Bus, 'subscribe'>
  /** Refused requests of this thread, by the limit and the plan that refused them. */
  refusals(): readonly { readonly limit: string; readonly plan: string; readonly count: number }[]
  /** Of usage that is not in the database yet. */
  journal(): { readonly waitingBytes: number; readonly lagMs: number }
}

/** Rows that wait, each with the moment since which it does. */
const QUEUES = {
  events: sql`select min(created_at) as since from kernel_events where seq is null`,
  deliveries: sql`select min(due_at) as since from webhooks_lanes where is_active = 1`,
  bulks: sql`select min(accepted_at) as since from commerce_bulks
    where accepted_at is not null and completed_at is null`,
  runs: sql`select min(started_at) as since from scrapers_runs
    where executing_at is null and finished_at is null`,
}

export async function registerOperationMetrics(deps: Deps): Promise<() => void> {
  const { default: prometheus } = await import('prom-client')
  const { config, db, clock, bus } = deps
  const { Counter, Gauge } = prometheus
  const registers = [deps.registry]
  const reader: Kysely<AnyTables> = db.main.reader

  new Counter({
    name: 'access_refusals_total',
    help: 'Requests that this process has refused by a limit: minute or month, and of which plan',
    labelNames: ['limit', 'plan'],
    registers,
    collect() {
      this.reset()
      for (const { limit, plan, count } of deps.refusals()) this.inc({ limit, plan }, count)
    },
  })
  show('journal_waiting_bytes', 'Usage of this process that is not in the database yet', () =>
    Math.max(0, deps.journal().waitingBytes),
  )
  show(
    'journal_drain_lag_seconds',
    'For how long the oldest of that usage has been waiting',
    () => deps.journal().lagMs / 1000,
  )
  new Counter({
    name: 'database_seconds_total',
    help: 'Time that statements of the API thread took, from asking to the answer',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset()
      for (const [kind, { ms }] of db.times()) this.inc({ kind }, ms / 1000)
    },
  })
  new Counter({
    name: 'database_statements_total',
    help: 'Statements of the API thread, or writes of several',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset()
      for (const [kind, { count }] of db.times()) this.inc({ kind }, count)
    },
  })
  new Gauge({
    name: 'queue_oldest_age_seconds',
    help: 'For how long the first of a queue has been due; 0 when nothing waits',
    labelNames: ['queue'],
    registers,
    async collect() {
      for (const [queue, oldest] of Object.entries(QUEUES)) {
        const { rows } = await oldest.$castTo<{ since: number | null }>().execute(reader)
        const since = rows[0]?.since
        this.set({ queue }, since == null ? 0 : Math.max(0, clock.now() - Number(since)) / 1000)
      }
    },
  })
  new Gauge({
    name: 'disk_used_bytes',
    help: 'What the parts of the data directory take; with PostgreSQL, the database is elsewhere',
    labelNames: ['part'],
    registers,
    collect() {
      for (const [part, bytes] of Object.entries(usedBy(config))) this.set({ part }, bytes)
    },
  })
  show('disk_free_bytes', 'Room that is left where the data directory lies', () => freeIn(config))
  registerThreads()
  return registerBackups()

  function show(name: string, help: string, read: () => number | Promise<number>) {
    new Gauge({
      ...{ name, help, registers },
      async collect() {
        this.set(await read())
      },
    })
  }

  /** Linux tells them by name; elsewhere there are none. */
  function registerThreads() {
    const figures = {
      cpu: 'Processor time of the threads of this process, by name',
      wait: 'Time that threads of this process could have run and had no processor, by name',
    }
    for (const [of, help] of Object.entries(figures)) {
      new Counter({
        ...{ name: `process_thread_${of}_seconds_total`, help, labelNames: ['thread'], registers },
        collect() {
          this.reset()
          for (const { thread, cpu, wait } of readThreads()) {
            this.inc({ thread }, of === 'cpu' ? cpu : wait)
          }
        },
      })
    }
  }

  function registerBackups() {
    const outcomes = new Counter({
      name: 'backup_runs_total',
      help: 'Backups by schedule that were tried while this process ran, by result',
      labelNames: ['result'],
      registers,
    })
    show(
      'backup_last_success_timestamp_seconds',
      'When the newest backup in backup.directory was made; 0 when there is none',
      async () => ((await findBackups(config.backup.directory)).at(-1)?.atMs ?? 0) / 1000,
    )
    return bus.subscribe(BACKUP_TOPIC, (message) => {
      outcomes.inc({ result: isSuccess(message) ? 'success' : 'failure' })
    })
  }
}

function isSuccess(message: BusMessage): boolean {
  return typeof message === 'object' && message !== null && 'ok' in message && message.ok === true
}

/** Uploads by their own directory: names in it are few thousands, and read in milliseconds. */
export function usedBy({ dataDir, databaseUrl, backup }: Config): Record<string, number> {
  const { main, aux } = sqliteFiles(dataDir)
  const ofFile = (file: string) => sizeOf(file) + sizeOf(`${file}-wal`)
  return {
    ...(databaseUrl === undefined ? { database: ofFile(main), usage: ofFile(aux) } : {}),
    journal: bytesIn(join(dataDir, 'journal')),
    uploads: bytesIn(join(dataDir, 'uploads')),
    logs: bytesIn(join(dataDir, 'logs')),
    backups: bytesIn(backup.directory),
  }
}

export function freeIn({ dataDir }: Config): number {
  const { bavail, bsize } = statfsSync(dataDir)
  return bavail * bsize
}

/** 0 of what is not there, or no directory. */
function bytesIn(directory: string): number {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return 0
  let sum = 0
  for (const name of readdirSync(directory)) sum += sizeOf(join(directory, name))
  return sum
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function readThreads() {
  const directory = '/proc/self/task'
  if (!existsSync(directory)) return []
  return readdirSync(directory).flatMap((id) => {
    try {
      const thread = readFileSync(join(directory, id, 'comm'), 'utf8').trim()
      const times = readFileSync(join(directory, id, 'schedstat'), 'utf8').split(' ')
      const [cpu = 0, wait = 0] = times.map((ns) => Number(ns) / 1e9)
      return [{ thread, cpu, wait }]
    } catch {
      // It has ended meanwhile.
      return []
    }
  })
}
