// A server in the small, made of the kernel's own parts: three threads answer and count, the main
// thread drains their journal and writes domain rows with events. The test beside it kills it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
// Not through the door: it is started many times, and the rest of the kernel takes longer to load.
import type { Database, DatabaseSettings, Tx } from '#db'
import type { Log } from '#kernel'
import { createLocalBus } from '../../../src/kernel/bus/local.ts'
import { createClock } from '../../../src/kernel/clock.ts'
import { createSharedCounters } from '../../../src/kernel/counters/shared-memory.ts'
import { migrate } from '../../../src/kernel/db/migrate.ts'
import { startDatabase } from '../../../src/kernel/db/open.ts'
import { createOutbox } from '../../../src/kernel/events/outbox.ts'
import { createSequencer } from '../../../src/kernel/events/sequencer.ts'
import { createIds } from '../../../src/kernel/ids.ts'
import { createLeases } from '../../../src/kernel/jobs/leases.ts'
import { createLookout } from '../../../src/kernel/jobs/lookout.ts'
import { createJournalDrain } from '../../../src/kernel/journal/drain.ts'
import { openJournal } from '../../../src/kernel/journal/open.ts'
import type { JournalRecord } from '../../../src/kernel/journal/segment-reader.ts'
import { random } from '../../../src/kernel/random.ts'
import { createFailures } from '../../../src/kernel/threads/failures.ts'
import { settleThread } from '../../../src/kernel/threads/settled.ts'
import { supervise } from '../../../src/kernel/threads/supervise.ts'
import { createProofTables, type DomainTables, keepUsage } from './tables.ts'
import type { ThreadData } from './thread.ts'
import { KEYS, MINUTE, MONTH, windowStart } from './usage.ts'

export interface ProgramSettings {
  readonly database: DatabaseSettings
  readonly port: number
  readonly figuresPort: number
}

/** What the program tells its test, which may kill it there. */
export type Moment = 'opening' | 'draining' | 'ready' | 'transaction'

const THREADS = 3
const MAIN_OWNER = 1
/** Short, because on PostgreSQL the lease of a killed process must first run out. */
const SEQUENCER_LEASE_MS = 300

const settings: ProgramSettings = JSON.parse(process.argv[2] ?? '{}')
const clock = createClock()
const ids = createIds({ clock, random })
// Warnings are expected here: torn tails, and short leases lost on a busy machine.
const log: Log = { debug() {}, info() {}, warn() {}, error: console.error }
process.on('disconnect', () => process.exit(1))

tell('opening')
const started = await startDatabase(settings.database, { clock, log, onThreadFailure: fail })
const { database } = started
await migrate({
  database,
  directory: new URL('../../../migrations', import.meta.url).pathname,
  log,
})
await createProofTables(database)
const bus = createLocalBus({ log })
const outbox = createOutbox({ ids, clock, bus })
const sequencer = createSequencer({ db: database, bus })
const leases = createLeases({ db: database, owner: ids.uuid(), random, log })

const journal = openJournal({
  directory: join(settings.database.dataDir, 'journal'),
  clock,
  random,
  maxTotalBytes: 2 ** 28,
  maxSegmentBytes: 200_000,
})
const drain = createJournalDrain({ journal, store: database.aux, handle, clock, log })
tell('draining')
await drain.drainAll()
const counters = createSharedCounters({ clock, ownerId: MAIN_OWNER, capacity: 2 ** 12 })
await rebuildCounters(database)

const failures = createFailures({ clock, log, onGiveUp: fail })
const threads = Array.from({ length: THREADS }, (_, index) => startThread(index))
await Promise.all(threads.map((thread) => thread.start()))
drain.start()
const lookout = createLookout({ db: database, clock, log, random })
const leaseMs = SEQUENCER_LEASE_MS
const sequencing = sequencer.start({ leases, lookout, leaseMs, log, random })
const figures = createServer((_req, res) => void showFigures().then((text) => res.end(text)))
figures.listen(settings.figuresPort, '127.0.0.1')
await once(figures, 'listening')
process.once('SIGTERM', () => void stop())
tell('ready')
settleThread()

function startThread(index: number) {
  const data: ThreadData = {
    name: `gateway${index}`,
    ownerId: MAIN_OWNER + 1 + index,
    port: settings.port,
    clock: clock.shared,
    counters: counters.shared,
    journal: journal.address,
  }
  return supervise(
    {
      name: data.name,
      entry: new URL('./thread.ts', import.meta.url),
      data: () => ({ workerData: data, transfer: [] }),
      onMessage: (id, thread) => {
        void write(String(id)).then(() => thread.post(id))
      },
    },
    { failures, log },
  )
}

async function handle(tx: Tx, records: readonly JournalRecord[]) {
  tell('transaction')
  await keepUsage(tx, records)
}

async function write(id: string) {
  await database.main.transaction(undefined, async (tx) => {
    await tx.as<DomainTables>().insertInto('proof_domain').values({ id }).execute()
    await outbox.append(tx, { type: 'proof.written', payload: { id } })
  })
}

/** After `drainAll` the roll-ups hold everything that was ever answered. */
async function rebuildCounters({ aux }: Database) {
  for (const row of await currentRollUps(aux)) {
    const seed =
      row.unit === 'month'
        ? { name: `month:${row.key}`, window: MONTH, value: row.cost, epoch: 1 }
        : { name: `minute:${row.key}`, window: MINUTE, value: row.count, epoch: 1 }
    await counters.seed([seed])
  }
}

function currentRollUps(aux: Database['aux']) {
  const nowMs = clock.now()
  return aux.writer
    .selectFrom('proof_rollups')
    .selectAll()
    .where((either) =>
      either.or([
        either.and({ unit: 'month', starts_at: windowStart('month', nowMs) }),
        either.and({ unit: 'minute', starts_at: windowStart('minute', nowMs) }),
      ]),
    )
    .execute()
}

async function showFigures(): Promise<string> {
  await drain.drainAll()
  const rollUps = await currentRollUps(database.aux)
  const counts = KEYS.map((key) => ({
    key,
    month: counters.readSync(`month:${key}`, MONTH) ?? 0,
    minute: counters.readSync(`minute:${key}`, MINUTE) ?? 0,
  }))
  return JSON.stringify({ counts, rollUps, minute: windowStart('minute', clock.now()) })
}

/** The order of the real server: no more answers, then no more records, then no more database. */
async function stop() {
  figures.close()
  await Promise.all(threads.map((thread) => thread.stop(2_000)))
  await drain.stop()
  journal.close()
  await lookout.stop()
  await sequencing.stop()
  while (await sequencer.turn());
  await started.stop()
  process.exit(0)
}

function fail(name: string, error: Error) {
  console.error(`${name}: ${error.stack}`)
  process.exit(1)
}

function tell(moment: Moment) {
  process.send?.(moment)
}
