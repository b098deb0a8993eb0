import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSharedCounters } from '#counters'
import { createClock } from '#kernel'
import { localBucket } from './bucket.ts'
import { spareOf } from './windows.ts'

test('gateway limit-req: who makes up more keys than anybody needs shares one bucket, others have theirs', () => {
  const clock = createClock()
  const shared = createSharedCounters({ clock, ownerId: 1, capacity: 65_536 })
  const counters = { add: shared.addSync, read: shared.readSync, update: shared.updateSync }
  const pour = localBucket({ rate: 0.01, burst: 0 }, counters, 100)
  const isAllowed = (key: string, address: string) =>
    pour(`limit/${key}`, spareOf('limit', address)) !== null
  let passed = 0
  for (let n = 0; n < 1_000; n++) if (isAllowed(`made up ${n}`, 'greedy')) passed++
  assert.equal(passed, 101, 'a hundred keys, and one for the address')
  for (let n = 0; n < 50; n++) assert.equal(isAllowed(`real ${n}`, 'polite'), true)
  assert.equal(isAllowed('real 7', 'polite'), false, 'a key that is known has its own')
  clock.setOffset(100_001)
  assert.equal(isAllowed('made up 999', 'greedy'), true, 'until the buckets are empty')
})
