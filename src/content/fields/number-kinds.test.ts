import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindOf } from './index.ts'
import { checkKind } from './support/checks.ts'

const NO_NUMBERS = [
  '',
  ' 1',
  '1 ',
  'abc',
  '0x10',
  true,
  null,
  {},
  [],
  Number.NaN,
  Number.POSITIVE_INFINITY,
]

checkKind(
  { type: 'integer', max: 2_147_483_000 },
  {
    accepts: [
      [5, 5],
      ['5', 5],
      ['-7', -7],
      ['+7', 7],
      [-0, 0],
      [-2_147_483_648, -2_147_483_648],
    ],
    refuses: [...NO_NUMBERS, 1.5, '1.5', '1e3', 2_147_483_001, 2_147_483_648, -2_147_483_649],
    filters: [
      ['5', 5],
      [3_000_000_000, 3_000_000_000],
    ],
    refusesFilters: ['abc', '1.5', true, '99999999999999999999'],
  },
)
checkKind(
  { type: 'biginteger', max: '9223372036854775806' },
  {
    accepts: [
      [5, '5', 5],
      ['007', '7', 7],
      ['-0', '0', 0],
      ['9223372036854775806', '9223372036854775806', 9223372036854775806n],
      ['-9223372036854775808', '-9223372036854775808', -9223372036854775808n],
      [9_007_199_254_740_991, '9007199254740991', 9_007_199_254_740_991],
    ],
    refuses: [
      ...NO_NUMBERS,
      1.5,
      '1.5',
      9_007_199_254_740_992,
      '9223372036854775807',
      '9223372036854775808',
      '-9223372036854775809',
    ],
    filters: [
      ['5', 5],
      ['9223372036854775807', 9223372036854775807n],
    ],
    refusesFilters: ['abc', '9223372036854775808', true],
  },
)
checkKind(
  { type: 'float', max: 1e9 },
  {
    accepts: [
      [1.5, 1.5],
      ['1.5', 1.5],
      ['-1e-3', -0.001],
      ['.5', 0.5],
      [-0, 0],
    ],
    refuses: [...NO_NUMBERS, '1e999', 1e9 + 1, '1.2.3', '9'.repeat(500)],
    filters: [['1.5', 1.5]],
    refusesFilters: ['abc', true],
  },
)
checkKind(
  { type: 'decimal' },
  {
    accepts: [
      [12.5, 12.5, 1250],
      ['12.50', 12.5, 1250],
      ['12.3400', 12.34, 1234],
      [0.07, 0.07, 7],
      [1e3, 1000, 100_000],
      ['1.5e1', 15, 1500],
      [-0.01, -0.01, -1],
      [-0, 0, 0],
      ['0e999', 0, 0],
      ['9999999999999.99', 9999999999999.99, 999_999_999_999_999],
    ],
    refuses: [...NO_NUMBERS, 12.345, '0.001', 10_000_000_000_000, '1e300', '1e-300'],
    filters: [
      ['12.5', 1250],
      [3, 300],
    ],
    refusesFilters: ['abc', '1.234', true],
  },
)
checkKind(
  { type: 'decimal', scale: 8, max: 10 },
  {
    accepts: [['0.00000001', 0.00000001, 1]],
    refuses: [10.5, '0.000000001', 10_000_000],
  },
)

test('the lower bound counts only for what is live', () => {
  const base = {
    no: 1,
    name: 'n',
    required: false,
    unique: false,
    private: false,
    searchable: true,
    localized: true,
    unversioned: false,
  } as const
  const integer = { ...base, type: 'integer', min: 3 } as const
  assert.equal(kindOf(integer).parse(2, integer).ok, true)
  assert.equal(kindOf(integer).checkLive(2, integer)?.rule, 'min')
  assert.equal(kindOf(integer).checkLive(3, integer), undefined)
  const big = { ...base, type: 'biginteger', min: '9007199254740993' } as const
  assert.equal(kindOf(big).checkLive('9007199254740992', big)?.rule, 'min')
  assert.equal(kindOf(big).checkLive('9007199254740993', big), undefined)
})
