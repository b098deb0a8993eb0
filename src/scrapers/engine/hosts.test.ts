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
