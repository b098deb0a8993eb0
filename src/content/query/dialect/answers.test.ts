import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restModel } from '#test-kit'
import { entryTag, expectedVersion } from './answers.ts'

const { entryOf, plain } = restModel

const entry = entryOf(plain, 7, {}, { version: 3 })
const tag = entryTag(entry, '{"a":1}')

test('a tag stands for id, version and bytes', () => {
  assert.match(tag, /^"7-3-[\w-]{8}"$/)
  assert.notEqual(tag, entryTag(entry, '{"a":2}'))
})

test('the current tag lets a change through, in whichever coding it came', () => {
  for (const header of [tag, `"1-1-abcdefgh", ${tag}`, tag.replace(/"$/, '-gzip"')]) {
    assert.equal(expectedVersion(header, entry), 3, header)
  }
  assert.equal(expectedVersion(undefined, entry), undefined)
  assert.equal(expectedVersion('*', entry), undefined)
})

test('old, foreign, weak and malformed tags do not', () => {
  const old = entryTag({ ...entry, version: 2 }, '')
  const foreign = entryTag({ ...entry, id: 8 }, '')
  for (const header of [old, foreign, `W/${tag}`, 'x', '', '"7-3"']) {
    assert.throws(() => expectedVersion(header, entry), { code: 'precondition_failed' }, header)
  }
})
