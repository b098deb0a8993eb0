import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock, createFailures, supervise } from '#kernel'
import { silentLog, until } from '#test-kit'

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
