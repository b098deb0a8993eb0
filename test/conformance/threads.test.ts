import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '#kernel'
import { freePort, listenersOn, silentLog, until } from '#test-kit'
import { createFailures, supervise } from '#threads'

const entry = new URL('./threads/mortal.ts', import.meta.url)

function guard(workerData: string, more: { readyWithinMs?: number } = {}) {
  const clock = createClock()
  const heard: string[] = []
  const ended: number[] = []
  const givenUp: string[] = []
  const failures = createFailures({
    clock,
    log: silentLog,
    onGiveUp: (name) => void givenUp.push(name),
  })
  const supervised = supervise<string>(
    {
      name: 'mortal',
      entry,
      data: () => ({ workerData, transfer: [] }),
      onMessage: (message) => void heard.push(message),
      onEnd: (threadId) => void ended.push(threadId),
      ...more,
    },
    { failures, log: silentLog },
  )
  return { supervised, heard, ended, givenUp, clock }
}

test('a thread that throws or exits is started again and works as before', async () => {
  const { supervised, heard, ended } = guard('a')
  await supervised.start()
  for (const [count, death] of ['die', 'exit'].entries()) {
    supervised.thread()?.post(death)
    await until(() => supervised.restarts === count + 1)
    await until(() => {
      supervised.thread()?.post('hello')
      return heard.splice(0).includes('a heard hello')
    })
  }
  assert.equal(new Set(ended).size, 2, 'each death is reported with its own thread id')
  await supervised.stop(2_000)
})

test('a thread that keeps dying is given up', async () => {
  const { supervised, givenUp } = guard('b')
  await supervised.start()
  await until(
    () => {
      supervised.thread()?.post('die')
      return givenUp.length > 0
    },
    { withinMs: 20_000 },
  )
  assert.deepEqual(givenUp, ['mortal'])
  await supervised.stop(2_000)
})

test('a thread that dies before it is ready fails the start with its own error', async () => {
  const { supervised } = guard('stillborn')
  await assert.rejects(supervised.start(), /never ready/)
  assert.equal(supervised.isReady, false)
  await supervised.stop(60_000)
})

test('a thread that says nothing fails the start after its time', async () => {
  const { supervised } = guard('mute', { readyWithinMs: 500 })
  await assert.rejects(supervised.start(), /mortal was not ready within 500 ms/)
  await supervised.stop(60_000)
})

test('gateway finding 1: replaced again and again while starts are held back, one place never has two listeners', async () => {
  const port = await freePort()
  const heldBack = new Int32Array(new SharedArrayBuffer(4))
  let launched = 0
  let most = 0
  const failures = createFailures({
    clock: createClock(),
    log: silentLog,
    onGiveUp: (name) => assert.fail(`${name} was given up`),
  })
  const supervised = supervise(
    {
      name: 'late',
      entry: new URL('./threads/late.ts', import.meta.url),
      data: () => {
        launched++
        return { workerData: { port, heldBack: heldBack.buffer }, transfer: [] }
      },
      onMessage: () => {},
      onEnd: () => {
        most = Math.max(most, listenersOn(port))
      },
    },
    { failures, log: silentLog },
  )
  await supervised.start()
  for (let round = 1; round <= 4; round++) {
    hold(1)
    for (let again = 0; again < 3; again++) supervised.replace('silent')
    await until(() => launched === round + 1)
    // The successor is starting: it is not silent, however long that takes.
    for (let again = 0; again < 3; again++) supervised.replace('silent')
    assert.equal(listenersOn(port), 0)
    hold(0)
    await until(() => supervised.isReady)
    assert.equal(listenersOn(port), 1)
  }
  assert.deepEqual([launched, supervised.restarts, most], [5, 4, 0])
  await supervised.stop(5_000)
  assert.equal(listenersOn(port), 0)

  function hold(value: 0 | 1) {
    Atomics.store(heldBack, 0, value)
    Atomics.notify(heldBack, 0)
  }
})

test('gateway finding 1: a thread that is told to end is heard and told nothing more', async () => {
  const { supervised, ended } = guard('a')
  await supervised.start()
  const first = supervised.thread()?.threadId
  supervised.replace('silent')
  assert.equal(supervised.thread(), undefined, 'what is told to a condemned thread is lost')
  await until(() => supervised.isReady)
  assert.deepEqual(ended, [first])
  assert.notEqual(supervised.thread()?.threadId, first)
  await supervised.stop(2_000)
})
