import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatches } from './batches.ts'

function setUp(maxEntries: number) {
  const sent: (readonly string[])[] = []
  const ends: ((isGood: boolean) => void)[] = []
  const dropped: number[] = []
  const batches = createBatches({
    maxEntries,
    waitMs: 500,
    drop: (entries) => void dropped.push(entries),
    send: (entries) =>
      new Promise((resolve, reject) => {
        sent.push(entries)
        ends.push((isGood) => (isGood ? resolve() : reject(new Error('no'))))
      }),
  })
  return { ...batches, sent, ends, dropped }
}

test('loggers: entries leave when the batch is full, or after its time', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { add, sent } = setUp(2)
  add('a')
  assert.deepEqual(sent, [])
  add('b')
  assert.deepEqual(sent, [['a', 'b']])
  const other = setUp(10)
  other.add('c')
  t.mock.timers.tick(500)
  assert.deepEqual(other.sent, [['c']])
})

test('loggers: one batch at a time; what comes meanwhile goes with the next; a failure loses its own', async () => {
  const { add, sent, ends, dropped, drain, left } = setUp(2)
  for (const entry of ['a', 'b', 'c', 'd', 'e']) add(entry)
  assert.deepEqual(sent, [['a', 'b']])
  assert.equal(left(), 5)
  const drained = drain()
  for (const isGood of [true, false, true]) {
    ends.shift()?.(isGood)
    await new Promise(setImmediate)
  }
  await drained
  assert.deepEqual(sent, [['a', 'b'], ['c', 'd'], ['e']])
  assert.deepEqual(dropped, [2])
  assert.equal(left(), 0)
})

test('loggers: what waits is bounded in bytes, whatever is under way', () => {
  const { add, dropped } = setUp(1000)
  const mebibyte = 'x'.repeat(2 ** 20)
  for (let n = 0; n < 12; n++) add(mebibyte)
  assert.deepEqual(dropped, [1, 1, 1, 1])
})
