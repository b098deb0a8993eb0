import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { assertPrompt, until } from '#test-kit'
import { createClock } from '../../src/kernel/clock.ts'
import {
  createSharedCounters,
  type SharedCounters,
} from '../../src/kernel/counters/shared-memory.ts'

const MONTH = { kind: 'calendar', unit: 'month' } as const
const PROGRAM = new URL('counters/thread.ts', import.meta.url)

describe('counters shared by threads', () => {
  test('four threads at once: exactly the limit passes, and no add is lost', async () => {
    const counters = createSharedCounters({ clock: createClock(), ownerId: 1 })
    const threads = [2, 3, 4, 5].map((ownerId) => startThread(counters, ownerId, 'hammer').thread)
    await Promise.all(threads.map((thread) => once(thread, 'message')))
    const answers = threads.map((thread) => once(thread, 'message'))
    for (const thread of threads) thread.postMessage(20_000)
    const passed = (await Promise.all(answers)).map(([allowed]) => Number(allowed))
    await Promise.all(threads.map((thread) => thread.terminate()))

    assert.equal(
      passed.reduce((sum, each) => sum + each, 0),
      50_000,
    )
    assert.equal(counters.readSync('one', MONTH), 50_000)
    let many = 0
    for (let index = 0; index < 100; index++) many += counters.readSync(`many ${index}`, MONTH) ?? 0
    assert.equal(many, 150_000)
  })

  test('a thread that is terminated while it holds a lock blocks others only until it is released', async () => {
    const counters = createSharedCounters({ clock: createClock(), ownerId: 1, capacity: 64 })
    const { thread, done } = startThread(counters, 2, 'stuck')
    await until(() => done() === 1)
    await thread.terminate()
    counters.releaseOwner(2)
    const startedAtMs = performance.now()
    assert.equal(addOne(counters, 'left'), 1)
    assertPrompt(performance.now() - startedAtMs, 1_000)
  })

  test('the thread that would have to release a lock is not blocked by it for ever', async () => {
    const counters = createSharedCounters({ clock: createClock(), ownerId: 1, capacity: 64 })
    const { thread, done } = startThread(counters, 2, 'stuck')
    await until(() => done() === 1)
    await thread.terminate()
    assert.equal(addOne(counters, 'left'), 1)
  })

  test('a thread that dies at any moment leaves a table that is right', async () => {
    const counters = createSharedCounters({ clock: createClock(), ownerId: 1, capacity: 2 ** 10 })
    let completed = 0
    const rounds = 12
    for (let round = 0; round < rounds; round++) {
      const { thread, done } = startThread(counters, 2, 'endless')
      await until(() => done() > 100)
      await delay(round)
      await thread.terminate()
      counters.releaseOwner(2)
      completed += done()
    }
    // Of an add under way at the end, any part of its steps may have been counted.
    for (const name of ['left', 'right']) {
      const count = counters.readSync(name, MONTH) ?? 0
      assert.ok(
        count >= completed && count <= completed + rounds,
        `${name}: ${count}, ${completed}`,
      )
    }
    let fresh = 0
    for (let index = 0; index < 500; index++) {
      const count = counters.readSync(`new 2 ${index}`, MONTH) ?? 0
      assert.equal(count % 7, 0)
      fresh += count / 7
    }
    assert.ok(fresh >= completed && fresh <= completed + rounds, `${fresh}, ${completed}`)
  })
})

function startThread(counters: SharedCounters, ownerId: number, task: string) {
  const progress = new SharedArrayBuffer(4)
  const workerData = { shared: counters.shared, ownerId, task, progress }
  const thread = new Worker(PROGRAM, { workerData })
  const words = new Int32Array(progress)
  return { thread, done: () => Atomics.load(words, 0) }
}

function addOne(counters: SharedCounters, name: string): number | undefined {
  const steps = ['left', 'right'].map((each) => ({
    name: each,
    window: MONTH,
    amount: 1,
    limit: null,
  }))
  return counters.addSync(steps).results.find((result) => result.name === name)?.value
}
