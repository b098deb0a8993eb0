import assert from 'node:assert/strict'
import { test } from 'node:test'
import { median, ratio } from './compare.ts'
import { renderOutcome, verdictOf } from './report.ts'

const SPEEDS = [
  { what: 'bare', perSecond: 10_000, p50Ms: 1, p99Ms: 2.5, eachPerSecond: [10_000] },
  { what: 'ours', perSecond: 7_123.4, p50Ms: 1.404, p99Ms: 3, eachPerSecond: [7_123.4] },
]

test('a figure passes when it reaches what it must, and is only shown without such a limit', () => {
  const figure = { what: 'ours / bare', value: 0.7, unit: 'x' } as const
  assert.equal(verdictOf({ ...figure, must: { atLeast: 0.7 } }), 'pass')
  assert.equal(verdictOf({ ...figure, must: { atLeast: 0.71 } }), 'short')
  assert.equal(verdictOf({ ...figure, must: { atMost: 0.7 } }), 'pass')
  assert.equal(verdictOf({ ...figure, must: { atMost: 0.6 } }), 'short')
  assert.equal(verdictOf({ ...figure, value: Number.NaN, must: { atMost: 1 } }), 'short')
  assert.equal(verdictOf(figure), 'shown')
})

test('both tables line up', () => {
  const value = ratio(SPEEDS, 'ours', 'bare')
  const figures = [{ what: 'ours / bare', value, unit: 'x' as const, must: { atLeast: 0.8 } }]
  assert.equal(
    renderOutcome({ speeds: SPEEDS, figures }),
    [
      '         requests/s   p50 ms   p99 ms',
      '  bare       10,000     1.00     2.50',
      '  ours        7,123     1.40     3.00',
      '',
      '                figure   must reach',
      '  ours / bare   0.71 x    >= 0.80 x   short',
    ].join('\n'),
  )
})

test('a matrix stands in place of the speeds, with its notes behind it', () => {
  const matrix = {
    head: ['x bare', 'key'],
    lines: [['cms, page n', '0.100*']],
    notes: ['* below what it must reach'],
  }
  const must = { atLeast: 0.1, aim: 0.15 }
  const figures = [{ what: 'slowest', value: 0.1, unit: 'x' as const, must }]
  assert.equal(
    renderOutcome({ speeds: SPEEDS, matrix, figures }),
    [
      '  x bare           key',
      '  cms, page n   0.100*',
      '',
      '  * below what it must reach',
      '',
      '            figure              must reach',
      '  slowest   0.10 x   >= 0.10 x, aim 0.15 x   pass',
    ].join('\n'),
  )
})

test('speeds are compared within each round, so a slow spell of the machine does not count', () => {
  const speed = { perSecond: 0, p50Ms: 1, p99Ms: 1 }
  const speeds = [
    { ...speed, what: 'bare', eachPerSecond: [100, 50, 100] },
    { ...speed, what: 'ours', eachPerSecond: [20, 10, 90] },
  ]
  assert.equal(ratio(speeds, 'ours', 'bare'), 0.2)
})

test('the median leaves one bad round out', () => {
  assert.equal(median([3, 100, 1]), 3)
  assert.equal(median([2, 1]), 1)
})
