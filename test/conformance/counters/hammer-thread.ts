// Counts in shared memory as one of several threads, told by messages.
import { parentPort, workerData } from 'node:worker_threads'
import { createClock } from '../../../src/kernel/clock.ts'
import { createSharedCounters } from '../../../src/kernel/counters/shared-memory.ts'

const MONTH = { kind: 'calendar', unit: 'month' } as const
const { shared, clock, ownerId } = workerData
const counters = createSharedCounters({ clock: createClock(clock), shared, ownerId })

parentPort?.on('message', ({ adds, limit }: { adds: number; limit: number }) => {
  let allowed = 0
  for (let round = 0; round < adds; round++) {
    const answer = counters.addSync([
      { name: 'one', window: MONTH, amount: 1, limit, keepRefused: false },
      { name: `many ${round % 100}`, window: MONTH, amount: 3, limit: null },
    ])
    if (answer.allowed) allowed++
  }
  parentPort?.postMessage(allowed)
})
parentPort?.postMessage('ready')
