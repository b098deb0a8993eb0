// The worker thread: deliveries, crawls, bulk work, cron and clean-up, away from requests.
import { parentPort, workerData } from 'node:worker_threads'
import { createConsumers, createUsageRetention, startAccessJobs } from '#access-jobs'
import { startCommerceJobs } from '#commerce-jobs'
import { startContentJobs } from '#content-jobs'
import { createPostgresCounters } from '#counters-sql'
import { countTables, sqliteFiles } from '#db'
import { createEventReader, createOutbox, createSequencer } from '#events'
import { createIdempotency } from '#http'
import { createLeases, createLedLoop, createLedLoops, createLookout } from '#jobs'
import { random } from '#kernel'
import { startScraperJobs } from '#scrapers'
import { READY, STOP, settleThread } from '#threads'
import { startBackups } from '#transfer'
import { renderStreamed, startWebhookJobs } from '#webhooks'
import { createEventEntries } from './event-entries.ts'
import { openPlatformInThread, type PlatformAddress } from './platform-in-thread.ts'
import { storedFiles } from './stored-files.ts'

const CLEAN_EVERY_MS = 60_000
const COUNT_EVERY_MS = 5_000
const RETENTION_EVERY_MS = 600_000
const CLEAN_LEASE_MS = 30_000
const DAY_MS = 24 * 3_600_000

const parent = parentPort
if (!parent) throw new Error('the worker thread needs a parent')

const address: PlatformAddress = workerData
const platform = await openPlatformInThread(address, 'worker')
const { database: db, bus, clock, box, ids, log, revisions, settings } = platform
// New with every start of the thread: what its predecessor held is dead.
const owner = ids.uuid()
const leases = createLeases({ db, owner, random, log })
const lookout = createLookout({ db, clock, log, random })
const events = createEventReader({ db, clock })
const idempotency = createIdempotency({ db, owner, random, secrets: box })
const counters = db.dialect.singleProcess
  ? null
  : createPostgresCounters({ db: db.main.writer, clock })

const { appendAll: appendEvents, toSteps: toEventSteps } = createOutbox({ ids, clock, bus })
const consumers = createConsumers(db.main.reader, clock.now)
const content = await startContentJobs({
  ...{ db, bus, clock, ids, revisions, leases, lookout, owner, log, random, appendEvents },
  uploads: address.uploads,
  publicUrl: address.publicUrl,
  publicReadDefault: () => settings.get('content').publicReadDefault,
  keptRevisions: () => settings.get('content').revisions,
})

const { url, dataDir } = address.database.settings
const loops = [
  createSequencer({ db, bus }).start({ leases, lookout, log, random }),
  createLedLoops({
    ...{ name: 'clean-up', ttlMs: CLEAN_LEASE_MS, leases, log, random },
    loops: [
      { name: 'clean-up', everyMs: CLEAN_EVERY_MS, run: cleanUp },
      {
        ...{ name: 'table counts', everyMs: COUNT_EVERY_MS },
        run: (signal) => countTables(db, signal),
      },
    ],
  }),
  content,
  startAccessJobs({ db, clock, revisions, appendEvents, log, random }),
  startWebhookJobs({
    ...{ db, clock, ids, random, log, bus, box, leases, lookout, owner, appendEvents },
    version: address.version,
    isDevelopment: address.isDevelopment,
    hasPreviousKey: address.masterKeys.previous !== undefined,
    settings: () => settings.get('webhooks'),
    findConsumer: consumers.find,
    staff: consumers.staff,
    entries: createEventEntries({ content, consumers }),
  }),
  startScraperJobs({
    ...{ db, clock, random, log, bus, box, leases, lookout, toEventSteps },
    publicUrl: address.publicUrl,
    hasPreviousKey: address.masterKeys.previous !== undefined,
    settings: () => settings.get('scrapers'),
    mayWrite: consumers.mayWrite,
  }),
  await startCommerceJobs({
    ...{ db, clock, random, log, bus, leases, lookout, appendEvents, openContent },
    workers: address.commerce.workers,
    amqpUrl: address.amqpUrl,
    renderEvent: renderStreamed,
  }),
  createLedLoop({
    name: 'usage retention',
    everyMs: RETENTION_EVERY_MS,
    ttlMs: CLEAN_LEASE_MS,
    leases,
    log,
    random,
    run: createUsageRetention({ db, clock, retentionDays: () => address.usageRetentionDays }).run,
  }),
  startBackups({
    settings: address.backup,
    at: url === undefined ? { files: sqliteFiles(dataDir) } : { url },
    files: storedFiles({ db, clock, log, directory: address.uploads.directory }),
    version: address.version,
    ...{ clock, log, random, bus, leases },
  }),
]

parent.on('message', (message: unknown) => {
  if (message === STOP) void stop()
})
parent.postMessage(READY)
settleThread()

async function cleanUp(signal: AbortSignal) {
  await idempotency.purge(signal)
  await events.purge(settings.get('webhooks').retentionDays * DAY_MS, signal)
  while (!signal.aborted && (await counters?.purge()));
}

/** Loaded when entries are first to be written: most workers never change one. */
async function openContent() {
  const { openContentWriter } = await import('#content-writer')
  return openContentWriter({
    ...{ db, clock, ids, random, log, bus, revisions, appendEvents },
    uploads: address.uploads,
    publicUrl: address.publicUrl ?? '',
    publicReadDefault: () => settings.get('content').publicReadDefault,
    keptRevisions: () => settings.get('content').revisions,
  })
}

async function stop() {
  await lookout.stop()
  await Promise.all(loops.map((loop) => loop?.stop()))
  await platform.stop()
  process.exit(0)
}
