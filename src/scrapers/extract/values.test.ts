import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONVERSIONS, toTime } from './values.ts'

test('scrapers 17: a time without a zone is in UTC, wherever the server stands', () => {
  const before = process.env['TZ']
  try {
    for (const zone of ['America/New_York', 'Asia/Tokyo', 'UTC']) {
      process.env['TZ'] = zone
      for (const [text, expected] of TIMES) assert.equal(toTime(text), expected, `${text} ${zone}`)
    }
  } finally {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  }
})

const TIMES = [
  ['2026-03-02T10:00:00', '2026-03-02T10:00:00.000Z'],
  ['2026-03-02 10:00', '2026-03-02T10:00:00.000Z'],
  ['2026-03-02', '2026-03-02T00:00:00.000Z'],
  ['2026-3-2', '2026-03-02T00:00:00.000Z'],
  ['Mar-02-2026', '2026-03-02T00:00:00.000Z'],
  ['March 2, 2026', '2026-03-02T00:00:00.000Z'],
  ['03/02/2026 10:00 PM', '2026-03-02T22:00:00.000Z'],
  ['Mon, 02 Mar 2026 10:00:00', '2026-03-02T10:00:00.000Z'],
  ['Mon, 02 Mar 2026 10:00:00 GMT', '2026-03-02T10:00:00.000Z'],
  ['Mon, 02 Mar 2026 10:00:00 EST', '2026-03-02T15:00:00.000Z'],
  ['Mon, 02 Mar 2026 10:00:00 +0200', '2026-03-02T08:00:00.000Z'],
  ['Mon Mar 02 2026 10:00:00 GMT+0100 (CET)', '2026-03-02T09:00:00.000Z'],
  ['March 2, 2026 10:00 AM UTC+2', '2026-03-02T08:00:00.000Z'],
  ['2026-03-02T10:00:00+02:00', '2026-03-02T08:00:00.000Z'],
  ['2026-03-02T10:00:00Z', '2026-03-02T10:00:00.000Z'],
  ['2026-03-02T10:00:00.123456-0500', '2026-03-02T15:00:00.123Z'],
  ['2026', '2026-01-01T00:00:00.000Z'],
  ['Published: March 2, 2026', '2026-03-02T00:00:00.000Z'],
  ['Updated 2026/03/02', '2026-03-02T00:00:00.000Z'],
  ['02-Mar-26', '2026-03-02T00:00:00.000Z'],
  ...['nothing', '5', 'SKU 77', 'Lamp 12', 'Lamp 2024', 'March 2', 'März 5 2026'].map(
    (text) => [text, null] as const,
  ),
] as const

test('scrapers 17: of a text its first number is read, by the marks of either side of the Atlantic', () => {
  for (const [text, expected] of [
    ['€ 1.234,50', 1234.5],
    ['$1,234.50', 1234.5],
    ['1 234 567,8 kr', 1234567.8],
    ['CHF 1\u2019234.50', 1234.5],
    ['12,345', 12345],
    ['0,125 kg', 0.125],
    ['-0,500', -0.5],
    ['−5 °C', -5],
    ['4 5 stars', 4],
    ['Room 12 2024', 12],
    ['2024 100 copies', 2024],
    ['A-5', 5],
    ['10-20 pieces', 10],
    ['3, 4 or 5', 3],
    ['none', null],
  ] as const) {
    assert.equal(CONVERSIONS.number(text, ''), expected, text)
  }
})
