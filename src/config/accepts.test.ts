import assert from 'node:assert/strict'
import { test } from 'node:test'
import Schema from 'typebox/schema'
import { accepts } from './accepts.ts'
import { createCatalogue } from './catalogue.ts'

const VALUES: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  1,
  5,
  70_000,
  2 ** 40,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  'x',
  'types',
  'local',
  'x'.repeat(32),
  'x'.repeat(5_000),
  `sk_${'a'.repeat(48)}`,
  'gateway_',
  'https://example.org',
  'redis://cache',
  'postgres://db/x',
  {},
  { length: 1 },
  [],
  [''],
  ['api'],
  ['api', 'api'],
  ['*', 'https://example.org'],
  ['10.0.0.0/8', '::1'],
  ['10.0.0.0/99'],
  ['/admin'],
  [1, 2],
  [1, '2'],
  [{ FieldName: 'releaseDay', FieldType: 'Date', Source: 'properties.releasedAt' }],
  [{ FieldName: 'day', FieldType: 'Date', Source: 'createDate', VariesByCulture: true }],
  [{ FieldName: 'day', FieldType: 'Day', Source: 'createDate' }],
  [{ FieldName: 'day', FieldType: 'Date' }],
  [{ FieldName: 'day', FieldType: 'Date', Source: 'createDate', Other: 1 }],
  [{ FieldName: 'Name', FieldType: 'Date', Source: 'createDate' }],
  [
    { FieldName: 'day', FieldType: 'Date', Source: 'createDate' },
    { FieldName: 'Day', FieldType: 'Date', Source: 'updateDate' },
  ],
  Array.from({ length: 1_001 }, (_, index) => `x${index}`),
]

test('the small checker agrees with the one of TypeBox on every setting', () => {
  for (const { name, schema } of createCatalogue().all) {
    for (const value of VALUES) {
      const expected = Schema.Check(schema, value)
      assert.equal(accepts(schema, value), expected, `${name} and ${JSON.stringify(value)}`)
    }
  }
})

test('every default fits its own setting', () => {
  for (const { name, schema, default: value } of createCatalogue().all) {
    if (value !== undefined) assert.ok(accepts(schema, value), name)
  }
})
