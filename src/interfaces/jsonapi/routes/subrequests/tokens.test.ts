import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAt, parseJsonPath } from './tokens.ts'

const DOCUMENT = {
  data: [
    { id: 'a', 'odd name': 1, tags: [{ id: 't1' }, { id: 't2' }] },
    { id: 'b', tags: [] },
  ],
  meta: { count: 2, done: true },
}

test('a path finds texts, numbers and truth values in the order of the document', () => {
  for (const [path, found] of [
    ['$.meta.count', ['2']],
    ['$.meta.done', ['true']],
    ['$.data[0].id', ['a']],
    ['$.data.0.id', ['a']],
    ["$['data'][1]['id']", ['b']],
    ['$.data[*].id', ['a', 'b']],
    ['$.data.*.id', ['a', 'b']],
    ['$.data[*].tags[*].id', ['t1', 't2']],
    ['$..id', ['a', 't1', 't2', 'b']],
    ['$.data[0]["odd name"]', ['1']],
    ['$.meta', []],
    ['$.nope.id', []],
    ['$.constructor', []],
  ] as const) {
    const steps = parseJsonPath(path)
    assert.ok(steps, path)
    assert.deepEqual(findAt(DOCUMENT, steps), found, path)
  }
})

test('what is no such path is told apart', () => {
  for (const path of ['', 'data', '$.', '$.a[', '$.a[?(@.b)]', '$[(1)]', `$${'.a'.repeat(30)}`]) {
    assert.equal(parseJsonPath(path), undefined, path)
  }
})
