import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerHead } from '../../plane/http1/parse-answer.ts'
import { parseDirectives, secondsOf } from './directives.ts'
import { findStorable } from './storing.ts'

const TERMS = { statuses: new Set([200]), ttlSeconds: 300, largestBody: 1000 }

const AT_ONCE = { askedAtMs: 0, nowMs: 0 }

function headOf(headers: string[], more: Partial<AnswerHead> = {}): AnswerHead {
  const framing = { length: 10, isChunked: false, isOld: false }
  return { status: 200, headers, keepAlive: true, keepMs: 0, ...framing, ...more }
}

const freshMs = (...headers: string[]) =>
  findStorable(headOf(headers), TERMS, AT_ONCE)?.freshMs ?? null

test('proxy-cache: directives are read whatever their case, quotes and spaces', () => {
  const directives = parseDirectives('Max-Age = 5 , no-cache="Set-Cookie", S-MAXAGE="7", max-age=9')
  assert.equal(secondsOf(directives, 'max-age'), 5)
  assert.equal(secondsOf(directives, 's-maxage'), 7)
  assert.equal(directives.get('no-cache'), 'Set-Cookie')
  assert.equal(secondsOf(parseDirectives('max-age=abc'), 'max-age'), 0)
  assert.equal(secondsOf(parseDirectives(undefined), 'max-age'), undefined)
})

test('proxy-cache: what the upstream says of freshness wins, the shared caches first', () => {
  assert.equal(freshMs(), 300_000)
  assert.equal(freshMs('Cache-Control', 'max-age=10'), 10_000)
  assert.equal(freshMs('Cache-Control', 'max-age=10', 'Cache-Control', 's-maxage=20'), 20_000)
  assert.equal(freshMs('Expires', new Date(30_000).toUTCString()), 30_000)
  assert.equal(freshMs('Expires', 'never'), null)
  assert.equal(freshMs('Cache-Control', 'max-age=10', 'Age', '10'), null)
  const late = { askedAtMs: 0, nowMs: 9_000 }
  assert.equal(findStorable(headOf(['Cache-Control', 'max-age=9']), TERMS, late), null)
  assert.ok(findStorable(headOf(['Cache-Control', 'max-age=10']), TERMS, late))
})

test('proxy-cache: answers without a known end, too large ones and those of one client are not kept', () => {
  assert.equal(findStorable(headOf([], { length: -1 }), TERMS, AT_ONCE), null)
  assert.ok(findStorable(headOf([], { length: -1, isChunked: true }), TERMS, AT_ONCE))
  assert.equal(findStorable(headOf([], { length: 1001 }), TERMS, AT_ONCE), null)
  assert.equal(findStorable(headOf([], { status: 201 }), TERMS, AT_ONCE), null)
  for (const value of ['no-store', 'PRIVATE', 'no-cache']) {
    assert.equal(freshMs('Cache-Control', value), null)
  }
  assert.equal(freshMs('set-cookie', 'a=1'), null)
  assert.equal(freshMs('Vary', 'Accept, *'), null)
})

test('proxy-cache: tags are those of both headers', () => {
  const headers = ['Surrogate-Key', 'a b', 'Cache-Tag', 'c, d e', 'Vary', 'Accept, X-A']
  const found = findStorable(headOf(headers), TERMS, AT_ONCE)
  assert.deepEqual(found?.tags, ['a', 'b', 'c', 'd e'])
  assert.deepEqual(found?.varies, ['accept', 'x-a'])
})
