import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createPace } from './pace.ts'

test('of all pieces that wait one passes in each turn of the loop, in their order', async () => {
  const pace = createPace()
  const passed: number[] = []
  for (const piece of [1, 2, 3]) pace(() => void passed.push(piece))
  assert.equal(passed.length, 0)
  await turn()
  assert.deepEqual(passed, [1])
  pace(() => void passed.push(4))
  await turn()
  assert.deepEqual(passed, [1, 2])
  await turn()
  await turn()
  assert.deepEqual(passed, [1, 2, 3, 4])
})
