import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whileFull } from './postgres-pool.ts'

/** As a page of nothing but tags holds up its thread; timers are seen only afterwards. */
function holdUp(ms: number) {
  for (const endMs = performance.now() + ms; performance.now() < endMs; );
}

test('scale: a time limit that passed while the thread was held up is none of the server', async () => {
  let tries = 0
  const connect = async () => {
    if (++tries > 1) return 'connected'
    holdUp(700)
    throw new Error('timeout expired')
  }
  assert.equal(await whileFull(connect, 100), 'connected')
})

test('scale: a server that does not answer in time is asked once', async () => {
  let tries = 0
  const connect = async () => {
    tries++
    throw new Error('timeout expired')
  }
  await assert.rejects(whileFull(connect, 100), /timeout expired/)
  assert.equal(tries, 1)
})
