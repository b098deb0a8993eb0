import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue } from './fair-queue.ts'

test('fair queue: owners take turns, each in the order of its items', () => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.push('a', item)
  queue.push('b', 'b1')
  const order = Array.from({ length: 5 }, () => queue.shift())
  assert.deepEqual(order, ['a1', 'b1', 'a2', 'a3', undefined])
  assert.equal(queue.size(), 0)
})

test('fair queue: the owner with most waiting is found, and loses what came last', () => {
  const queue = createFairQueue<string>()
  queue.push('quiet', 'q1')
  for (const item of ['g1', 'g2']) queue.push('greedy', item)
  assert.equal(queue.longest(), 'greedy')
  assert.equal(queue.dropLast('greedy'), 'g2')
  assert.equal(queue.dropLast('greedy'), 'g1')
  assert.equal(queue.dropLast('greedy'), undefined)
  assert.equal(queue.lengthOf('greedy'), 0)
  assert.equal(queue.size(), 1)
  assert.deepEqual(queue.drain(), ['q1'])
  assert.equal(queue.longest(), undefined)
})

test('fair queue: those that are meant leave, and the others keep their order', () => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.push('a', item)
  queue.push('b', 'b1')
  assert.deepEqual(
    queue.take((item) => item !== 'a1' && item !== 'a3'),
    ['a2', 'b1'],
  )
  assert.equal(queue.size(), 2)
  assert.deepEqual([queue.shift(), queue.shift(), queue.shift()], ['a1', 'a3', undefined])
})

test('fair queue: thousands who leave one by one cost no more than a look at each of those who wait', () => {
  const queue = createFairQueue<number>()
  for (let n = 0; n < 3_000; n++) queue.push('a', n)
  const startedMs = performance.now()
  for (let n = 2_999; n >= 0; n--)
    assert.deepEqual(
      queue.take((item) => item === n),
      [n],
    )
  const tookMs = performance.now() - startedMs
  assert.equal(queue.size(), 0)
  assert.ok(tookMs < 2_000, `${tookMs.toFixed(0)} ms`)
})
