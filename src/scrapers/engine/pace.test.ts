import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createPace } from './pace.ts'

const { signal } = new AbortController()

for (const rate of [1, 5, 30]) {
  test(`scrapers 7: a thread that wakes late keeps ${rate} a second, and never more in a second`, async (t) => {
    const starts = await startsOf(t, { rate, count: 40 * rate, lateMs: 150 / rate + 20 })
    const seconds = ((starts.at(-1) ?? 0) - (starts[0] ?? 0)) / 1_000
    const average = (starts.length - 1) / seconds
    // With one a second each delay is one of all that follow.
    const least = rate === 1 ? 0.85 : 0.98 * rate
    assert.ok(average > least && average <= rate + 1e-9, `${average} a second`)
    for (const [at, first] of starts.entries()) {
      const within = starts.slice(at).filter((each) => each < first + 1_000).length
      assert.ok(within <= rate, `${within} in the second after ${first}`)
    }
  })
}

test('scrapers 7: a thread that was away does not make up for it at once', async (t) => {
  const starts = await startsOf(t, { rate: 5, count: 60, lateMs: 5, awayMs: 3_000 })
  const after = starts.findIndex((at, n) => n > 0 && at - (starts[n - 1] ?? 0) > 2_000)
  assert.ok((starts[after + 2] ?? 0) - (starts[after] ?? 0) > 150)
})

test('scrapers 7: moments that nobody waited for are lost', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0
  const pace = createPace({ rate: 5, notBeforeMs: 0, now: () => nowMs })
  await pace.take(signal)
  pace.answered()
  nowMs = 10_000
  t.mock.timers.tick(10_000)
  let begun = 0
  for (let n = 0; n < 3; n++) void pace.take(signal).then(() => begun++)
  await Promise.resolve()
  assert.equal(begun, 1)
})

test('scrapers 7: the second request keeps its distance from a first that was late', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0
  const pass = async (ms: number) => {
    nowMs += ms
    t.mock.timers.tick(ms)
    await Promise.resolve()
  }
  const pace = createPace({ rate: 5, notBeforeMs: 0, now: () => nowMs })
  await pace.take(signal)
  let begun = 0
  for (let n = 0; n < 3; n++) void pace.take(signal).then(() => begun++)
  await pass(950)
  assert.equal(begun, 0)
  pace.answered()
  await pass(199)
  assert.equal(begun, 0)
  await pass(1)
  assert.equal(begun, 1)
  await pass(200)
  assert.equal(begun, 2)
})

interface Load {
  readonly rate: number
  readonly count: number
  /** The thread looks at its timers at most that much too late. */
  readonly lateMs: number
  /** Once it is away for so long. */
  readonly awayMs?: number
}

async function startsOf(
  t: TestContext,
  { rate, count, lateMs, awayMs = 0 }: Load,
): Promise<number[]> {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0
  let seed = 7
  const pace = createPace({ rate, notBeforeMs: 0, now: () => nowMs })
  const starts: number[] = []
  for (let n = 0; n < count; n++) void pace.take(signal).then(() => starts.push(nowMs))
  await Promise.resolve()
  pace.answered()
  for (let turn = 0; starts.length < count; turn++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    const stepMs = turn === 200 ? awayMs : 1 + Math.floor((seed / 2 ** 31) * lateMs)
    nowMs += stepMs
    t.mock.timers.tick(stepMs)
    await Promise.resolve()
  }
  return starts
}
