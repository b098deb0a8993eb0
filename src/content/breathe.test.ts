import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { breathe } from './breathe.ts'

test('of all pieces that wait one is done in each turn of the loop, in their order', async () => {
  const done: number[] = []
  const wait = (piece: number) => breathe().then(() => void done.push(piece))
  for (const piece of [1, 2, 3]) wait(piece)
  assert.equal(done.length, 0)
  await turn()
  assert.deepEqual(done, [1])
  wait(4)
  await turn()
  assert.deepEqual(done, [1, 2])
  await turn()
  await turn()
  assert.deepEqual(done, [1, 2, 3, 4])
})
