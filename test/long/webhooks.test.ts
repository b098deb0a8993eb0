import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  eachDatabase,
  emptyDatabase,
  installation,
  openTestDatabase,
  residentMib,
  SEED_MASTER_KEY,
  seedSubscriptions,
  startServer,
  until,
} from '#test-kit'
import { startReceiver } from '../contract/webhooks/receiver.ts'
import { ADMIN_KEY, caller, LOOPBACK } from '../contract/webhooks/support.ts'

const MANY = 5_000
const QUICK_CONSUMERS = 5
const LATE_MS = 59_000
/** Longer than every time limit, so that what hangs ends and begins anew meanwhile. */
const WATCHED_MS = 75_000
const WITHIN_MS = 1_000
const MAX_GROWTH_MB = 256

eachDatabase('thousands of hanging endpoints', (kind) => {
  test('webhooks finding 8: 5,000 that hang or answer late leave 5,000 quick ones alone', async (t) => {
    const hanging = await startReceiver()
    const quick = await startReceiver()
    let isHanging = false
    for (const [path, lateMs] of [
      ['/never', undefined],
      ['/late', LATE_MS],
    ] as const) {
      hanging.answer(path, (_, response) => {
        if (!isHanging) response.end()
        else if (lateMs !== undefined) setTimeout(() => response.end(), lateMs)
      })
    }
    const settings = await emptyDatabase(kind)
    const server = await startServer({
      ...(await installation('sqlite', {
        ENTREPOT_ADMIN_KEY: ADMIN_KEY,
        ENTREPOT_MASTER_KEY: SEED_MASTER_KEY,
        ENTREPOT_ROLES: 'api,worker',
        ...LOOPBACK,
      })),
      ENTREPOT_DATA_DIR: settings.dataDir,
      ...(settings.url === undefined ? {} : { ENTREPOT_DATABASE_URL: settings.url }),
    })
    const { createKey, must, subscribe, publish } = caller(() => server.url)
    const likes: { id: string; count: number }[] = []
    const slow = await createKey('write')
    for (const path of ['/never', '/late']) {
      const more = { timeout_seconds: 60 }
      const { id } = await subscribe(hanging.url + path, more, slow.key)
      likes.push({ id, count: MANY / 2 })
    }
    const consumers: { key: string; path: string; id: string }[] = []
    for (let n = 0; n < QUICK_CONSUMERS; n++) {
      const { key } = await createKey('write')
      const path = `/quick${n}`
      const { id } = await subscribe(quick.url + path, {}, key)
      consumers.push({ key, path, id })
      likes.push({ id, count: MANY / QUICK_CONSUMERS })
    }
    const single = await createKey('write')
    await subscribe(`${quick.url}/single`, {}, single.key)
    await server.kill()
    const { database, stop } = await openTestDatabase(kind, settings)
    for (const { id, count } of likes)
      await seedSubscriptions(database, { like: id, count: count - 1 })
    await stop()
    await server.restart()

    /** All subscriptions of the consumer; how long the last one took. */
    async function fanOut({ key, path }: { key: string; path: string }): Promise<number> {
      const before = quick.on(path).length
      const startedAtMs = Date.now()
      await publish({}, {}, key)
      const wanted = before + MANY / QUICK_CONSUMERS
      const arrived = await quick.waitFor(path, wanted)
      return Math.max(...arrived.map(({ atMs }) => atMs)) - startedAtMs
    }
    const [first, second] = consumers
    if (!first || !second) throw new Error('no consumers')
    await fanOut(first)
    const aloneMs = await fanOut(first)
    const beforeMb = residentMib(server.pid)

    isHanging = true
    const published = [1, 2, 3].map((n) => publish({ n }, {}, slow.key))
    for (const { id } of await Promise.all(published)) {
      await until(
        async () => {
          const { deliveries } = await must('GET', `/webhooks/events/${id}`, { key: slow.key })
          return deliveries.total === MANY
        },
        { withinMs: 120_000, what: 'dispatch' },
      )
    }
    await until(() => hanging.received.length > 200, { what: 'requests that hang' })
    const times: number[] = []
    const fans: number[] = []
    let mostMb = 0
    const endMs = Date.now() + WATCHED_MS
    while (Date.now() < endMs) {
      const publishedAtMs = Date.now()
      await publish({}, {}, single.key)
      const arrived = await quick.waitFor('/single', times.length + 1)
      times.push((arrived.at(-1)?.atMs ?? 0) - publishedAtMs)
      if (times.length % 10 === 5) fans.push(await fanOut(second))
      mostMb = Math.max(mostMb, residentMib(server.pid))
      await wait(500)
    }
    t.diagnostic(`1,000 at once: alone ${aloneMs} ms, beside ${fans.join(', ')} ms`)
    t.diagnostic(`single ones: at most ${Math.max(...times)} ms of ${times.length}`)
    t.diagnostic(`memory: ${beforeMb} MB before, ${mostMb} MB at most`)
    t.diagnostic(`${hanging.received.length} requests to hanging endpoints`)
    assert.ok(Math.max(...times) < WITHIN_MS, `${times.join(', ')} ms`)
    assert.ok(Math.min(...fans) < aloneMs + WITHIN_MS, `${fans.join(', ')} ms, alone ${aloneMs}`)
    assert.ok(mostMb - beforeMb < MAX_GROWTH_MB, `${beforeMb} MB before, ${mostMb} MB at most`)
  })
})
