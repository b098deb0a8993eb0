import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CachedAnswer } from '../../plane/answer-cache.ts'
import { serve } from './serving.ts'

const KEPT: CachedAnswer = {
  status: 200,
  headers: [
    'ETag',
    'W/"7"',
    'Last-Modified',
    'Mon, 01 Jan 2024 00:00:00 GMT',
    'X-A',
    '1',
    'Content-Length',
    '10',
  ],
  body: Buffer.from('0123456789'),
  storedAtMs: 1_000,
  ageMs: 2_000,
  freshMs: 60_000,
  resource: 'h/x',
  tags: [],
  owner: 'a route',
}

const to = (headers: Record<string, string>, kept = KEPT) => {
  const answer = serve(kept, headers, 6_500)
  return { ...answer, text: answer.body?.toString() ?? '' }
}

test('proxy-cache: the whole answer carries its age', () => {
  const { status, text, rawHeaders } = to({})
  assert.deepEqual([status, text], [200, '0123456789'])
  assert.deepEqual(rawHeaders?.slice(-2), ['Age', '7'])
})

test('proxy-cache: conditions: the tag decides where there is one, else the date', () => {
  assert.equal(to({ 'if-none-match': '"1", "7"' }).status, 304)
  assert.equal(to({ 'if-none-match': '*' }).status, 304)
  assert.equal(
    to({ 'if-none-match': '"1"', 'if-modified-since': 'Tue, 02 Jan 2024 00:00:00 GMT' }).status,
    200,
  )
  assert.equal(to({ 'if-modified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' }).status, 304)
  assert.equal(to({ 'if-modified-since': 'Sun, 31 Dec 2023 00:00:00 GMT' }).status, 200)
  assert.equal(to({ 'if-modified-since': 'nonsense' }).status, 200)
  const { rawHeaders = [] } = to({ 'if-none-match': '"7"' })
  assert.ok(!rawHeaders.includes('X-A') && rawHeaders.includes('ETag'))
  assert.equal(to({ 'if-none-match': '*' }, { ...KEPT, status: 404 }).status, 404)
})

test('proxy-cache: ranges: one of them, within the body, of the answer that is meant', () => {
  for (const [range, status, text] of [
    ['bytes=0-0', 206, '0'],
    ['bytes=-3', 206, '789'],
    ['bytes=-99', 206, '0123456789'],
    ['bytes=4-', 206, '456789'],
    ['bytes=4-99', 206, '456789'],
    ['bytes=10-', 416, ''],
    ['bytes=-0', 416, ''],
    ['bytes=5-4', 200, '0123456789'],
    ['bytes=0-1,3-4', 200, '0123456789'],
    ['lines=1-2', 200, '0123456789'],
  ] as const) {
    const found = to({ range })
    assert.deepEqual([found.status, found.text], [status, text], range)
  }
  const range = 'bytes=0-1'
  assert.equal(to({ range, 'if-range': 'W/"7"' }).status, 200, 'a weak tag is not good enough')
  assert.equal(to({ range, 'if-range': 'Mon, 01 Jan 2024 00:00:00 GMT' }).status, 206)
  const headers = ['ETag', '"8"']
  assert.equal(to({ range, 'if-range': '"8"' }, { ...KEPT, headers }).status, 206)
  assert.equal(to({ range }, { ...KEPT, status: 404 }).status, 404)
})
