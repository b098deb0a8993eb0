import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDocumentCache } from './document.ts'

test('what is used stays, what is not makes room, and no more is kept than allowed', () => {
  const cache = createDocumentCache<number>(100)
  cache.keep('used', 1)
  cache.keep('once', 2)
  for (let n = 0; n < 200; n++) {
    cache.keep(`key ${n}`, n)
    assert.equal(cache.find('used'), 1)
  }
  assert.equal(cache.find('once'), undefined)
  assert.equal(cache.find('key 0'), undefined)
  assert.equal(cache.find('key 199'), 199)
})
