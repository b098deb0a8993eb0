import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS, startAtOrAfter, startOf } from './periods.ts'
import { fill, rangeOf } from './series.ts'

const NOON = Date.UTC(2026, 2, 15, 12)
const ask = (interval: 'minute' | 'hour' | 'day', fromMs?: number, toMs?: number) =>
  rangeOf({ interval, fromMs, toMs }, NOON + 1_234)

test('periods begin where the UTC calendar says', () => {
  const at = Date.UTC(2024, 1, 29, 23, 59, 59, 999)
  assert.equal(startOf('minute', at), Date.UTC(2024, 1, 29, 23, 59))
  assert.equal(startOf('hour', at), Date.UTC(2024, 1, 29, 23))
  assert.equal(startOf('day', at), Date.UTC(2024, 1, 29))
  assert.equal(startOf('month', at), Date.UTC(2024, 1))
  assert.equal(startOf('day', -1), -DAY_MS)
  assert.equal(startAtOrAfter('hour', NOON), NOON)
  assert.equal(startAtOrAfter('hour', NOON + 1), NOON + HOUR_MS)
})

test('without limits a series ends with the period that is under way', () => {
  assert.deepEqual(ask('minute'), { fromMs: NOON - 59 * MINUTE_MS, toMs: NOON + MINUTE_MS })
  assert.deepEqual(ask('hour'), { fromMs: NOON - 23 * HOUR_MS, toMs: NOON + HOUR_MS })
  const today = startOf('day', NOON)
  assert.deepEqual(ask('day'), { fromMs: today - 29 * DAY_MS, toMs: today + DAY_MS })
})

test('a series holds whole periods, and not the one that begins at its end', () => {
  const range = ask('hour', NOON - 90 * MINUTE_MS, NOON)
  assert.deepEqual(range, { fromMs: NOON - 2 * HOUR_MS, toMs: NOON })
})

test('at most 1500 points', () => {
  assert.doesNotThrow(() => ask('minute', NOON - 1_500 * MINUTE_MS, NOON))
  assert.throws(() => ask('minute', NOON - 1_501 * MINUTE_MS, NOON), /from and to span 1501 points/)
  assert.throws(() => ask('day', 0), /from and to span/)
})

test('an end before the beginning is refused', () => {
  assert.throws(() => ask('hour', NOON, NOON), /from must be before to/)
  assert.throws(() => ask('hour', NOON, NOON - HOUR_MS), /from must be before to/)
  assert.throws(() => ask('hour', NOON + HOUR_MS), /from must be before to/)
})

test('there are no points before what is kept, because a zero would be untrue', () => {
  const range = ask('minute', NOON - 50 * HOUR_MS, NOON - 47 * HOUR_MS)
  assert.equal(range.fromMs, NOON - 48 * HOUR_MS)
  const gone = ask('minute', NOON - 60 * HOUR_MS, NOON - 50 * HOUR_MS)
  assert.deepEqual(fill('minute', gone, new Map()), [])
})

test('gaps are filled with 0', () => {
  const range = { fromMs: NOON, toMs: NOON + 3 * HOUR_MS }
  const totals = { requests: 4, errors: 1, rejected: 2, cost: 4, responseMs: 90 }
  const points = fill('hour', range, new Map([[NOON + HOUR_MS, totals]]))
  const none = { requests: 0, errors: 0, rejected: 0, avgResponseMs: 0 }
  assert.deepEqual(points, [
    { at: '2026-03-15T12:00:00.000Z', ...none },
    { at: '2026-03-15T13:00:00.000Z', requests: 4, errors: 1, rejected: 2, avgResponseMs: 23 },
    { at: '2026-03-15T14:00:00.000Z', ...none },
  ])
})
