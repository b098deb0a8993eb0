import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSlots } from './slots.ts'

test('so many are under way at a time, first come first served, whatever becomes of them', async () => {
  const { run } = createSlots(2)
  const begun: number[] = []
  let underWay = 0
  let most = 0
  const work = (n: number) =>
    run(async () => {
      begun.push(n)
      most = Math.max(most, ++underWay)
      await new Promise((resolve) => setImmediate(resolve))
      underWay--
      if (n % 2 === 0) throw new Error(`fails: ${n}`)
      return n
    })
  const ends = await Promise.allSettled([0, 1, 2, 3, 4].map(work))
  assert.deepEqual(begun, [0, 1, 2, 3, 4])
  assert.equal(most, 2)
  assert.deepEqual(
    ends.map(({ status }) => status === 'fulfilled'),
    [false, true, false, true, false],
  )
})

test('owners take turns, so that many of one do not delay another', async () => {
  const { run } = createSlots(1)
  const begun: string[] = []
  const work = (owner: string) => run(async () => void begun.push(owner), owner)
  await Promise.all([...['a', 'a', 'a', 'a'].map(work), work('b')])
  assert.deepEqual(begun, ['a', 'a', 'b', 'a', 'a'])
})

test('whoever waits for too long is refused, and takes no slot', async () => {
  const refusal = () => new Error('busy')
  const { run } = createSlots(1, { ms: 5, refusal })
  const held = Promise.withResolvers<string>()
  const first = run(() => held.promise)
  await assert.rejects(
    run(async () => 'second'),
    /busy/,
  )
  held.resolve('first')
  assert.equal(await first, 'first')
  assert.equal(await run(async () => 'third'), 'third')
})
