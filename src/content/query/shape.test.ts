import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContentType } from '../model.ts'
import type { PageChoice } from './ast.ts'
import { textColumn, wholeColumn } from './names/column.ts'
import type { Condition, PositiveOperator, ResolvedQuery } from './resolved.ts'
import { createShaping } from './shape.ts'

const title = textColumn('a1', { fold: textColumn('f1').sql, nullable: true })
const views = wholeColumn('a2')
const article: ContentType = {
  ...{ no: 1, uuid: '', kind: 'collectionType', singularName: 'article', pluralName: 'articles' },
  ...{ displayName: '', description: '', draftAndPublish: false, localized: true },
  ...{ publicRead: true, displayField: null, entityType: 'node', bundle: '', uid: '' },
  ...{ slugField: null, createdAtMs: 0, updatedAtMs: 0, table: 'content_v1', shape: 1 },
  ...{ attributes: [], attribute: new Map() },
}
const FIRST: PageChoice = { kind: 'offset', start: 0, limit: 10, count: true }
const PLAIN: ResolvedQuery = {
  ...{ type: article, state: 'live', locales: ['en'], condition: null, search: '', sort: [] },
  ...{ include: [], nulls: 'lowest', brief: false, linkedFrom: null, only: null },
}
const { shapeOf } = createShaping()

function keyOf(change: Partial<ResolvedQuery>, page: PageChoice = FIRST): string {
  return shapeOf({ ...PLAIN, ...change }, page).key
}

function compare(
  operator: PositiveOperator,
  values: readonly (string | number)[],
  fold = false,
): Condition {
  return { kind: 'compare', column: title, operator, fold, values }
}

function filtered(condition: Condition, page?: PageChoice): string {
  return keyOf({ condition }, page)
}

function cursor(position: (string | number | null)[], until: number[] | null = null): PageChoice {
  return { kind: 'cursor', position, until, direction: 'next', limit: 5, count: false }
}

test('queries that differ in values alone have one key, and each its own values', () => {
  const one = shapeOf({ ...PLAIN, condition: compare('eq', ['a']) }, FIRST)
  const other = shapeOf({ ...PLAIN, condition: compare('eq', ['b']) }, { ...FIRST, limit: 99 })
  assert.equal(one.key, other.key)
  assert.deepEqual(one.values, ['en', 'a', 10])
  assert.deepEqual(other.values, ['en', 'b', 99])
  assert.equal(filtered(compare('in', ['a'])), filtered(compare('in', ['a', 'b', 'c'])))
  assert.equal(filtered(compare('in', [])), filtered(compare('in', ['a'])))
  assert.equal(keyOf({ search: 'red' }), keyOf({ search: 'blue' }))
  assert.equal(keyOf({}, cursor(['a', 1])), keyOf({}, cursor(['z', 900])))
})

test('a group of one condition is that condition', () => {
  const one = compare('eq', ['a'])
  for (const kind of ['and', 'or'] as const) {
    assert.equal(filtered({ kind, of: [one] }), filtered(one))
    assert.equal(filtered({ kind, of: [{ kind, of: [one] }] }), filtered(one))
  }
})

test('what decides about the statement is in the key', () => {
  const keys = [
    filtered(compare('eq', ['a'])),
    filtered(compare('eq', ['a'], true)),
    filtered(compare('lt', ['a'])),
    filtered({ kind: 'compare', column: views, operator: 'eq', fold: false, values: [1] }),
    filtered({ kind: 'not', of: compare('eq', ['a']) }),
    filtered({ kind: 'and', of: [compare('eq', ['a']), compare('eq', ['b'])] }),
    filtered({ kind: 'or', of: [{ kind: 'or', of: [] }, compare('eq', ['a'])] }),
    filtered({ kind: 'missing', column: title }),
    filtered(compare('eq', ['a']), { ...FIRST, start: 1 }),
    filtered(compare('eq', ['a']), { ...FIRST, count: false }),
    keyOf({ state: 'working' }),
    keyOf({ brief: true }),
    keyOf({ nulls: 'last' }),
    keyOf({ locales: null }),
    keyOf({ locales: [] }),
    keyOf({ locales: ['en', 'fr'] }),
    keyOf({ only: { column: 'id', value: 1 } }),
    keyOf({ only: { column: 'document_id', value: 'x' } }),
    keyOf({ search: 'red' }),
    keyOf({ search: '12' }),
    keyOf({ search: '1-2' }),
    keyOf({ sort: [{ steps: [], column: title, order: 'asc' }] }),
    keyOf({ sort: [{ steps: [], column: title, order: 'desc' }] }),
    keyOf({ sort: [{ steps: [], column: title, order: 'desc', ranks: 'present' }] }),
    keyOf({ sort: [{ steps: [], column: title, order: 'desc', ranks: { a: 0 } }] }),
    keyOf({ type: { ...article } }),
  ]
  assert.equal(new Set(keys).size, keys.length)
})

test('texts that no range can be made of, and missing values of positions, are shapes of their own', () => {
  const prefixes = ['a', '', '\u{10ffff}'].map((prefix) =>
    filtered(compare('startsWith', [prefix])),
  )
  assert.equal(new Set(prefixes).size, 3)
  assert.notEqual(filtered(compare('endsWith', ['a'])), filtered(compare('endsWith', [''])))
  const positions = [
    cursor(['a', 1]),
    cursor([null, 1]),
    cursor([1]),
    cursor(['a', 1], [2]),
    { ...cursor(['a', 1]), direction: 'prev' } as const,
    { ...cursor([]), position: null } as const,
  ]
  assert.equal(new Set(positions.map((page) => keyOf({}, page))).size, positions.length)
})
