import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDate, parseDay, parseMoment, parseTime, renderTime } from './times.ts'

test('a time needs a zone, a real day and a real zone', () => {
  const noon = Date.UTC(2026, 2, 1, 12)
  assert.equal(parseTime('2026-03-01T12:00:00Z'), noon)
  assert.equal(parseTime('2026-03-01T12:00:00.000Z'), noon)
  assert.equal(parseTime('2026-03-01T13:00+01:00'), noon)
  assert.equal(parseTime('2026-03-01t12:00:00z'), noon)
  for (const wrong of [
    '2026-03-01',
    '2026-03-01T12:00:00',
    '2026-03-01T12:00:00 Z',
    '2026-03-01T12:00:00+99:00',
    '2026-03-01T12:00:00+01:99',
    '2026-03-01T25:00:00Z',
    '2026-02-30T12:00:00Z',
    '2026-13-01T12:00:00Z',
    'tomorrow',
    '',
  ]) {
    assert.equal(parseTime(wrong), undefined, wrong)
  }
})

test('a date is its first instant in UTC', () => {
  assert.equal(parseDate('2026-03-01'), Date.UTC(2026, 2, 1))
  assert.equal(parseDate('2025-02-29'), undefined)
  assert.equal(parseDate('2026-3-1'), undefined)
  assert.equal(renderTime(Date.UTC(2026, 2, 1)), '2026-03-01T00:00:00.000Z')
})

test('a day is real when the calendar has it, in common years, leap years and centuries', () => {
  const two = (number: number) => String(number).padStart(2, '0')
  for (const year of ['0000', '1600', '1900', '2000', '2023', '2024', '9999']) {
    for (let month = 0; month <= 13; month++) {
      for (let day = 0; day <= 32; day++) {
        const date = `${year}-${two(month)}-${two(day)}`
        const ms = Date.parse(date)
        const isReal = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date)
        assert.equal(parseDate(date), isReal ? ms : undefined, date)
      }
    }
  }
})

test('a time of people and forms may lack its zone, or be epoch milliseconds', () => {
  assert.equal(parseMoment('2020-01-01T00:00'), Date.UTC(2020, 0, 1))
  assert.equal(parseMoment('2020-01-01t00:00:01.5'), Date.UTC(2020, 0, 1) + 1_500)
  assert.equal(parseMoment('2020-01-01T00:00:00+01:00'), Date.UTC(2019, 11, 31, 23))
  assert.equal(parseMoment('1577836800000'), Date.UTC(2020, 0, 1))
  assert.equal(parseMoment('-1'), -1)
  for (const wrong of [
    '2020-01-01',
    '2020-02-30T00:00',
    '1e3',
    '253402300800000',
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00+01:00',
    '12345678901234567',
    'now',
    '',
  ]) {
    assert.equal(parseMoment(wrong), undefined, wrong)
  }
})

test('a day is a date, or the date of a time', () => {
  for (const text of ['2020-01-01', '2020-01-01T00:00', '2020-01-01T23:59:59.999-11:00']) {
    assert.equal(parseDay(text), '2020-01-01', text)
  }
  for (const wrong of ['1577836800000', '2020-02-30', '2020-02-30T00:00', '2020-01-01T', '']) {
    assert.equal(parseDay(wrong), undefined, wrong)
  }
})

test('a time is rendered as the language itself would, on every day of 800 years', () => {
  const day = 86_400_000
  for (let ms = Date.UTC(1590, 0); ms < Date.UTC(2410, 0); ms += day) {
    const moment = ms + (ms % 7_919) * 10_901
    assert.equal(renderTime(moment), new Date(moment).toISOString())
  }
  for (const ms of [0, -1, 1, 951_782_399_999, Date.UTC(9999, 11, 31, 23, 59, 59, 999), 0.5]) {
    assert.equal(renderTime(ms), new Date(ms).toISOString())
  }
  assert.throws(() => renderTime(Number.NaN), RangeError)
})
