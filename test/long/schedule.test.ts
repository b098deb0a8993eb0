import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import {
  ADMIN_KEY,
  createCalls,
  eachDatabase,
  installation,
  startServer,
  tell,
  until,
} from '#test-kit'

const ENTRIES = Number(process.env['TEST_ENTRIES'] ?? 10_000)
const HOUR_MS = 3_600_000
/** Console contract §4: within a second of the time. */
const FIRST_WITHIN_MS = 1_500
const LONGEST_WAIT_MS = 250

eachDatabase('many entries with one time of publication', (kind) => {
  test(`console 4: ${ENTRIES} entries are published at one moment, each once, while others are answered`, async () => {
    const server = await startServer(await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY }))
    const { ok, data } = createCalls(() => server.url)
    const attributes = { title: { type: 'string' } }
    for (const name of ['page', 'note']) {
      const names = { singularName: name, pluralName: `${name}s`, draftAndPublish: name === 'page' }
      await data('POST', '/api/v1/content-types', { body: { ...names, attributes } })
    }
    const publish_at = new Date(Date.now() + HOUR_MS).toISOString()
    for (let from = 0; from < ENTRIES; from += 500) {
      const operations = Array.from({ length: 500 }, (_, n) => ({
        ...{ op: 'create', data: { title: `p${from + n}`, publish_at } },
      }))
      const { meta } = await ok('POST', '/api/v1/pages/bulk', { body: { operations } })
      assert.equal(meta.created, 500)
    }
    const total = async () => (await ok('GET', '/api/v1/pages?per_page=1')).meta.total
    assert.equal(await total(), 0)
    const position = (await ok('GET', '/api/v1/changes?after=now')).meta.next_after
    // What is loaded and compiled with the first writes is none of it.
    await data('POST', '/api/v1/notes', { body: { title: 'before' } })
    const others = startOthers(server.url)
    await server.setClockOffset(HOUR_MS + 1)
    const startedMs = performance.now()
    const patient = { withinMs: 300_000, what: 'publications' }
    await until(async () => (await total()) > 0 || undefined, patient)
    const firstMs = performance.now() - startedMs
    await until(async () => {
      await delay(100)
      return (await total()) === ENTRIES || undefined
    }, patient)
    const allMs = performance.now() - startedMs
    const longestMs = await others.stop()
    const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
    tell(
      `${kind}: ${ENTRIES} entries of one time: the first after ${seconds(firstMs)}, all after ${seconds(allMs)}; ` +
        `longest wait of other requests ${longestMs.toFixed(0)} ms`,
    )
    let published = 0
    for (let after = position; ; ) {
      const { data: events, meta } = await ok('GET', `/api/v1/changes?after=${after}&limit=1000`)
      published += events.filter(
        ({ event }: { event: string }) => event === 'page.published',
      ).length
      if (events.length === 0) break
      after = meta.next_after
    }
    assert.equal(published, ENTRIES, 'each once')
    assert.ok(firstMs < FIRST_WITHIN_MS, `the first after ${seconds(firstMs)}`)
    assert.ok(longestMs < LONGEST_WAIT_MS, `another request waited ${longestMs.toFixed(0)} ms`)
  })
})

/** Writes and reads entries of another type all the time. */
function startOthers(url: string) {
  const { ok, data } = createCalls(() => url)
  let isStopped = false
  let longestMs = 0
  const running = (async () => {
    while (!isStopped) {
      const startedMs = performance.now()
      await data('POST', '/api/v1/notes', { body: { title: 'beside' } })
      await ok('GET', '/api/v1/notes?per_page=10')
      longestMs = Math.max(longestMs, performance.now() - startedMs)
    }
  })()
  return {
    async stop() {
      isStopped = true
      await running
      return longestMs
    },
  }
}
