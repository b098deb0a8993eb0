import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../log.ts'
import { random } from '../random.ts'
import { createLoop, type LoopDeps } from './loop.ts'

const log: Log = { debug() {}, info() {}, warn() {}, error() {} }
const NEVER_MS = 1_000_000

function start(deps: Partial<LoopDeps> & Pick<LoopDeps, 'run'>) {
  let wake = () => {}
  let subscribed = true
  const loop = createLoop({
    name: 'test',
    everyMs: NEVER_MS,
    log,
    random,
    wake: (given) => {
      wake = given
      return () => {
        subscribed = false
      }
    },
    ...deps,
  })
  return { ...loop, wake: () => wake(), isSubscribed: () => subscribed }
}

/** Turns that the test lets end one by one. */
function turns() {
  const begun: PromiseWithResolvers<unknown>[] = []
  let announce = () => {}
  const run = () => {
    const turn = Promise.withResolvers<unknown>()
    begun.push(turn)
    announce()
    return turn.promise
  }
  return { run, nth, count: () => begun.length }

  async function nth(number: number) {
    for (;;) {
      const turn = begun[number - 1]
      if (turn) return turn
      await new Promise<void>((resolve) => {
        announce = resolve
      })
    }
  }
}

test('the first turn runs at once, the next when woken', async () => {
  const { run, nth, count } = turns()
  const loop = start({ run })
  const first = await nth(1)
  first.resolve(undefined)
  await first.promise
  assert.equal(count(), 1)
  loop.wake()
  const second = await nth(2)
  second.resolve(undefined)
  await loop.stop()
})

test('without a notice a turn comes after the longest pause', async () => {
  const { run, nth } = turns()
  const loop = start({ run, everyMs: 5 })
  for (const number of [1, 2, 3]) (await nth(number)).resolve(undefined)
  ;(await nth(4)).resolve(undefined)
  await loop.stop()
})

test('being woken many times during a turn means one more turn after it, never one beside it', async () => {
  const { run, nth, count } = turns()
  const loop = start({ run })
  const first = await nth(1)
  for (let i = 0; i < 5; i++) loop.wake()
  assert.equal(count(), 1)
  first.resolve(undefined)
  const second = await nth(2)
  second.resolve(undefined)
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(count(), 2)
  await loop.stop()
})

test('a turn that has more to do is followed by another without a pause', async () => {
  const { run, nth } = turns()
  const loop = start({ run })
  for (const number of [1, 2, 3]) (await nth(number)).resolve(true)
  ;(await nth(4)).resolve(false)
  await loop.stop()
})

test('stopping ends the subscription, tells the turn, and waits for it', async () => {
  const order: string[] = []
  const running = Promise.withResolvers<void>()
  const loop = start({
    run: async (signal) => {
      running.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      await new Promise((resolve) => setImmediate(resolve))
      order.push('turn ended')
    },
  })
  await running.promise
  await loop.stop()
  order.push('stopped')
  assert.deepEqual(order, ['turn ended', 'stopped'])
  assert.equal(loop.isSubscribed(), false)
})

test('a failed turn is logged and repeated after a pause that no notice shortens', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { run, nth, count } = turns()
  const error = t.mock.fn()
  const loop = start({ run, log: { ...log, error } })
  const first = await nth(1)
  first.reject(new Error('no'))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(error.mock.callCount(), 1)

  loop.wake()
  t.mock.timers.tick(49)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(count(), 1)
  t.mock.timers.tick(51)
  ;(await nth(2)).resolve(undefined)
  await loop.stop()
})

test('stopping does not wait for the pause after a failure', async () => {
  const { run, nth } = turns()
  const failed = Promise.withResolvers<void>()
  const loop = start({ run, log: { ...log, error: () => failed.resolve() } })
  ;(await nth(1)).reject(new Error('no'))
  await failed.promise
  await loop.stop()
})

test('woken again and again, it rests between turns, and loses no notice', async () => {
  const { run, nth, count } = turns()
  const restMs = 300
  const loop = start({ run, restMs })
  const startedMs = performance.now()
  const first = await nth(1)
  loop.wake()
  first.resolve(undefined)
  await first.promise
  loop.wake()
  const second = await nth(2)
  assert.ok(performance.now() - startedMs >= restMs - 1)
  second.resolve(true)
  const third = await nth(3)
  assert.ok(performance.now() - startedMs < 2 * restMs, 'what is left over does not wait')
  third.resolve(undefined)
  assert.equal(count(), 3)
  await loop.stop()
})

test('while nothing wakes it the pauses grow up to the longest, and begin anew when something does', async () => {
  const startedMs: number[] = []
  const run = async () => void startedMs.push(performance.now())
  const everyMs = 10
  const loop = start({ run, everyMs, idleMs: 40 })
  const reached = async (count: number) => {
    while (startedMs.length < count) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const pauseBefore = (turn: number) => (startedMs[turn] ?? 0) - (startedMs[turn - 1] ?? 0)
  await reached(5)
  for (const [turn, ms] of [10, 20, 40, 40].entries()) {
    assert.ok(pauseBefore(turn + 1) >= ms - 2, `pause ${turn}: ${pauseBefore(turn + 1)} ms`)
  }
  loop.wake()
  await reached(8)
  assert.ok(pauseBefore(7) < 40, `${pauseBefore(7)} ms after a notice`)
  await loop.stop()
})
