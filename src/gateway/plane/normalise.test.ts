import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normalisePath } from './normalise.ts'

test('paths that mean the same become the same', () => {
  const cases: Record<string, string> = {
    '/': '/',
    '/a/b': '/a/b',
    '/a//b': '/a/b',
    '/a/./b/.': '/a/b/',
    '/a/../b': '/b',
    '/a/..': '/',
    '/a/%2e%2e/b': '/b',
    '/a/.%2E': '/',
    '/%7Euser/%61': '/~user/a',
    '/a%2fb': '/a%2Fb',
    '/...': '/...',
    '/a..b': '/a..b',
    '/a%3Fb': '/a%3Fb',
  }
  for (const [given, expected] of Object.entries(cases)) {
    assert.equal(normalisePath(given), expected, given)
    assert.equal(normalisePath(expected), expected, 'once is enough')
  }
})

test('what is no path or leaves the root is refused', () => {
  for (const path of ['/..', '/a/../..', '/%2e%2e', '/%', '/%4', '/%zz', '/%00', '/a\\b', '/a b']) {
    assert.equal(normalisePath(path), undefined, path)
  }
})
