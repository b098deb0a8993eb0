import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createShares } from './shares.ts'

const NEVER = new AbortController().signal
/** Longer than a page may take without a rest after it. */
const HUGE_MS = 200

test('scrapers 15: after a huge page the thread rests before the next, after others it does not', async () => {
  const { takeReading } = createShares()
  assert.ok((await pauseAfter(HUGE_MS)) >= HUGE_MS / 4 - 1)
  // No timer at all, however slow the machine: a turn of the loop is enough.
  const second = takeReading(1, NEVER).then(() => takeReading(1, NEVER))
  const turns = await Promise.race([second.then(() => 'at once'), afterTurns(20)])
  assert.equal(turns, 'at once')

  async function pauseAfter(busyMs: number): Promise<number> {
    await takeReading(1, NEVER)
    const next = takeReading(2, NEVER)
    const untilMs = performance.now() + busyMs
    while (performance.now() < untilMs);
    await next
    const tookMs = performance.now() - untilMs
    await afterTurns(2)
    return tookMs
  }
})

async function afterTurns(count: number): Promise<string> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
  return 'later'
}
