import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createWatch } from './watch.ts'

const TIMEOUT_MS = 80

test('an answer and an error are handed on', async () => {
  const { ask } = createWatch(TIMEOUT_MS)
  assert.deepEqual(await ask(Promise.resolve(7)), { kind: 'answer', value: 7 })
  const error = new Error('refused')
  assert.deepEqual(await ask(Promise.reject(error)), { kind: 'error', error })
})

test('all who wait for a silent store are given up together, after the whole time', async () => {
  const { ask } = createWatch(TIMEOUT_MS)
  const startedMs = performance.now()
  const outcomes = await Promise.all([ask(never()), ask(never())])
  assert.deepEqual(outcomes, [{ kind: 'late' }, { kind: 'late' }])
  assert.ok(performance.now() - startedMs >= TIMEOUT_MS - 2)
})

test('who waits behind others is not given up while those are answered', async () => {
  const { ask } = createWatch(TIMEOUT_MS)
  const slow = Promise.withResolvers<string>()
  const outcome = ask(slow.promise)
  const endMs = performance.now() + 3 * TIMEOUT_MS
  while (performance.now() < endMs) await ask(delay(TIMEOUT_MS / 8))
  slow.resolve('at last')
  assert.deepEqual(await outcome, { kind: 'answer', value: 'at last' })
})

test('time in which the loop did not run is not counted', async () => {
  const { ask } = createWatch(TIMEOUT_MS)
  const arrived = delay(5, 'there')
  const outcome = ask(arrived)
  const endMs = performance.now() + 3 * TIMEOUT_MS
  while (performance.now() < endMs);
  assert.deepEqual(await outcome, { kind: 'answer', value: 'there' })
})

test('a store that was given up and is asked again has the whole time again', async () => {
  const { ask } = createWatch(TIMEOUT_MS)
  assert.deepEqual(await ask(never()), { kind: 'late' })
  assert.deepEqual(await ask(delay(TIMEOUT_MS / 2, 'back')), { kind: 'answer', value: 'back' })
})

function never(): Promise<never> {
  return new Promise(() => {})
}
