import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindOf } from './index.ts'
import { checkKind } from './support/checks.ts'

const ENTRY = '0195A8C2-7c1e-7b3a-9d44-1f6a2b90c001'
const MS = Date.parse('2026-05-04T10:20:30.123Z')

checkKind(
  { type: 'boolean' },
  {
    accepts: [
      [true, true, 1],
      ['true', true, 1],
      ['t', true, 1],
      ['1', true, 1],
      [1, true, 1],
      [false, false, 0],
      ['false', false, 0],
      ['f', false, 0],
      ['0', false, 0],
      [0, false, 0],
    ],
    refuses: ['', 'yes', 2, null, {}, 'TRUE'],
    filters: [
      ['true', 1],
      [false, 0],
    ],
    refusesFilters: ['maybe', 7],
  },
)
checkKind(
  { type: 'date' },
  {
    accepts: [
      ['2024-02-29', '2024-02-29'],
      ['0001-01-01', '0001-01-01'],
      ['2024-01-01T00:00:00Z', '2024-01-01'],
      ['2024-01-01T23:30-05:00', '2024-01-01'],
      ['2024-01-01T10:00', '2024-01-01'],
    ],
    refuses: [
      '2023-02-29',
      '2024-02-30',
      '2024-13-01',
      '24-01-01',
      '2024-1-1',
      '1704067200000',
      5,
      null,
    ],
    filters: [
      ['2024-02-29', '2024-02-29'],
      ['2024-02-29T10:00:00Z', '2024-02-29'],
    ],
    refusesFilters: ['yesterday', 5],
  },
)
checkKind(
  { type: 'time' },
  {
    accepts: [
      ['10:20:30', '10:20:30.000'],
      ['10:20:30.1', '10:20:30.100'],
      ['23:59:59.999999', '23:59:59.999'],
    ],
    refuses: ['24:00:00', '10:60:00', '10:20:60', '10:20', '1:02:03', 5, null],
    filters: [['10:20:30', '10:20:30.000']],
    refusesFilters: ['noon'],
  },
)
checkKind(
  { type: 'datetime' },
  {
    accepts: [
      ['2026-05-04T10:20:30.123Z', '2026-05-04T10:20:30.123Z', MS],
      ['2026-05-04T12:20:30.123456+02:00', '2026-05-04T10:20:30.123Z', MS],
      [MS, '2026-05-04T10:20:30.123Z', MS],
      [-1, '1969-12-31T23:59:59.999Z', -1],
      [String(MS), '2026-05-04T10:20:30.123Z', MS],
      ['2026-05-04T10:20', '2026-05-04T10:20:00.000Z', MS - 30_123],
    ],
    refuses: ['2026-05-04', '2026-02-30T00:00:00Z', '99999999999999999', 1.5, 1e16, null, ''],
    filters: [
      [String(MS), MS],
      [MS, MS],
      ['2026-05-04', Date.parse('2026-05-04')],
      ['2026-05-04T10:20:30.123Z', MS],
      ['2026-05-04T10:20:30.123', MS],
    ],
    refusesFilters: ['soon', true, '99999999999999999'],
  },
)
checkKind(
  { type: 'json' },
  {
    accepts: [
      [
        { b: 1, a: [null, true, 'x'] },
        { b: 1, a: [null, true, 'x'] },
        '{"b":1,"a":[null,true,"x"]}',
      ],
      ['text', 'text', '"text"'],
      [0, 0, '0'],
      [
        JSON.parse('{"__proto__":{"x":1}}'),
        JSON.parse('{"__proto__":{"x":1}}'),
        '{"__proto__":{"x":1}}',
      ],
    ],
    refuses: [{ a: 'x\0' }, { 'a\0': 1 }, ['\ud800'], Number.NaN, deep(65), () => 1],
    refusesFilters: ['x'],
  },
)
checkKind(
  { type: 'tags' },
  {
    accepts: [
      [['b', 'a', 'b'], ['b', 'a'], '["b","a"]'],
      [[], [], '[]'],
      [words(100), words(100), JSON.stringify(words(100))],
    ],
    refuses: ['a', [1], [''], ['a\0'], words(101), ['x'.repeat(256)], {}],
    filters: [['a', 'a']],
  },
)
checkKind(
  { type: 'tags', enum: ['a', 'b'] },
  { accepts: [[['b'], ['b'], '["b"]']], refuses: [['c']] },
)
checkKind(
  { type: 'link' },
  {
    accepts: [
      [
        { url: '/about', title: 'About' },
        { url: '/about', title: 'About', target: null, entry: null },
        '{"url":"/about","title":"About","target":null,"entry":null}',
      ],
      [
        { entry: ENTRY },
        { url: null, title: null, target: null, entry: ENTRY.toLowerCase() },
        `{"url":null,"title":null,"target":null,"entry":"${ENTRY.toLowerCase()}"}`,
      ],
    ],
    refuses: [
      '/about',
      {},
      { url: '' },
      { url: 'JavaScript:alert(1)' },
      { url: '\u0001javascript:x' },
      { url: 5 },
      { entry: 'x' },
      { url: '/', rel: 'x' },
      { url: '/', title: 'a\0' },
    ],
    refusesFilters: ['/about'],
  },
)

test('members of JSON keep their order through the column', () => {
  const attribute = {
    no: 1,
    name: 'data',
    type: 'json',
    required: false,
    unique: false,
    private: false,
    searchable: true,
    localized: true,
    unversioned: false,
  } as const
  const kind = kindOf(attribute)
  const read = kind.fromColumn(String(kind.toColumn({ z: 1, a: 2, m: 3 }, attribute)), attribute)
  assert.equal(JSON.stringify(read), '{"z":1,"a":2,"m":3}')
})

function words(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `w${index}`)
}

function deep(levels: number): unknown {
  return levels === 0 ? 1 : [deep(levels - 1)]
}
