import assert from 'node:assert/strict'
import { test } from 'node:test'
import { richtext } from './richtext.ts'
import { string } from './string.ts'
import { checkKind } from './support/checks.ts'
import { compilePattern, matchesPattern } from './support/patterns.ts'

const NO_TEXTS = ['a\0b', '\ud800', 'x\udc00y', true, {}, []]
const FILTERS = {
  filters: [
    ['a%b', 'a%b'],
    [5, '5'],
    [true, 'true'],
  ],
  refusesFilters: ['a\0', '\ud800'],
} as const

checkKind(
  { type: 'string' },
  {
    accepts: [
      ['Zürich', 'Zürich'],
      ['', ''],
      [12.5, '12.5'],
      ['😀'.repeat(255), '😀'.repeat(255)],
    ],
    refuses: [...NO_TEXTS, 'x'.repeat(256), Number.NaN],
    ...FILTERS,
  },
)
checkKind(
  { type: 'string', maxLength: 4, regex: '^[a-z]+$' },
  { accepts: [['abcd', 'abcd']], refuses: ['abcde', 'ab1', ''] },
)
checkKind(
  { type: 'text', maxLength: 300 },
  {
    accepts: [['x'.repeat(300), 'x'.repeat(300)]],
    refuses: [...NO_TEXTS, 5, 'x'.repeat(301)],
    ...FILTERS,
  },
)
checkKind(
  { type: 'richtext' },
  {
    accepts: [
      ['<p>a</p>', '<p>a</p>'],
      [{ value: '# a', format: 'markdown' }, '# a'],
    ],
    refuses: [
      ...['a\0b', 5, { value: 'a', format: 'pdf' }, { format: 'markdown' }, []],
      { value: 'a', fromat: 'markdown' },
    ],
    ...FILTERS,
  },
)
checkKind(
  { type: 'email' },
  {
    accepts: [
      ['a.b+c@example.org', 'a.b+c@example.org'],
      ['иван@пример.рф', 'иван@пример.рф'],
    ],
    refuses: [
      ...NO_TEXTS,
      '',
      'a',
      '@b.c',
      'a@',
      'a b@c.d',
      'a@b@c',
      'a..b@c.d',
      'a@-b.c',
      'a@b..c',
      `${'a'.repeat(250)}@b.cd`,
    ],
  },
)
checkKind(
  { type: 'uid' },
  {
    accepts: [
      ['Harbour-cranes_2.0~', 'Harbour-cranes_2.0~'],
      ['', ''],
    ],
    refuses: [...NO_TEXTS, 'a b', 'a/b', 'é', 'a%b'],
  },
)
checkKind(
  { type: 'password', minLength: 8 },
  {
    accepts: [['correct horse', 'correct horse']],
    refuses: [...NO_TEXTS, 'short', 'x'.repeat(1025)],
    refusesFilters: ['x'],
  },
)
checkKind(
  { type: 'enumeration', enum: ['red', 'green'] },
  {
    accepts: [['red', 'red']],
    refuses: ['Red', '', 1, null, 'toString'],
    filters: [['blue', 'blue']],
  },
)

test('minLength counts only for what is live, in characters', () => {
  const attribute = {
    no: 1,
    name: 'title',
    type: 'string',
    required: false,
    unique: false,
    private: false,
    searchable: true,
    localized: true,
    unversioned: false,
    minLength: 2,
  } as const
  assert.equal(string.parse('a', attribute).ok, true)
  assert.equal(string.checkLive('😀', attribute)?.rule, 'minLength')
  assert.equal(string.checkLive('ab', attribute), undefined)
  assert.deepEqual(richtext.parse('x', { ...attribute, type: 'richtext', format: 'markdown' }), {
    ok: true,
    value: 'x',
    format: 'markdown',
  })
})

test('a pattern that would backtrack without end elsewhere takes no time; what needs that is refused', () => {
  const pattern = compilePattern('^(a+)+$')
  assert.ok(pattern)
  assert.equal(matchesPattern(pattern, 'aaaa'), true)
  const startedMs = performance.now()
  assert.equal(matchesPattern(pattern, `${'a'.repeat(200)}!`), false)
  assert.ok(performance.now() - startedMs < 5_000)
  assert.equal(compilePattern('('), undefined)
  assert.equal(compilePattern('a(?=b)'), undefined)
  assert.equal(compilePattern('(a)\\1'), undefined)
  assert.equal(compilePattern('a'.repeat(501)), undefined)
})
