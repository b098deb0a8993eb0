import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFilter } from '#content'
import { parseBrackets } from './brackets.ts'
import { refillOf, withHoles } from './holes.ts'

/** Of texts that differ in nothing but these values; the second must be made from the first. */
const PAIRS: [string, string][] = [
  ['filters[views][$gte]=100', 'filters[views][$gte]=499'],
  ['filters%5Bviews%5D%5B$gte%5D=1&sort=title', 'filters%5Bviews%5D%5B$gte%5D=-2.5&sort=title'],
  ['filters[views][%24lt]=1', 'filters[views][%24lt]=null'],
  [
    'filters[a][$eq]=x&filters[a][$nei]=y',
    'filters[a][$eq]=y&filters[a][$nei]=2026-01-01T00:00:00Z',
  ],
  ['filters[author][name][$eqi]=ada', 'filters[author][name][$eqi]=__proto__'],
  [
    'filters[a][$eq]=1&filters[$or][0][b]=2&filters[$or][1][c]=3',
    'filters[a][$eq]=7&filters[$or][0][b]=2&filters[$or][1][c]=3',
  ],
  [
    'filters[a][$gt]=1&filters[a][$lt]=5&populate=author',
    'filters[a][$gt]=3&filters[a][$lt]=3&populate=author',
  ],
]

test('a filter with other values is what its own text would have been parsed to', () => {
  for (const [one, other] of PAIRS) {
    const [first, second] = [withHoles(one), withHoles(other)]
    assert.ok(first.values.length > 0, one)
    assert.equal(first.text, second.text)
    const refill = refillOf(filterOf(one), first)
    assert.ok(refill, one)
    assert.deepEqual(refill(second.values), filterOf(other))
    assert.deepEqual(refill(first.values), filterOf(one), 'the first is as it was')
  }
})

test('what may mean more than it shows stays in the text', () => {
  for (const text of [
    'filters[a][$eq]=%41',
    'filters[a][$eq]=a+b',
    'filters[a][$eq]=',
    'filters[a][$in]=1',
    'filters[a][$null]=true',
    'filters[a][$startsWith]=x',
    'filters[a]=1',
    'filters[$or][0][a][$eq]=1',
    'populate[author][filters][a][$eq]=1',
    'xfilters[a][$eq]=1',
    'pagination[page]=2',
  ]) {
    assert.deepEqual(withHoles(text).values, [], text)
    assert.equal(withHoles(text).text, text)
  }
})

test('a place that is not one value of one comparison is not filled', () => {
  const merged = 'filters[a][$eq]=1&filters[a][$eq][b]=2'
  const raw = parseBrackets(merged)
  assert.equal(
    refillOf(
      {
        kind: 'compare',
        field: 'a',
        operator: 'eq',
        fold: false,
        values: ['2'],
        at: ['filters', 'a', '$eq'],
      },
      withHoles(merged),
    ),
    undefined,
    JSON.stringify(raw),
  )
})

function filterOf(text: string) {
  return parseFilter(parseBrackets(text)['filters'], ['filters'])
}
