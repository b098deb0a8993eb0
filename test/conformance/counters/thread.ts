// One of several threads that count in the same shared memory.
import { parentPort, workerData } from 'node:worker_threads'
import { type Clock, createClock } from '../../../src/kernel/clock.ts'
import { createSharedCounters } from '../../../src/kernel/counters/shared-memory.ts'

const MONTH = { kind: 'calendar', unit: 'month' } as const
const { shared, ownerId, task, progress } = workerData
const done = new Int32Array(progress)
const clock = createClock()
const counters = createSharedCounters({ clock: stuckClock() ?? clock, shared, ownerId })

if (task === 'hammer') {
  parentPort?.once('message', (adds: number) => parentPort?.postMessage(hammer(adds)))
  parentPort?.postMessage('ready')
}
// Until the thread is terminated, at whatever point that happens.
if (task === 'endless') for (let round = 0; ; round++) addPair(round)
if (task === 'stuck') addPair(0)

function hammer(adds: number): number {
  let allowed = 0
  for (let round = 0; round < adds; round++) {
    const answer = counters.addSync([
      { name: 'one', window: MONTH, amount: 1, limit: 50_000 },
      { name: `many ${round % 100}`, window: MONTH, amount: 3, limit: null },
    ])
    if (answer.allowed) allowed++
  }
  return allowed
}

/** A pair of new counters each time, and two that all rounds share. */
function addPair(round: number): void {
  counters.addSync([
    { name: 'left', window: MONTH, amount: 1, limit: null },
    { name: `new ${ownerId} ${round % 500}`, window: MONTH, amount: 7, limit: null },
    { name: 'right', window: MONTH, amount: 1, limit: null },
  ])
  Atomics.add(done, 0, 1)
}

/** The clock is read under the locks, so a clock that never answers holds them for ever. */
function stuckClock(): Clock | undefined {
  if (task !== 'stuck') return undefined
  return {
    offsetMs: () => 0,
    now() {
      Atomics.store(done, 0, 1)
      for (;;);
    },
  }
}
