import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHosts } from './hosts.ts'

const GAP_MS = 20

test('scrapers 15: the gap of a host is counted from when a request goes out, however long it was held up', async () => {
  const hosts = createHosts({ delayMs: GAP_MS, now: () => performance.now(), wallClock: Date.now })
  const { signal } = new AbortController()
  const take = () => hosts.turn('a.example', signal, async () => {})
  const goesOut = await take()
  let isTaken = false
  const second = take().then((out) => {
    isTaken = true
    return { out, atMs: performance.now() }
  })
  const other = await hosts.turn('b.example', signal, async () => {})
  other()
  // Its connection takes longer than the gap.
  await new Promise((resolve) => setTimeout(resolve, 3 * GAP_MS))
  assert.equal(isTaken, false)
  const outMs = performance.now()
  goesOut()
  const { out, atMs } = await second
  assert.ok(atMs - outMs >= GAP_MS - 1, `${atMs - outMs} ms`)
  out()
})

test('scrapers 15: refusals of one moment pause a host once, one after them for longer', () => {
  let nowMs = 1_000
  const hosts = createHosts({ delayMs: 0, now: () => nowMs, wallClock: Date.now })
  const answer = (status: number, headers = {}) =>
    hosts.pauseAfter('a.example', { status, headers })
  for (let each = 0; each < 6; each++) assert.equal(answer(503), 2_000)
  // A page that was under way with them says nothing of how busy the host is now.
  answer(200)
  nowMs += 2_000
  assert.equal(answer(503), 4_000)
  nowMs += 4_000
  answer(200)
  assert.equal(answer(429), 2_000)
  assert.equal(answer(429, { 'retry-after': '7' }), 7_000)
  assert.equal(hosts.waitMs('a.example'), 7_000)
})

test('scrapers 15: who gives up before its turn holds nobody up', async () => {
  const hosts = createHosts({ delayMs: GAP_MS, now: () => performance.now(), wallClock: Date.now })
  const given = new AbortController()
  const first = await hosts.turn('a.example', given.signal, async () => {})
  const second = hosts.turn('a.example', given.signal, async () => {})
  const third = hosts.turn('a.example', new AbortController().signal, async () => {})
  given.abort(new Error('enough'))
  first()
  await assert.rejects(second, /enough/)
  ;(await third)()
})
