import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '#kernel'
import type { Filter } from './ast.ts'
import { parseFilter } from './parse-filter.ts'

function compare(field: string, operator: string, values: unknown[], fold = false) {
  return { kind: 'compare', field, operator, fold, values }
}

/** Without the paths, which have their own test. */
function plain(filter: Filter | null): unknown {
  return JSON.parse(JSON.stringify(filter, (name, value) => (name === 'at' ? undefined : value)))
}

function parsed(raw: unknown): unknown {
  return plain(parseFilter(raw, ['filters']))
}

function refusal(raw: unknown): { path: string; rule: string }[] {
  try {
    parseFilter(raw, ['filters'])
  } catch (error) {
    assert.ok(error instanceof DomainError)
    assert.equal(error.code, 'invalid_query')
    return error.issues.map(({ path, rule }) => ({ path: path.join('.'), rule }))
  }
  return []
}

test('a bare value means equality, a list means membership', () => {
  assert.deepEqual(parsed({ title: 'a' }), compare('title', 'eq', ['a']))
  assert.deepEqual(parsed({ title: ['a', 'b'] }), compare('title', 'in', ['a', 'b']))
  assert.deepEqual(parsed({ title: { 200: 'a', 201: 'b' } }), compare('title', 'in', ['a', 'b']))
  assert.deepEqual(parsed({ title: { $in: 'a' } }), compare('title', 'in', ['a']))
  assert.deepEqual(parsed({ title: { $notIni: ['A'] } }), compare('title', 'notIn', ['A'], true))
  assert.deepEqual(parsed({ n: { $between: ['1', '2'] } }), compare('n', 'between', ['1', '2']))
})

test('several keys of one object combine with and', () => {
  const of = [compare('a', 'gt', ['1']), compare('a', 'lt', ['5']), compare('b', 'eq', ['2'])]
  const [first, second, third] = of
  assert.deepEqual(parsed({ a: { $gt: '1', $lt: '5' }, b: '2' }), {
    kind: 'and',
    of: [{ kind: 'and', of: [first, second] }, third],
  })
})

test('$null and $notNull understand all spellings of false', () => {
  const missing = { kind: 'missing', field: 'a' }
  for (const yes of ['true', 't', '1', true, 'anything']) {
    assert.deepEqual(parsed({ a: { $null: yes } }), missing)
    assert.deepEqual(parsed({ a: { $notNull: yes } }), { kind: 'not', of: missing })
  }
  for (const no of ['false', 'f', '0', '', false]) {
    assert.deepEqual(parsed({ a: { $null: no } }), { kind: 'not', of: missing })
    assert.deepEqual(parsed({ a: { $notNull: no } }), missing)
  }
})

test('conditions of one relation object are asked of one related entry', () => {
  const inner = { kind: 'and', of: [compare('name', 'eq', ['a']), compare('age', 'eq', ['1'])] }
  assert.deepEqual(parsed({ author: { name: 'a', age: '1' } }), {
    kind: 'some',
    field: 'author',
    of: inner,
  })
  const either = { kind: 'or', of: [compare('name', 'eq', ['a']), compare('name', 'eq', ['b'])] }
  assert.deepEqual(parsed({ author: { $or: [{ name: 'a' }, { name: 'b' }] } }), {
    kind: 'some',
    field: 'author',
    of: either,
  })
  assert.deepEqual(parsed({ author: { id: '3' } }), {
    kind: 'some',
    field: 'author',
    of: compare('id', 'eq', ['3']),
  })
})

test('logic works on groups and on fields', () => {
  const a = compare('a', 'eq', ['1'])
  const b = compare('a', 'contains', ['2'])
  assert.deepEqual(parsed({ $or: [{ a: '1' }, { a: { $contains: '2' } }] }), {
    kind: 'or',
    of: [a, b],
  })
  assert.deepEqual(parsed({ a: { $or: [{ $eq: '1' }, { $contains: '2' }] } }), {
    kind: 'or',
    of: [a, b],
  })
  assert.deepEqual(parsed({ $not: { a: '1' } }), { kind: 'not', of: a })
  assert.deepEqual(parsed({ a: { $not: { $contains: '2' } } }), { kind: 'not', of: b })
})

test('empty objects are dropped', () => {
  assert.equal(parsed(undefined), null)
  assert.equal(parsed({}), null)
  assert.equal(parsed({ title: {}, author: { name: {} }, $and: [{}], $not: {} }), null)
})

test('every fault is named with the path the caller wrote', () => {
  assert.deepEqual(
    refusal({
      title: { $equals: 'x', $eq: [['a']], $EQ: '1' },
      $nand: [],
      'a.b': '1',
      '@parent': 'x',
      list: [{ $eq: '1' }],
    }),
    [
      { path: 'filters.title.$equals', rule: 'unknown_operator' },
      { path: 'filters.title.$eq', rule: 'malformed' },
      { path: 'filters.title.$EQ', rule: 'unknown_operator' },
      { path: 'filters.$nand', rule: 'unknown_operator' },
      { path: 'filters.a.b', rule: 'unknown_field' },
      { path: 'filters.@parent', rule: 'unknown_field' },
      { path: 'filters.list', rule: 'malformed' },
    ],
  )
  assert.deepEqual(refusal('title'), [{ path: 'filters', rule: 'malformed' }])
})

test('filters go through five relations and not through six', () => {
  const through = (steps: number): unknown =>
    steps === 0 ? { id: '1' } : { a: through(steps - 1) }
  assert.deepEqual(refusal(through(5)), [])
  assert.deepEqual(refusal(through(6)), [{ path: 'filters.a.a.a.a.a.a', rule: 'too_deep' }])
  let endless: unknown = { a: '1' }
  for (let n = 0; n < 10_000; n++) endless = { $not: endless }
  assert.equal(refusal(endless)[0]?.rule, 'too_deep')
})
