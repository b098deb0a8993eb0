import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fold } from './fold.ts'

test('case is folded in every script, and nothing else', () => {
  assert.equal(fold('ИВАН'), fold('иван'))
  assert.equal(fold('ÉTÉ'), fold('e\u0301te\u0301'))
  assert.ok(fold('ΟΔΟΣΑ').includes(fold('ΟΔΟΣ')))
  assert.notEqual(fold('STRASSE'), fold('straße'))
  assert.notEqual(fold('été'), fold('ete'))
})
