import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseQuery, pathOf, rawQueryOf, withoutCredentials } from './query.ts'

test('credentials are left out of a query under every spelling of their name', () => {
  const kept: Record<string, string> = {
    '': '',
    'a=1&b=2': 'a=1&b=2',
    'api_key=x': '',
    'a=1&api_key=x&b=2': 'a=1&b=2',
    'a=1&api%5Fkey=x&t%69cket=y': 'a=1',
    'api_key[]=x&api_key[a]=y&api_key': '',
    'ticketing=1&filters%5Bapi_key%5D=2': 'ticketing=1&filters%5Bapi_key%5D=2',
  }
  for (const [query, expected] of Object.entries(kept)) {
    assert.equal(withoutCredentials(query), expected, query)
  }
})

test('a query is parsed without surprises', () => {
  const { a, b, c } = parseQuery('a=1&b=x%20y+z&b=%zz&c&api_key=k')
  assert.deepEqual([a, b, c], ['1', ['x y z', '%zz'], ''])
  assert.equal(Object.getPrototypeOf(parseQuery('__proto__=1')), null)
  assert.equal(Object.keys(parseQuery(`${'x&'.repeat(10)}k=1`)).length, 2)
  const many = Array.from({ length: 5_000 }, (_, i) => `k${i}=1`).join('&')
  assert.equal(Object.keys(parseQuery(many)).length, 1_000)
})

test('path and query are split at the first question mark', () => {
  assert.deepEqual([pathOf('/a?b?c'), rawQueryOf('/a?b?c')], ['/a', 'b?c'])
  assert.deepEqual([pathOf('/a'), rawQueryOf('/a')], ['/a', ''])
})
