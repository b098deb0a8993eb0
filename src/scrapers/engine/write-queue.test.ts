import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finished } from './page-writes.ts'
import { createWriteQueue } from './write-queue.ts'

const RUN = { pagesFetched: 0, itemsCollected: 0, activeMs: 0 }
const ADDED = {
  ...{ itemsCollected: 0, pagesFetched: 1, pagesFailed: 0, pagesSkipped: 0, pagesQueued: 0 },
  ...{ retries: 0, bytesDownloaded: 0 },
  ...{ itemsNew: 0, itemsChanged: 0, itemsUnchanged: 0, itemsMissing: 0 },
}
/** More than lie between the end of a transaction and the end of the queue. */
const STEPS = 10

test('scrapers §3: a page that is read while the queue runs empty is written, at whatever moment', async () => {
  for (let steps = 0; steps < STEPS; steps++) {
    const committed = Promise.withResolvers<void>()
    const written: Finished[] = []
    const queue = createWriteQueue({
      ...{ run: RUN, maxItems: null, batchSize: 1, now: () => 0 },
      onWritten: (batch) => void written.push(...batch),
      async commit() {
        await committed.promise
        return ADDED
      },
    })
    queue.add(pageOf('first'))
    committed.resolve()
    for (let step = 0; step < steps; step++) await null
    queue.add(pageOf('second'))
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual([written.length, queue.isIdle()], [2, true], `after ${steps} steps`)
  }
})

test('scrapers §3: a queue whose write failed writes no more, and says why', async () => {
  let tries = 0
  const queue = createWriteQueue({
    ...{ run: RUN, maxItems: null, batchSize: 1, now: () => 0, onWritten: () => {} },
    async commit() {
      tries++
      throw new Error('lost')
    },
  })
  queue.add(pageOf('first'))
  await queue.settled()
  queue.add(pageOf('second'))
  await queue.settled()
  assert.equal(tries, 1)
  assert.throws(queue.throwIfFailed, /lost/)
})

function pageOf(urlHash: string): Finished {
  const page = {
    ...{ id: 1, url: 'http://site.test/', host: 'site.test', urlHash, depth: 0, attempts: 0 },
    ...{ dueAtMs: null, isStart: false, kind: 'page' as const },
  }
  const outcome = { kind: 'failed' as const, code: 'x', message: 'x', status: null, bytes: 0 }
  return { page, outcome, retryAtMs: null, fetchedAtMs: 0 }
}
