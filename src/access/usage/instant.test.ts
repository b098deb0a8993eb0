import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '#kernel'
import { parseInstant, parseMonth } from './instant.ts'

test('a date is its first instant in UTC', () => {
  assert.equal(parseInstant('from', '2026-03-01'), Date.UTC(2026, 2, 1))
  assert.equal(parseInstant('from', '2024-02-29'), Date.UTC(2024, 1, 29))
})

test('a date-time says its zone', () => {
  const nine = Date.UTC(2026, 2, 1, 9)
  assert.equal(parseInstant('from', '2026-03-01T09:00:00Z'), nine)
  assert.equal(parseInstant('from', '2026-03-01T09:00:00.057Z'), nine + 57)
  assert.equal(parseInstant('from', '2026-03-01T09:00:00.5Z'), nine + 500)
  assert.equal(parseInstant('from', '2026-03-01T09:00:00.123456Z'), nine + 123)
  assert.equal(parseInstant('from', '2026-03-01T10:30:00+01:30'), nine)
  assert.equal(parseInstant('from', '2026-03-01T04:00:00-05:00'), nine)
})

test('anything else is refused by the name of the parameter', () => {
  const bad = [
    '',
    'yesterday',
    '1772355660',
    '2026-3-1',
    '2026-02-29',
    '2026-13-01',
    '2026-03-01T09:00:00',
    '2026-03-01T25:00:00Z',
    '2026-03-01T09:60:00Z',
    '2026-03-01T09:00:00+25:00',
    '2026-03-01T09:00:00 Europe/Paris',
    '2026-03-01T09:00:00PST',
    ' 2026-03-01',
  ]
  for (const text of bad) {
    assert.throws(
      () => parseInstant('from', text),
      (error) => error instanceof DomainError && /^from must be/.test(error.message),
      text,
    )
  }
})

test('a month is its first instant', () => {
  assert.equal(parseMonth('month', '2026-03'), Date.UTC(2026, 2))
  for (const text of ['2026', '2026-13', '2026-00', '2026-3', '2026-03-01', 'march']) {
    assert.throws(() => parseMonth('month', text), /^DomainError: month must be/, text)
  }
})
