import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCron, nextTick } from './cron.ts'

function ticks(cron: string, timezone: string, from: string, count = 3): string[] {
  const found: string[] = []
  for (let atMs: number | null = Date.parse(from); found.length < count; ) {
    atMs = nextTick(cron, timezone, atMs)
    if (atMs === null) break
    found.push(new Date(atMs).toISOString().replace('.000Z', 'Z'))
  }
  return found
}

test('scrapers 11: a time that daylight saving skips fires after the gap', () => {
  assert.deepEqual(ticks('30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', 2), [
    '2026-03-08T07:00:00Z',
    '2026-03-09T06:30:00Z',
  ])
  assert.deepEqual(ticks('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2), [
    '2026-03-29T01:00:00Z',
    '2026-03-30T00:30:00Z',
  ])
})

test('scrapers 11: a time that daylight saving repeats fires once', () => {
  assert.deepEqual(ticks('30 1 * * *', 'America/New_York', '2026-10-31T12:00:00Z', 2), [
    '2026-11-01T05:30:00Z',
    '2026-11-02T06:30:00Z',
  ])
  assert.deepEqual(ticks('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2), [
    '2026-10-25T00:30:00Z',
    '2026-10-26T01:30:00Z',
  ])
})

test('scrapers 11: lists, ranges and steps of minutes in named hours are such times too', () => {
  const berlin = (cron: string, from: string, count: number) =>
    ticks(cron, 'Europe/Berlin', from, count).map((tick) => tick.slice(5, 16))
  assert.deepEqual(berlin('*/30 2 * * *', '2026-03-28T22:00:00Z', 2), [
    '03-29T01:00',
    '03-30T00:00',
  ])
  assert.deepEqual(berlin('5,35 1-3 * * *', '2026-03-29T00:30:00Z', 4), [
    ...['03-29T00:35', '03-29T01:00', '03-29T01:05', '03-29T01:35'],
  ])
  assert.deepEqual(berlin('5,35 1-3 * * *', '2026-10-25T00:00:00Z', 4), [
    ...['10-25T00:05', '10-25T00:35', '10-25T02:05', '10-25T02:35'],
  ])
  // Within the hour that comes again.
  assert.deepEqual(berlin('45 2 * * *', '2026-10-25T01:10:00Z', 1), ['10-26T01:45'])
  assert.deepEqual(ticks('0 0 1 * *', 'Africa/Cairo', '2026-04-24T12:00:00Z', 1), [
    '2026-04-30T21:00:00Z',
  ])
})

test('scrapers 11: a schedule that names no hours is read by the clock, too', () => {
  const berlin = (cron: string, from: string, count: number) =>
    ticks(cron, 'Europe/Berlin', from, count).map((tick) => tick.slice(5, 19))
  assert.deepEqual(berlin('0 * * * *', '2026-10-24T23:30:00Z', 3), [
    ...['10-25T00:00:00', '10-25T02:00:00', '10-25T03:00:00'],
  ])
  assert.deepEqual(berlin('*/30 * * * *', '2026-10-25T00:29:00Z', 3), [
    ...['10-25T00:30:00', '10-25T02:00:00', '10-25T02:30:00'],
  ])
  // Asked in the hour that comes again, at its beginning and at its end.
  for (const from of ['01:00:00', '01:10:07', '01:59:59']) {
    assert.deepEqual(berlin('* * * * * *', `2026-10-25T${from}Z`, 2), [
      ...['10-25T02:00:00', '10-25T02:00:01'],
    ])
  }
  assert.deepEqual(berlin('30 * * * *', '2026-03-29T00:00:00Z', 3), [
    ...['03-29T00:30:00', '03-29T01:00:00', '03-29T01:30:00'],
  ])
  assert.deepEqual(berlin('*/20 * * * *', '2026-03-29T00:40:00Z', 2), [
    ...['03-29T01:00:00', '03-29T01:20:00'],
  ])
})

test('scrapers 11: seconds, names, lists, steps, L, # and shorthands', () => {
  assert.deepEqual(ticks('*/20 * * * * *', 'UTC', '2026-01-01T00:00:00Z', 2), [
    '2026-01-01T00:00:20Z',
    '2026-01-01T00:00:40Z',
  ])
  assert.deepEqual(ticks('0 0 L FEB *', 'UTC', '2026-01-01T00:00:00Z', 1), ['2026-02-28T00:00:00Z'])
  assert.deepEqual(ticks('0 9 * * MON#2', 'UTC', '2026-01-01T00:00:00Z', 1), [
    '2026-01-12T09:00:00Z',
  ])
  assert.deepEqual(ticks('0 0 * * 7', 'UTC', '2026-01-01T00:00:00Z', 1), ['2026-01-04T00:00:00Z'])
  assert.deepEqual(ticks('@yearly', 'UTC', '2026-01-01T00:00:00Z', 1), ['2027-01-01T00:00:00Z'])
  assert.deepEqual(
    ticks('0 6 1-5/2,10 * *', 'UTC', '2026-01-01T00:00:00Z', 4).at(-1),
    '2026-01-10T06:00:00Z',
  )
})

test('scrapers 2: what is no schedule is refused with what is wrong', () => {
  for (const text of [
    '',
    'every day',
    '* * *',
    '61 * * * *',
    '*/0 * * * *',
    '5-1 * * * *',
    '@reboot',
  ]) {
    assert.ok(checkCron(text), text)
  }
  for (const text of [
    '* * * * * * *',
    '1,,2 * * * *',
    '* * * * MONDAY',
    '1/5 * * * *',
    '? * * * *',
  ]) {
    assert.ok(checkCron(text), text)
  }
  assert.equal(nextTick('0 0 31 2 *', 'UTC', 0), null)
})

test('a moment between two milliseconds, as files have, is a moment', () => {
  const atMs = Date.parse('2026-01-01T00:00:59.999Z') + 0.25
  assert.equal(nextTick('* * * * *', 'Europe/Berlin', atMs), Date.parse('2026-01-01T00:01:00Z'))
})
