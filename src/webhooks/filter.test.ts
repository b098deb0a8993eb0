import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError, parseExactJson } from '#kernel'
import { type Filter, parseFilter, passes } from './filter.ts'
import { createCheck } from './input.ts'

const DATA = {
  status: 'paid',
  total: 12.5,
  live: true,
  note: null,
  tags: ['new', 7],
  customer: { city: 'Oslo' },
  lines: [{ sku: 'a' }, { sku: 'b' }],
}

function parse(given: unknown): Filter | null | undefined {
  const check = createCheck()
  const filter = parseFilter(check, given)
  check.done()
  return filter
}

test('webhooks finding 12: each operator says what it is named after', () => {
  const holds: [string, string, unknown][] = [
    ['status', 'eq', 'paid'],
    ['note', 'eq', null],
    ['status', 'ne', 'new'],
    ['missing', 'ne', 'new'],
    ['status', 'in', ['new', 'paid']],
    ['missing', 'nin', ['new']],
    ['total', 'gt', 12],
    ['total', 'gte', 12.5],
    ['total', 'lt', 13],
    ['total', 'lte', 12.5],
    ['status', 'gt', 'new'],
    ['note', 'exists', true],
    ['missing', 'exists', false],
    ['tags', 'contains', 7],
    ['status', 'contains', 'ai'],
    ['customer.city', 'starts_with', 'Os'],
    ['lines.1.sku', 'eq', 'b'],
  ]
  for (const [path, op, value] of holds) {
    const filter = parse([{ path, op, value }]) ?? []
    assert.ok(passes(filter, DATA), `${path} ${op}`)
  }
  const fails: [string, string, unknown][] = [
    ['missing', 'eq', null],
    ['total', 'gt', '12'],
    ['live', 'gt', 0],
    ['missing', 'lte', 5],
    ['missing', 'gte', 5],
    ['customer', 'eq', 'Oslo'],
    ['toString', 'exists', true],
    ['tags.length', 'exists', true],
  ]
  for (const [path, op, value] of fails) {
    assert.ok(!passes(parse([{ path, op, value }]) ?? [], DATA), `${path} ${op}`)
  }
})

test('webhooks finding 11: integers beyond 2^53 are compared as they are', () => {
  const data = parseExactJson('{"n":9007199254740993}')
  const filter = (op: string, value: string) =>
    parse(parseExactJson(`[{"path":"n","op":"${op}","value":${value}}]`) as unknown[]) ?? []
  assert.ok(passes(filter('eq', '9007199254740993'), data))
  assert.ok(!passes(filter('eq', '9007199254740992'), data))
  assert.ok(passes(filter('gt', '9007199254740992'), data))
})

test('webhooks finding 12: all conditions must hold, and an empty list is no filter', () => {
  const both = [
    { path: 'status', op: 'eq', value: 'paid' },
    { path: 'total', op: 'gt', value: 100 },
  ]
  assert.ok(!passes(parse(both) ?? [], DATA))
  assert.equal(parse([]), null)
  assert.equal(parse(null), null)
})

test('webhooks finding 12: a malformed filter is refused with its paths', () => {
  const refused = (given: unknown) => {
    try {
      parse(given)
    } catch (error) {
      if (error instanceof DomainError) return error.issues.map(({ path }) => path.join('.'))
      throw error
    }
    return []
  }
  assert.deepEqual(refused('x'), ['filter'])
  assert.deepEqual(refused([1, { path: 'a', op: 'like', value: 1 }]), ['filter.0', 'filter.1.op'])
  assert.deepEqual(refused([{ path: 'a..b', op: 'eq', value: 1 }]), ['filter.0.path'])
  assert.deepEqual(refused([{ path: 'a', op: 'in', value: [] }]), ['filter.0.value'])
  assert.deepEqual(refused([{ path: 'a', op: 'eq', value: {} }]), ['filter.0.value'])
  assert.deepEqual(refused([{ path: 'a', op: 'eq' }]), ['filter.0.value'])
  assert.deepEqual(refused([{ path: 'a', op: 'exists', value: 1 }]), ['filter.0.value'])
  assert.deepEqual(refused([{ path: 'a', op: 'eq', value: 1, or: 2 }]), ['filter.0'])
  assert.deepEqual(refused([{ path: 'a', op: 'constructor', value: 1 }]), ['filter.0.op'])
  assert.deepEqual(refused(Array.from({ length: 21 }, () => ({}))), ['filter'])
  const long = Array.from({ length: 20 }, () => 'x'.repeat(1_000))
  assert.deepEqual(refused([{ path: 'a', op: 'in', value: long }]), ['filter'])
})
