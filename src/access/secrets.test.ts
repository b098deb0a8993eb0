import assert from 'node:assert/strict'
import { test } from 'node:test'
import { random } from '#kernel'
import { createRawKey, digestOf, isRawKey, prefixOf } from './secrets.ts'

test('access 2: 10,000 raw keys have their form and are distinct', () => {
  const keys = Array.from({ length: 10_000 }, () => createRawKey(random))
  for (const key of keys) assert.match(key, /^sk_[A-Za-z0-9]{48}$/)
  assert.equal(new Set(keys).size, 10_000)
  assert.equal(new Set(keys.join('').replaceAll('sk_', '')).size, 62)
})

test('the form is recognised exactly', () => {
  const key = createRawKey(random)
  assert.equal(isRawKey(key), true)
  for (const wrong of [
    '',
    key.slice(1),
    `${key}x`,
    `${key}\n`,
    key.replace('sk_', 'SK_'),
    `${key.slice(0, -1)}-`,
  ]) {
    assert.equal(isRawKey(wrong), false)
  }
  assert.equal(prefixOf(key), key.slice(0, 8))
  assert.match(digestOf(key), /^[0-9a-f]{64}$/)
})
