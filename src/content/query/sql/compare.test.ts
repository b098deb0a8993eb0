import assert from 'node:assert/strict'
import { test } from 'node:test'
import { following } from './compare.ts'

test('a prefix ends where the least greater text without it begins', () => {
  assert.equal(following('a'), 'b')
  assert.equal(following('aß'), 'aà')
  assert.equal(following('\ud7ff'), '\ue000')
  assert.equal(following('😀'), '😁')
  assert.equal(following('a\u{10ffff}'), 'b')
  assert.equal(following('\u{10ffff}'), undefined)
  assert.equal(following(''), undefined)
})
