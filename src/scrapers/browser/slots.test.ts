import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createSlots } from './slots.ts'

const { signal } = new AbortController()

test('scrapers §4: runs get slots of the browser in turn, whatever each has waiting', async () => {
  const slots = createSlots(() => 1)
  const [large, small] = [{}, {}]
  const began: string[] = []
  await slots.take(large, signal)
  for (const name of ['l1', 'l2']) void slots.take(large, signal).then(() => began.push(name))
  void slots.take(small, signal).then(() => began.push('s1'))
  for (let count = 0; count < 3; count++) {
    slots.release()
    await turn()
  }
  assert.deepEqual(began, ['l1', 's1', 'l2'])
})

test('scrapers §4: who gives up waiting for a slot leaves it to others', async () => {
  const slots = createSlots(() => 1)
  const giving = new AbortController()
  const run = {}
  await slots.take(run, signal)
  const given = slots.take(run, giving.signal)
  const other = slots.take({}, signal)
  giving.abort()
  await assert.rejects(given)
  slots.release()
  await other
})
