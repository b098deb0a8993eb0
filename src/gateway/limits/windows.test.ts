import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSharedCounters } from '#counters'
import { createClock } from '#kernel'
import { boundedKeys, fixedWindows, slidingWindows } from './windows.ts'

const MINUTE_MS = 60_000

function table(capacity = 65_536) {
  const clock = createClock()
  const shared = createSharedCounters({ clock, ownerId: 1, capacity })
  const counters = { add: shared.addSync, read: shared.readSync, update: shared.updateSync }
  return { clock, counters }
}

function asking(key: string, address: string, count: number) {
  const spare = { name: `limit/@${address}`, budget: `limit keys/${address}` }
  return [{ name: `limit/${key}`, count, ms: MINUTE_MS, spare }]
}

test('gateway 23: who makes up more keys than anybody needs is counted by address, others as before', async () => {
  const { counters, clock } = table()
  const decide = boundedKeys(counters, fixedWindows(counters.add), 100)
  const isAllowed = async (key: string, address: string) =>
    (await decide(asking(key, address, 3))).allowed
  let passed = 0
  for (let n = 0; n < 1_000; n++) if (await isAllowed(`made up ${n}`, 'greedy')) passed++
  assert.equal(passed, 103, 'a hundred keys, and three for the address')
  assert.equal(await isAllowed('made up 7', 'greedy'), true, 'a key that is known goes on')
  for (let n = 0; n < 50; n++) assert.equal(await isAllowed(`real ${n}`, 'polite'), true)
  clock.setOffset(MINUTE_MS + 1)
  assert.equal(await isAllowed('made up 999', 'greedy'), true, 'until the window is over')
})

test('gateway 23: in a sliding window made up keys are bounded too, and known ones count once', async () => {
  const { counters, clock } = table()
  clock.setOffset(MINUTE_MS * 10)
  const decide = slidingWindows({ counters, clock })
  const isAllowed = async (key: string, address: string) =>
    (await decide(asking(key, address, 2))).allowed
  for (let n = 0; n < 20; n++) assert.equal(await isAllowed('one', 'polite'), n < 2)
  assert.equal(counters.read('limit keys/polite', { kind: 'fixed', ms: MINUTE_MS }), 1)
  let passed = 0
  for (let n = 0; n < 4_000; n++) if (await isAllowed(`made up ${n}`, 'greedy')) passed++
  assert.ok(passed < 3_000, `${passed} of 4,000`)
})

test('gateway 23: of rules in sliding windows a refused one undoes those before it', async () => {
  const { counters, clock } = table()
  const decide = slidingWindows({ counters, clock })
  const rules = [
    { name: 'a', count: 5, ms: MINUTE_MS },
    { name: 'b', count: 1, ms: MINUTE_MS },
  ]
  assert.deepEqual((await decide(rules)).allowed, true)
  for (let n = 0; n < 9; n++) assert.equal((await decide(rules)).allowed, false)
  const { standings } = await decide(rules.slice(0, 1))
  assert.equal(standings[0]?.remaining, 3)
})
