import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeUsage, encodeUsage, type UsageRecord } from './record.ts'

const record: UsageRecord = {
  keyId: 7,
  endpoint: '/api/v1/articles/{id}',
  method: 'GET',
  status: 200,
  responseMs: 23,
  atMs: 1_772_355_660_123,
  counted: true,
  cost: 2,
  requestId: '0195a8c2-7c1e-7b3a-9d44-1f6a2b90c001',
  monthLimit: 10_000,
  epoch: 3,
}

const travel = (given: UsageRecord) => decodeUsage(JSON.parse(JSON.stringify(encodeUsage(given))))

test('a record survives the journal', () => {
  assert.deepEqual(travel(record), record)
  const free = { ...record, counted: false, cost: 0, monthLimit: null }
  assert.deepEqual(travel(free), free)
  const forNothing = { ...record, cost: 0 }
  assert.deepEqual(travel(forNothing), forNothing)
})

test('a record that an earlier version left in its journal is one without epoch', () => {
  const earlier = encodeUsage(record).slice(0, 10).with(0, 1)
  assert.deepEqual(decodeUsage(earlier), { ...record, epoch: null })
})

test('a time that was measured more finely is rounded, not lost', () => {
  const fine = { ...record, responseMs: 22.7, atMs: record.atMs + 0.4 }
  assert.deepEqual(travel(fine), record)
})

test('it takes less room than its names would', () => {
  assert.ok(JSON.stringify(encodeUsage(record)).length < 110)
})

test('text that no database stores is mended rather than refused for ever', () => {
  const odd = travel({ ...record, endpoint: '/a\0b', requestId: 'x\ud800y' })
  assert.equal(odd?.endpoint, '/ab')
  assert.equal(odd?.requestId, 'x\ufffdy')
})

test('anything else is no record', () => {
  const good = encodeUsage(record)
  for (const bad of [null, 1, {}, [], [1, 2, 3], good.with(0, 3), good.with(1, 1.5)]) {
    assert.equal(decodeUsage(bad), undefined)
  }
  assert.equal(decodeUsage(good.with(5, '200')), undefined)
  assert.equal(decodeUsage(good.with(5, 2 ** 40)), undefined)
  assert.equal(decodeUsage(good.with(2, -1)), undefined)
  assert.equal(decodeUsage(good.with(3, null)), undefined)
  assert.equal(decodeUsage(good.with(10, 'x')), undefined)
  assert.equal(decodeUsage(good.slice(0, 10)), undefined)
})
