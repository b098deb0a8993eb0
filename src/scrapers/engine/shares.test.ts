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

test('scrapers 15: no page is read while a transaction needs answers of the thread, and the next one waits for the page', async () => {
  const { takeReading, undisturbed } = createShares()
  const seen: string[] = []
  const answer = Promise.withResolvers<void>()
  const first = undisturbed(async () => {
    seen.push('first begins')
    await answer.promise
    seen.push('first ends')
  })
  const page = takeReading(1, NEVER).then(() => seen.push('page'))
  await afterTurns(5)
  const second = undisturbed(async () => seen.push('second'))
  await afterTurns(5)
  assert.deepEqual(seen, ['first begins'])
  answer.resolve()
  await Promise.all([first, page, second])
  assert.deepEqual(seen, ['first begins', 'first ends', 'page', 'second'])
})

test('scrapers 15: a page waits for no other writes, and a transaction that fails holds up no page', async () => {
  const { takeReading, write, undisturbed } = createShares()
  const answer = Promise.withResolvers<void>()
  const written = write(1, () => answer.promise)
  await takeReading(1, NEVER)
  answer.resolve()
  await written
  await assert.rejects(
    undisturbed(() => Promise.reject(new Error('lost'))),
    /lost/,
  )
  await takeReading(2, NEVER)
  assert.equal(await undisturbed(async () => 'done'), 'done')
})

async function afterTurns(count: number): Promise<string> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
  return 'later'
}
