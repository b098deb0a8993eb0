import assert from 'node:assert/strict'
import { test } from 'node:test'
import { editDistance, nearest } from './nearest.ts'

test('a slip, a missing letter, an extra letter and a swap each count one', () => {
  for (const word of ['pprt', 'prt', 'poort', 'prot']) assert.equal(editDistance(word, 'port'), 1)
  assert.equal(editDistance('', 'port'), 4)
  assert.equal(editDistance('port', ''), 4)
  assert.equal(editDistance('port', 'port'), 0)
})

test('the nearest word wins, the first of equals', () => {
  assert.equal(nearest('strat', ['migrate', 'start', 'stop']), 'start')
  assert.equal(nearest('x', ['a', 'b']), 'a')
  assert.equal(nearest('x', []), undefined)
})
