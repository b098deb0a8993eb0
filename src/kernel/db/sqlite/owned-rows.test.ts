import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AskStep, Cell } from '../ask.ts'
import { createOwnedRows } from './owned-rows.ts'

const step = { sql: 'x', fed: [], owner: 0 } satisfies AskStep

/** Rows `[owner, text]` of all owners but the third, and which owners were loaded. */
function counting() {
  const loads: Cell[][] = []
  const rows = createOwnedRows()
  const find = (owners: Cell[], { version = 1, of = step, parameters = '[]', text = 'a' } = {}) =>
    rows.find(version, of, parameters, owners, (missing) => {
      loads.push(missing)
      return missing.filter((owner) => owner !== 3).map((owner) => [owner, `${text}${owner}`])
    })
  return { find, loads }
}

test('only what is not known is loaded, also of owners that have nothing', () => {
  const { find, loads } = counting()
  assert.deepEqual(find([1, 2, 3]), [
    [1, 'a1'],
    [2, 'a2'],
  ])
  assert.deepEqual(find([3, 2, 4]), [
    [2, 'a2'],
    [4, 'a4'],
  ])
  assert.deepEqual(find([4, 3, 1]).length, 2)
  assert.deepEqual(loads, [[1, 2, 3], [4]])
})

test('another version of the database, statement or parameter knows nothing of it', () => {
  const { find, loads } = counting()
  find([1])
  find([1], { parameters: '["en"]' })
  find([1], { of: { ...step } })
  assert.deepEqual(find([1], { version: 2, text: 'b' }), [[1, 'b1']])
  assert.deepEqual(find([1], { version: 1, text: 'c' }), [[1, 'c1']])
  assert.equal(loads.length, 5)
})

test('what is kept is bounded', () => {
  const { find, loads } = counting()
  const text = 'x'.repeat(1_000_000)
  for (const owner of [1, 2, 4, 5, 6]) find([owner], { text })
  find([7], { text })
  find([1])
  assert.equal(loads.length, 7)
})

test('questions that nothing belongs to are bounded too', () => {
  const { find, loads } = counting()
  const none = (at: number) => find([3], { parameters: `["${at}${'x'.repeat(1_000_000)}"]` })
  for (const at of [1, 2, 4, 5, 6, 1]) none(at)
  assert.equal(loads.length, 6)
  const { find: findOwners, loads: loaded } = counting()
  const owners = (first: number) => Array.from({ length: 60_000 }, (_, n) => first + n)
  for (const first of [10, 100_000, 200_000, 10]) findOwners(owners(first), { text: '' })
  assert.equal(loaded.length, 4)
})
