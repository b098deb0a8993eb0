import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExactJson } from './exact-json.ts'
import { isObject } from './json.ts'

test('what JSON writes in braces is an object, everything else is none', () => {
  for (const value of [{}, { a: 1 }, Object.create(null)]) assert.ok(isObject(value))
  for (const value of [null, undefined, [], [{}], 'a', 1, true, () => 1])
    assert.ok(!isObject(value))
  assert.ok(!isObject(parseExactJson('12345678901234567890')))
})
