import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesPattern, patternsFor, problemOfPattern } from './event-patterns.ts'

test('webhooks finding 12: a star stands for one or more segments', () => {
  const cases: [string, string, boolean][] = [
    ['order.*', 'order.created', true],
    ['order.*', 'order.item.added', true],
    ['order.*', 'order', false],
    ['*.published', 'article.published', true],
    ['*.published', 'shop.article.published', true],
    ['*.published', 'published', false],
    ['*', 'order', true],
    ['*.*', 'order', false],
    ['*.*', 'a.b.c', true],
    ['a.*.d', 'a.b.c.d', true],
    ['a.*.d', 'a.d', false],
    ['orders.*', 'order.created', false],
  ]
  for (const [pattern, name, isMatch] of cases) {
    assert.equal(matchesPattern(pattern, name), isMatch, `${pattern} ${name}`)
  }
})

test('webhooks finding 12: the patterns of a name are few', () => {
  assert.deepEqual(patternsFor('a.b').sort(), ['*', '*.*', '*.b', 'a.*'].sort())
  assert.ok(patternsFor('a.b.c.d.e').length < 100)
})

test('webhooks finding 12: what is no pattern is told apart', () => {
  for (const good of ['*', 'order.*', '*.published', 'a.*.c', '*.*']) {
    assert.equal(problemOfPattern(good), null, good)
  }
  for (const bad of [
    '',
    'order',
    'ord*',
    '**',
    '.*',
    'a..*',
    'A.*',
    'a.b.c.d.e.*',
    '*.'.repeat(60),
  ]) {
    assert.notEqual(problemOfPattern(bad), null, bad)
  }
})
