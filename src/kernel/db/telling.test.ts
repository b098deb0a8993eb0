import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cells } from './ask.ts'
import { type Telling, tellRows } from './telling.ts'

const telling: Telling = {
  parts: [
    '{"id":',
    { cell: 0, as: 'plain' },
    ',',
    { cell: 1, as: 'members' },
    '"at":',
    { cell: 2, as: 'time' },
    ',"in":',
    { cell: 3, as: 'json' },
    ',"of":',
    { step: 1, owner: 0, by: 0, parts: ['"', { cell: 1, as: 'plain' }, '"'], none: 'null' },
    '}',
  ],
  demands: [{ step: 0, column: 4, value: 7 }],
  besides: 5,
}

const rows: readonly Cells[] = [
  [1, '{"a":"b"}', 0, 'fr', 7, 31],
  [2, '{}', null, null, 7, 31],
  [3, '{"a":null}', 1_500, '"', 7, 31],
]
const owned: readonly Cells[] = [
  [1, 'first'],
  [1, 'second'],
  [3, 'third'],
]

test('rows become text, each with the first row that belongs to it', () => {
  const told = tellRows(telling, [rows, owned], 3)
  assert.deepEqual(JSON.parse(`[${told?.text}]`), [
    { id: 1, a: 'b', at: '1970-01-01T00:00:00.000Z', in: 'fr', of: 'first' },
    { id: 2, at: null, in: null, of: null },
    { id: 3, a: null, at: '1970-01-01T00:00:01.500Z', in: '"', of: 'third' },
  ])
})

test('rows beyond those asked for are counted and not told', () => {
  const told = tellRows(telling, [rows, owned], 2)
  assert.equal(JSON.parse(`[${told?.text}]`).length, 2)
  assert.deepEqual([told?.count, told?.besides], [3, [31]])
})

test('without rows there is no text and nothing beside it', () => {
  assert.deepEqual(tellRows(telling, [[], []], 2), { text: '', count: 0, besides: [] })
})

test('rows that do not hold what they must are not told', () => {
  const old: Cells = [4, '{}', 0, null, 6, 31]
  assert.equal(tellRows(telling, [[...rows, old], owned], 2), null)
})
