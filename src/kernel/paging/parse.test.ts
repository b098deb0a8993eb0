import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DomainError } from '../errors.ts'
import { parseIntegerId, parsePaging, parseUuidId } from './parse.ts'

const parse = (query: Record<string, unknown>) => parsePaging(query, { parseId: parseIntegerId })

describe('strategies', () => {
  test('offset when nothing or only its own parameters are given', () => {
    const byDefault = { strategy: 'offset', page: 1, perPage: 20, count: true }
    assert.deepEqual(parse({}), byDefault)
    assert.deepEqual(parse({ status: 'draft' }), byDefault)
    assert.deepEqual(parse({ page: '3', per_page: '5' }), { ...byDefault, page: 3, perPage: 5 })
    assert.deepEqual(parse({ count: 'false' }), { ...byDefault, count: false })
  })

  test('cursor when it is present, empty for the first page', () => {
    const first = { strategy: 'cursor', cursor: null, perPage: 20, count: false }
    assert.deepEqual(parse({ cursor: '' }), first)
    assert.deepEqual(parse({ cursor: 'abc', per_page: '7' }), {
      ...first,
      cursor: 'abc',
      perPage: 7,
    })
    assert.deepEqual(parse({ cursor: '', count: 'true' }), { ...first, count: true })
  })

  test('keyset by any of its three parameters', () => {
    const start = { strategy: 'keyset', afterId: null, beforeId: null, limit: 20 }
    assert.deepEqual(parse({ limit: '50' }), { ...start, limit: 50 })
    assert.deepEqual(parse({ after_id: '40' }), { ...start, afterId: 40 })
    assert.deepEqual(parse({ after_id: '0', sort: 'id' }), { ...start, afterId: 0 })
    assert.deepEqual(parse({ before_id: '40', limit: '5' }), { ...start, beforeId: 40, limit: 5 })
  })

  test('parameters of two strategies are refused', () => {
    for (const query of [
      { page: '1', cursor: '' },
      { page: '1', after_id: '1' },
      { page: '1', limit: '1' },
      { per_page: '1', limit: '1' },
      { per_page: '1', before_id: '1' },
      { cursor: '', after_id: '1' },
      { cursor: '', limit: '1' },
    ]) {
      assertRefused(query, 'conflicting_pagination', Object.keys(query)[0])
    }
  })

  test('a list can start with another strategy and leave some out', () => {
    const parseId = parseIntegerId
    const second = parsePaging({}, { parseId, strategies: ['cursor', 'offset', 'keyset'] })
    assert.deepEqual(second, { strategy: 'cursor', cursor: null, perPage: 20, count: false })
    const paged = parsePaging({ page: '2' }, { parseId, strategies: ['cursor', 'offset'] })
    assert.equal(paged.strategy, 'offset')
    const log = parsePaging({ page: 'x', per_page: 'x' }, { parseId, strategies: ['keyset'] })
    assert.deepEqual(log, { strategy: 'keyset', afterId: null, beforeId: null, limit: 20 })
    const walk = parsePaging({ per_page: '5' }, { parseId, strategies: ['keyset', 'offset'] })
    assert.equal(walk.strategy, 'offset')
    const plain = parsePaging({ cursor: 'x' }, { parseId, strategies: ['offset', 'keyset'] })
    assert.equal(plain.strategy, 'offset')
  })
})

describe('sizes', () => {
  test('above the maximum they are lowered', () => {
    for (const size of ['101', '100000', '99999999999999999999999']) {
      assert.partialDeepStrictEqual(parse({ per_page: size }), { perPage: 100 })
      assert.partialDeepStrictEqual(parse({ cursor: '', per_page: size }), { perPage: 100 })
      assert.partialDeepStrictEqual(parse({ limit: size }), { limit: 100 })
    }
    const rules = { parseId: parseIntegerId, maxPerPage: 500, defaultSize: 500, maxLimit: 1000 }
    assert.partialDeepStrictEqual(parsePaging({}, rules), { perPage: 500 })
    assert.partialDeepStrictEqual(parsePaging({ limit: '5000' }, rules), { limit: 1000 })
  })

  test('below 1 or not an integer they are refused by name', () => {
    for (const value of ['0', '-1', '1.5', '1e2', '', ' 5', '0x10', 'abc', 'NaN', '٣']) {
      for (const name of ['page', 'per_page', 'limit']) {
        assertRefused({ [name]: value }, 'invalid_parameter', name)
      }
    }
  })

  test('a page whose offset would not be exact is refused', () => {
    assert.partialDeepStrictEqual(parse({ page: '90071992547409' }), { page: 90071992547409 })
    assertRefused({ page: '9007199254740991' }, 'invalid_parameter', 'page')
    assertRefused({ page: '9'.repeat(400) }, 'invalid_parameter', 'page')
  })
})

describe('other values', () => {
  test('ids are checked by the list', () => {
    for (const id of ['abc', '', '-1', '1.5', '9007199254740993']) {
      assertRefused({ after_id: id }, 'invalid_parameter', 'after_id')
      assertRefused({ before_id: id }, 'invalid_parameter', 'before_id')
    }
    const uuid = '0197A2C4-6c1e-7b3a-9a51-3f0d7c1e2b44'
    const paging = parsePaging({ after_id: uuid }, { parseId: parseUuidId })
    assert.partialDeepStrictEqual(paging, { afterId: uuid.toLowerCase() })
    assert.throws(() => parsePaging({ after_id: '7' }, { parseId: parseUuidId }), DomainError)
  })

  test('keyset takes one direction and the order of ids only', () => {
    assertRefused({ after_id: '1', before_id: '9' }, 'invalid_parameter', 'before_id')
    assertRefused({ after_id: '1', sort: 'title' }, 'invalid_parameter', 'sort')
    assert.equal(parse({ page: '1', sort: 'title' }).strategy, 'offset')
  })

  test('count is true or false', () => {
    assertRefused({ count: '1' }, 'invalid_parameter', 'count')
    assertRefused({ cursor: '', count: '' }, 'invalid_parameter', 'count')
  })

  test('a repeated parameter is refused', () => {
    for (const name of ['page', 'per_page', 'cursor', 'after_id', 'before_id', 'limit']) {
      assertRefused({ [name]: ['1', '2'] }, 'invalid_parameter', name)
    }
  })
})

function assertRefused(query: Record<string, unknown>, code: string, name = '') {
  assert.throws(
    () => parse(query),
    (error) =>
      error instanceof DomainError &&
      error.kind === 'invalid' &&
      error.code === code &&
      error.message.includes(name),
    JSON.stringify(query),
  )
}
