import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accepts } from './accepts.ts'
import { indexFields } from './index-fields.ts'

const schema = indexFields('', {})
const field = (FieldName: string, FieldType = 'Date', Source = 'properties.releasedAt') => ({
  ...{ FieldName, FieldType, Source, VariesByCulture: false },
})

test('a registered field has a name of its own and reads a property or a member', () => {
  assert.ok(accepts(schema, [field('releaseDay'), field('title', 'StringSortable', 'name')]))
  const refused = [
    [field('createDate')],
    [field('NAME')],
    [field('Properties')],
    [field('day'), field('Day')],
    [field('a.b')],
    [field('day', 'Moment')],
    [field('day', 'Date', 'secret')],
    [field('day', 'Date', 'properties.')],
  ]
  for (const fields of refused) assert.ok(!accepts(schema, fields), JSON.stringify(fields))
})
