import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breathe } from './breathe.ts'

test('one piece of long work is done in each turn of the event loop, in the order of asking', async () => {
  const turns: number[] = []
  let turn = 0
  const count = () => {
    turn++
    if (turns.length < 3) setImmediate(count)
  }
  setImmediate(count)
  const piece = async (n: number) => {
    await breathe()
    turns.push(turn)
    return n
  }
  await Promise.all([piece(0), piece(1), piece(2)])
  assert.equal(new Set(turns).size, 3, turns.join())
  assert.deepEqual(
    turns,
    turns.toSorted((a, b) => a - b),
  )
})
