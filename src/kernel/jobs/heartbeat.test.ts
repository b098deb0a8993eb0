import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startHeartbeat } from './heartbeat.ts'

function heartbeat(t: TestContext, renew: () => Promise<boolean>) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const onLost = t.mock.fn()
  const renewed = t.mock.fn(renew)
  const end = startHeartbeat({ ttlMs: 900, sinceMs: performance.now(), renew: renewed, onLost })
  return { end, lost: () => onLost.mock.callCount(), beats: () => renewed.mock.callCount(), pass }

  /** Lets the time pass in the steps of the beats, and what they started come to an end. */
  async function pass(beats: number) {
    for (let i = 0; i < beats; i++) {
      t.mock.timers.tick(300)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

test('a lease that is renewed is kept for ever', async (t) => {
  const { end, lost, beats, pass } = heartbeat(t, async () => true)
  await pass(30)
  assert.deepEqual([beats(), lost()], [30, 0])
  end()
})

test('a lease that somebody else has is lost at the next beat', async (t) => {
  const { lost, beats, pass } = heartbeat(t, async () => false)
  await pass(10)
  assert.deepEqual([beats(), lost()], [1, 1])
})

test('a lease is lost when its time runs out while the database does not answer', async (t) => {
  const { lost, beats, pass } = heartbeat(t, () => new Promise(() => {}))
  await pass(2)
  assert.equal(lost(), 0)
  await pass(2)
  assert.deepEqual([beats(), lost()], [1, 1])
})

test('a beat that fails is made good by the next one', async (t) => {
  let beat = 0
  const { end, lost, pass } = heartbeat(t, async () => {
    if (++beat % 2 === 1) throw new Error('no connection')
    return true
  })
  await pass(20)
  assert.equal(lost(), 0)
  end()
})

test('nothing is lost after the end', async (t) => {
  const { end, lost, beats, pass } = heartbeat(t, async () => false)
  end()
  await pass(10)
  assert.deepEqual([beats(), lost()], [0, 0])
})
