// The crawling thread: fetches and reads pages, away from requests and from other background work.
import { parentPort, workerData } from 'node:worker_threads'
import { createConsumers } from '#access-jobs'
import { createOutbox } from '#events'
import { random } from '#kernel'
import { startCrawling } from '#scrapers-thread'
import { giveWay, READY, STOP, settleThread } from '#threads'
import { openPlatformInThread, type PlatformAddress } from './platform-in-thread.ts'

const parent = parentPort
if (!parent) throw new Error('the crawling thread needs a parent')

// Nobody waits for a page; without this, reading pages delays requests where cores are few.
giveWay()
const address: PlatformAddress = workerData
const platform = await openPlatformInThread(address, 'crawler')
const { database: db, bus, clock, box, ids, log, revisions, settings } = platform
const { appendAll: appendEvents, toSteps: toEventSteps } = createOutbox({ ids, clock, bus })
const { publicUrl, version, isDevelopment, chromium, uploads } = address

const crawling = startCrawling({
  ...{
    db,
    clock,
    bus,
    log,
    random,
    box,
    toEventSteps,
    version,
    publicUrl,
    isDevelopment,
    chromium,
  },
  // New with every start of the thread: what its predecessor held is dead.
  owner: ids.uuid(),
  settings: () => settings.get('scrapers'),
  mayWrite: createConsumers(db.main.reader, clock.now).mayWrite,
  openContent,
})

parent.on('message', (message: unknown) => {
  if (message === STOP) void stop()
})
parent.postMessage(READY)
settleThread()

async function openContent() {
  const { openContentWriter } = await import('#content-writer')
  return openContentWriter({
    ...{ db, clock, ids, random, log, bus, revisions, appendEvents, uploads },
    publicUrl: publicUrl ?? '',
    publicReadDefault: () => settings.get('content').publicReadDefault,
    keptRevisions: () => settings.get('content').revisions,
  })
}

async function stop() {
  await crawling.stop()
  await platform.stop()
  process.exit(0)
}
