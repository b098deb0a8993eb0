import assert from 'node:assert/strict'
import { test } from 'node:test'
import { random } from '../random.ts'
import { backoffMs, spreadMs } from './backoff.ts'

const lowest = { ...random, bytes: (length: number) => Buffer.alloc(length, 0) }
const highest = { ...random, bytes: (length: number) => Buffer.alloc(length, 255) }
const pauses = { firstMs: 100, maxMs: 1_000 }

test('pauses double up to the longest one', () => {
  const waits = [1, 2, 3, 4, 5, 60].map((failures) => backoffMs(failures, pauses, lowest))
  assert.deepEqual(waits, [100, 200, 400, 800, 1_000, 1_000])
})

test('chance leaves off at most half of a pause', () => {
  assert.equal(backoffMs(2, pauses, highest), 100)
  for (let i = 0; i < 100; i++) {
    const waitMs = backoffMs(4, pauses, random)
    assert.ok(waitMs >= 400 && waitMs <= 800, `${waitMs}`)
  }
})

test('a time is spread evenly to both sides', () => {
  assert.equal(spreadMs(100, 0.2, lowest), 80)
  assert.equal(spreadMs(100, 0.2, highest), 120)
  assert.equal(spreadMs(100, 0, random), 100)
})
