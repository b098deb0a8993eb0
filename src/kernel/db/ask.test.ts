import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Cells, type Fed, feed } from './ask.ts'

const rows: readonly Cells[] = [
  [1, 0],
  [2, 1],
  [1, 0],
  [3, 0],
]

test('a step is fed with what a column holds, each value once', () => {
  assert.deepEqual(fedWith({}, null), [[1, 2, 3]])
})

test('only the first rows count where so many are bound', () => {
  assert.deepEqual(fedWith({}, 2), [[1, 2]])
})

test('only rows of one kind count where so said; without any the step is not run', () => {
  assert.deepEqual(fedWith({ only: { column: 1, value: 0 } }, null), [[1, 3]])
  assert.deepEqual(fedWith({ only: { column: 1, value: 1 } }, null), [[2]])
  assert.equal(fedWith({ only: { column: 1, value: 2 } }, null), undefined)
})

function fedWith(more: Partial<Fed>, first: number | null) {
  const fed = [{ parameter: 0, step: 0, column: 0, ...more }]
  return feed<unknown>({ sql: '', fed }, [first], [rows], (cells) => cells)
}
