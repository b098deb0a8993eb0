import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointRange, split } from './endpoints.ts'
import { DAY_MS, HOUR_MS } from './periods.ts'

const MIDNIGHT = Date.UTC(2026, 2, 15)

test('whole days are read by the day, the rest by the hour, and nothing twice', () => {
  const fromMs = MIDNIGHT - 3 * DAY_MS + 5 * HOUR_MS
  const toMs = MIDNIGHT + 7 * HOUR_MS
  assert.deepEqual(split({ fromMs, toMs }), {
    days: { fromMs: MIDNIGHT - 2 * DAY_MS, toMs: MIDNIGHT },
    edges: [
      { fromMs, toMs: MIDNIGHT - 2 * DAY_MS },
      { fromMs: MIDNIGHT, toMs },
    ],
  })
})

test('within a day everything is read by the hour', () => {
  const range = { fromMs: MIDNIGHT + HOUR_MS, toMs: MIDNIGHT + 2 * HOUR_MS }
  const { days, edges } = split(range)
  assert.equal(days.fromMs, days.toMs)
  assert.deepEqual(edges, [range])
})

test('over midnight without a whole day everything is read by the hour', () => {
  const range = { fromMs: MIDNIGHT - HOUR_MS, toMs: MIDNIGHT + HOUR_MS }
  const { days, edges } = split(range)
  assert.equal(days.fromMs, days.toMs)
  assert.deepEqual(edges, [range])
})

test('the range is whole hours, by default of this month', () => {
  const nowMs = MIDNIGHT + 90 * 60_000
  const range = endpointRange({ fromMs: undefined, toMs: undefined }, nowMs)
  assert.deepEqual(range, { fromMs: Date.UTC(2026, 2), toMs: MIDNIGHT + 2 * HOUR_MS })
})

test('where hours are no longer kept the range is whole days', () => {
  const fromMs = MIDNIGHT - 500 * DAY_MS + HOUR_MS
  const toMs = MIDNIGHT - 499 * DAY_MS + HOUR_MS
  const range = endpointRange({ fromMs, toMs }, MIDNIGHT)
  assert.deepEqual(range, { fromMs: fromMs - HOUR_MS, toMs: MIDNIGHT - 498 * DAY_MS })
})
