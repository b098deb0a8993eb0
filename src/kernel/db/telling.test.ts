import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cells } from './ask.ts'
import { type CellForm, placesIn, type Telling, type TextPart, tellRows } from './telling.ts'

const cell = (at: number, as: CellForm): TextPart => ({ kind: 'cell', cell: at, as })
const owned = { step: 1, owner: 0, by: 0 }

const telling: Telling = {
  parts: [
    '{"id":',
    cell(0, 'plain'),
    ',',
    cell(1, 'members'),
    '"at":',
    cell(2, 'time'),
    ',"in":',
    cell(3, 'json'),
    ',"of":',
    { kind: 'first', ...owned, parts: ['"', cell(1, 'plain'), '"'], none: 'null' },
    cell(1, 'moreMembers'),
    '}',
  ],
  others: [],
  key: 0,
  demands: [{ step: 0, column: 4, value: 7 }],
  besides: 5,
}

const rows: readonly Cells[] = [
  [1, '{"a":"b"}', 0, 'fr', 7, 31],
  [2, '{}', null, null, 7, 31],
  [3, '{"a":null}', 1_500, '"', 7, 31],
]
const related: readonly Cells[] = [
  [1, 'first'],
  [1, 'second'],
  [3, 'third'],
]

/** What these parts make of one row, and of those that belong to it. */
function told(row: Cells, parts: readonly TextPart[], own: readonly Cells[] = []) {
  return tellRows({ ...telling, parts, demands: [] }, [[row], own], 1)?.text
}

test('rows become text, each with the first row that belongs to it', () => {
  const text = tellRows(telling, [rows, related], 3)?.text
  assert.deepEqual(JSON.parse(`[${text}]`), [
    { id: 1, a: 'b', at: '1970-01-01T00:00:00.000Z', in: 'fr', of: 'first' },
    { id: 2, at: null, in: null, of: null },
    { id: 3, a: null, at: '1970-01-01T00:00:01.500Z', in: '"', of: 'third' },
  ])
})

test('rows beyond those asked for are counted and not told', () => {
  const page = tellRows(telling, [rows, related], 2)
  assert.equal(JSON.parse(`[${page?.text}]`).length, 2)
  assert.deepEqual([page?.count, page?.besides], [3, [31]])
})

test('without rows there is no text and nothing beside it', () => {
  const nothing = { text: '', others: '', count: 0, besides: [] }
  assert.deepEqual(tellRows(telling, [[], []], 2), nothing)
})

test('rows that do not hold what they must are not told, whatever rows of another kind hold', () => {
  const old: Cells = [4, '{}', 0, null, 6, 31]
  assert.equal(tellRows(telling, [[...rows, old], related], 2), null)
  const demands = [{ step: 0, column: 4, value: 7, only: { column: 0, value: 1 } }]
  assert.ok(tellRows({ ...telling, demands }, [[...rows, old], related], 4))
  const missing = [{ step: 0, column: 3, value: null }]
  assert.equal(tellRows({ ...telling, demands: missing }, [rows, related], 2), null)
})

test('times are told whole, in seconds, and as short as they are', () => {
  const forms = ['time', 'seconds', 'date'] as const
  const both = (ms: number) => forms.map((as) => told([ms], [cell(0, as)]))
  assert.deepEqual(both(1_500), [
    '"1970-01-01T00:00:01.500Z"',
    '"1970-01-01T00:00:01+00:00"',
    '"1970-01-01T00:00:01.500Z"',
  ])
  assert.equal(both(2_000)[2], '"1970-01-01T00:00:02Z"')
})

test('a member is found by its name, and not inside a text that looks like one', () => {
  const json = JSON.stringify({ a: ',"b":1,"c":2', b: '"c":\\', c: null, d: [',"d":'] })
  const member = (name: string, to: string | null): TextPart => ({
    ...{ kind: 'member', cell: 0, from: `"${name}":`, none: 'none' },
    to: to && `,"${to}":`,
  })
  const parts = [member('a', 'b'), ' ', member('b', 'c'), ' ', member('c', 'd'), ' ']
  const text = told([json], [...parts, member('d', null)])
  assert.equal(text, String.raw`",\"b\":1,\"c\":2" "\"c\":\\" none [",\"d\":"]`)
  assert.equal(told([json], [member('x', null)]), undefined)
})

