import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCents, renderCents } from './price.ts'

test('numbers and texts become exact cents and come back as they were', () => {
  const cases: [number | string, number][] = [
    [0, 0],
    [19, 1900],
    ['19.00', 1900],
    [19.99, 1999],
    ['0.1', 10],
    [0.07, 7],
    [1.15, 115],
    [4.35, 435],
    [99_999_999.99, 9_999_999_999],
  ]
  for (const [price, cents] of cases) {
    assert.equal(parseCents(price), cents, String(price))
    assert.equal(renderCents(cents), Number(price))
  }
  for (let cents = 0; cents < 20_000; cents++) {
    assert.equal(parseCents(renderCents(cents)), cents)
  }
})

test('a third decimal, a sign, an exponent and other texts are no price', () => {
  for (const wrong of [
    1.234,
    '1.234',
    '1.990',
    -1,
    '-1',
    '+1',
    1e-7,
    1e21,
    100_000_000,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '',
    ' 1',
    '1,5',
    '0x10',
    '1e2',
    '.5',
    '5.',
    '007',
  ]) {
    assert.equal(parseCents(wrong), undefined, String(wrong))
  }
})
