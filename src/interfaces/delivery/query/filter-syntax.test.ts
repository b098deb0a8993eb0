import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '#kernel'
import { parseFilterText, parseFilterTexts } from './filter-syntax.ts'

function shown(value: string) {
  return parseFilterText({ param: 'filter', value }).map(({ field, operator, values }) => [
    field,
    operator,
    ...values.map(({ text }) => text),
  ])
}

test('expressions are parted by commas, and so are their alternatives', () => {
  const cases: readonly (readonly [string, ...string[][]])[] = [
    ['contentType:article', ['contentType', ':', 'article']],
    ['contentType:a,b', ['contentType', ':', 'a', 'b']],
    ['contentType:!a,b', ['contentType', ':!', 'a', 'b']],
    [
      'contentType:a,createDate>2026-01-01',
      ['contentType', ':', 'a'],
      ['createDate', '>', '2026-01-01'],
    ],
    ['properties.rating>:3,name:x', ['properties.rating', '>:', '3'], ['name', ':', 'x']],
    ['properties.rating<:3', ['properties.rating', '<:', '3']],
    ['name:first steps,b c', ['name', ':', 'first steps', 'b c']],
    ['name:"a,b ""c""",d', ['name', ':', 'a,b "c"', 'd']],
    ['name:a,"b:c"', ['name', ':', 'a', 'b:c']],
    ['name:x,y=z', ['name', ':', 'x', 'y=z']],
    ['createDate>2026-01-01T10:00:00+02:00', ['createDate', '>', '2026-01-01T10:00:00+02:00']],
  ]
  for (const [text, ...expected] of cases) assert.deepEqual(shown(text), expected, text)
})

test('whatever is malformed is refused where it is', () => {
  const cases: readonly (readonly [string, number])[] = [
    ['contentType:', 12],
    ['contentType: article', 12],
    ['contentType:article ,name:x', 19],
    ['contentType:article, name:x', 20],
    ['contentType:article,', 19],
    [',contentType:article', 0],
    ['contentType:article,,name:x', 20],
    ['contentType:article, ,name:x', 20],
    ['createDate:>2026-01-01', 10],
    ['createDate=>2026-01-01', 10],
    ['name=x', 4],
    ['name::x', 4],
    ['article', 0],
    ['article,name:x', 0],
    ['name:"x', 5],
    ['name:"x"y', 8],
    ['name:x,,', 7],
    [' name:x', 0],
    ['name:x ', 6],
    ['na me:x', 2],
    ['name :x', 4],
    ['name:,x', 5],
    ['createDate>2026-01-01,2026-02-01', 22],
    [':x', 0],
    ['1name:x', 0],
    [',', 0],
  ]
  for (const [value, position] of cases) {
    assert.throws(
      () => parseFilterText({ param: 'filter', value }),
      (error) => {
        assert.ok(error instanceof DomainError)
        const { title, param, value: told, position: at } = error.facts
        assert.deepEqual([title, param, told, at], ['Filter not valid', 'filter', value, position])
        return true
      },
      value,
    )
  }
})

test('a filter has at most 50 expressions with 100 alternatives each', () => {
  const filter = (value: string) => ({ param: 'filter', value })
  const many = (n: number) => Array.from({ length: n }, () => filter('name:x'))
  assert.equal(parseFilterTexts(many(50)).length, 50)
  assert.throws(() => parseFilterTexts(many(51)), /At most 50/)
  const alternatives = (n: number) => `name:${Array(n).fill('x').join(',')}`
  assert.equal(shown(alternatives(100))[0]?.length, 102)
  assert.throws(() => shown(alternatives(101)), /At most 100/)
})
