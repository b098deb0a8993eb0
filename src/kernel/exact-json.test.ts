import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRawNumber, parseExactJson } from './exact-json.ts'

test('webhooks finding 11: numbers that no double holds are written as they were read', () => {
  const texts = [
    '{"n":9007199254740993}',
    '[-123456789012345678901234567890,{"a":[18446744073709551615]}]',
    '{"small":1e-400,"large":1e400}',
    '{"digits":3.14159265358979323846}',
    '{"plain":1,"text":"9007199254740993","x":0.1,"max":9007199254740991}',
  ]
  for (const text of texts) assert.equal(JSON.stringify(parseExactJson(text)), text)
})

test('webhooks finding 11: what a double holds is an ordinary number, however it is spelled', () => {
  assert.deepEqual(parseExactJson('{"a":1.50,"b":1e3,"c":-0.5,"d":9007199254740992}'), {
    a: 1.5,
    b: 1000,
    c: -0.5,
    d: 9_007_199_254_740_992,
  })
  const found = parseExactJson('[9007199254740993, 9007199254740992]')
  assert.ok(Array.isArray(found) && isRawNumber(found[0]) && !isRawNumber(found[1]))
})