test('a text loses its beginning, and must have it', () => {
  const part: TextPart = { kind: 'behind', cell: 0, start: '/posts/' }
  assert.equal(told(['/posts/a"b'], [part]), 'a\\"b')
  assert.equal(told(['/pages/a'], [part]), undefined)
  assert.equal(told([null], [part]), undefined)
})

test('what is said of a value is known, or it is not told', () => {
  const part = { kind: 'known', cell: 0, texts: { 1: 'one', null: 'none' } } as const
  assert.equal(told([1], [{ ...part, others: null }]), 'one')
  assert.equal(told([null], [{ ...part, others: null }]), 'none')
  assert.equal(told([2], [{ ...part, others: 'other' }]), 'other')
  assert.equal(told([2], [{ ...part, others: null }]), undefined)
})

test('rows of several kinds have texts of their own', () => {
  const part: TextPart = { kind: 'case', cell: 0, of: [['zero'], ['one ', cell(1, 'plain')]] }
  assert.deepEqual([told([0], [part]), told([1, 'x'], [part])], ['zero', 'one x'])
  assert.equal(told([2], [part]), undefined)
})

test('all rows that belong to one are told, unless they are too many', () => {
  const all: TextPart = { kind: 'all', ...owned, parts: [cell(1, 'plain')] }
  assert.equal(told([1], [all], related), 'first,second')
  assert.equal(told([2], [all], related), '')
  const counted: readonly Cells[] = [
    [1, 'a', 2],
    [1, 'b', 2],
  ]
  const limited = (most: number): TextPart => ({ ...all, total: { column: 2, most } })
  assert.equal(told([1], [limited(2)], counted), 'a,b')
  assert.equal(told([1], [limited(1)], counted), undefined)
})

test('what rows lead to is told once, and not when it is among them', () => {
  const others = [{ ...owned, key: 1, parts: [cell(1, 'plain')] }]
  const leading: readonly Cells[] = [
    [1, 'x'],
    [2, 'y'],
    [2, 3],
    [3, 'x'],
    [3, 'z'],
  ]
  assert.equal(tellRows({ ...telling, others }, [rows, leading], 3)?.others, 'x,y,z')
})

test('rows that the first step only names are told in its order', () => {
  const apart = { step: 1, owner: 0, by: 0 }
  const named: readonly Cells[] = [
    [2, null, 31],
    [1, null, 31],
    [3, null, 31],
  ]
  const own: readonly Cells[] = [
    [1, 'first', 'x'],
    [2, 'second', 'y'],
  ]
  const leading: readonly Cells[] = [
    ['first', 'x'],
    ['second', 'z'],
  ]
  const others = [{ step: 2, owner: 0, by: 1, key: 1, parts: [cell(1, 'plain')] }]
  const asked: Telling = {
    apart,
    parts: [cell(1, 'plain')],
    others,
    key: 2,
    demands: [],
    besides: 2,
  }
  assert.deepEqual(tellRows(asked, [named, own, leading], 2), {
    ...{ text: 'second,first', others: 'z', count: 3, besides: [31] },
  })
  assert.equal(tellRows(asked, [named, own, leading], 3), null, 'one of them is not there')
})

test('what a telling looks at is all that it needs of its rows', () => {
  const apart = { step: 2, owner: 0, by: 5 }
  const first: TextPart = {
    kind: 'first',
    step: 1,
    owner: 0,
    by: 4,
    parts: [cell(7, 'json')],
    none: '',
  }
  const all: TextPart = {
    ...{ kind: 'all', step: 3, owner: 1, by: 4, parts: [cell(6, 'plain')] },
    total: { column: 2, most: 9 },
  }
  const parts = [first, all, { kind: 'case', cell: 8, of: [[cell(9, 'time')]] } as const]
  const demands = [{ step: 1, column: 3, value: 1, only: { column: 2, value: 0 } }]
  const places = placesIn({ apart, parts, others: [], key: 1, demands, besides: 6 })
  const found = (step: number) => [...(places.get(step) ?? [])].toSorted((a, b) => a - b)
  assert.deepEqual([0, 1, 2, 3].map(found), [[5], [0, 2, 3, 7], [0, 1, 4, 8, 9], [1, 2, 6]])
})
