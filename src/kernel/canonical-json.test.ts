import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalJson } from './canonical-json.ts'

test('equal values give the same text, different ones another', () => {
  const text = canonicalJson({ b: [{ d: 1, c: null }], a: 'x', u: undefined })
  assert.equal(text, '{"a":"x","b":[{"c":null,"d":1}]}')
  assert.equal(canonicalJson({ a: 'x', b: [{ c: null, d: 1 }] }), text)
  for (const other of [{ a: 'x', b: [] }, { a: 'x', b: { 0: { c: null, d: 1 } } }, 'x', null, []]) {
    assert.notEqual(canonicalJson(other), text)
  }
})
