import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryAfterMs } from './retry-after.ts'

const NOW_MS = Date.UTC(2026, 9, 21, 7, 0, 0)
const HALF_AN_HOUR_MS = 30 * 60_000

test('Retry-After is seconds, or a date in one of three forms', () => {
  assert.equal(retryAfterMs(' 120 ', NOW_MS), 120_000)
  for (const date of [
    'Wed, 21 Oct 2026 07:30:00 GMT',
    'Wednesday, 21-Oct-26 07:30:00 GMT',
    'Wed Oct 21 07:30:00 2026',
  ]) {
    assert.equal(retryAfterMs(date, NOW_MS), HALF_AN_HOUR_MS, date)
  }
})

test('Retry-After of the past is no wait, and what is neither is none', () => {
  assert.equal(retryAfterMs('Wed, 21 Oct 2015 07:28:00 GMT', NOW_MS), 0)
  for (const value of [undefined, ['1'], '', 'soon', '-1', '1.5', '2026-10-21', 'Wed, soon']) {
    assert.equal(retryAfterMs(value, NOW_MS), null)
  }
})
