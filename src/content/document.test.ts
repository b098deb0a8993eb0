import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutDocument } from './document.ts'

test('a document is cut into its members, whatever stands in them', () => {
  const document = {
    text: 'a "quoted", {braced} [text]:',
    ended: 'by a backslash \\',
    more: '\\" "\\\\"',
    breaks: '\n\t\u2028\u0001 ä 🚢',
    empty: '',
    number: -1.5e-7,
    big: '9007199254740993',
    yes: true,
    none: null,
    list: ['a,b', ['"]"'], []],
    nested: { 'a":1': { b: '}' }, c: [{ d: ']' }] },
  }
  const members = [...cutDocument(JSON.stringify(document))]
  assert.deepEqual(
    members,
    Object.entries(document).map(([name, value]) => [name, JSON.stringify(value)]),
  )
  assert.equal(cutDocument('{}').size, 0)
})
