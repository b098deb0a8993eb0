import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuseTakenNames } from './known-fields.ts'

const field = (name: string) => ({
  ...({ name, type: 'Date', variesByCulture: false, key: `x:${name}` } as const),
})
const declared = [{ FieldName: 'releaseDay', FieldType: 'Date', Source: 'properties.day' } as const]

test('delivery 18: a field of a module with a name that is taken stops the start', () => {
  refuseTakenNames([field('mine')], declared)
  assert.throws(() => refuseTakenNames([field('CreateDate')], []), /built-in field; rename it/)
  assert.throws(() => refuseTakenNames([field('properties')], []), /built-in/)
  assert.throws(() => refuseTakenNames([field('releaseday')], declared), /IndexFields; rename it/)
})
