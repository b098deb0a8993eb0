import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRefilled } from './refilled.ts'

const OWNER = {}
const KIND = { name: 'kind' }

/** `a=1&b=2`: what a reader of such texts might make of them. */
function make(text: string) {
  const pairs = text.split('&').map((pair) => pair.split('='))
  return {
    kind: KIND,
    names: new Set(pairs.map(([name]) => name)),
    of: pairs.map(([name, value]) => ({ name, values: [value] })),
    limit: 20,
  }
}

/** Asks for texts one after the other and tells which were made by putting values in. */
function asked(texts: readonly string[], maker: (text: string) => object = make) {
  const refilled = createRefilled<object, object>(/(?<==)(\d+)(?=&|$)/g)
  return texts.map((text) => {
    const found = refilled.find(OWNER, text)
    if (found) {
      assert.deepEqual(found.made, maker(text), text)
      return true
    }
    refilled.learn(OWNER, text, maker(text), undefined)
    return false
  })
}

test('from two texts it is learnt what a third is made to', () => {
  assert.deepEqual(asked(['a=1&b=x', 'a=2&b=x', 'a=3&b=x', 'a=3&b=y']), [false, false, true, false])
})

test('the same text again teaches nothing', () => {
  assert.deepEqual(asked(['a=1', 'a=1', 'a=2', 'a=3']), [false, false, false, true])
})

test('a value that did not change is not known to be one, until it does', () => {
  const texts = ['a=1&b=5', 'a=2&b=5', 'a=3&b=5', 'a=3&b=6', 'a=4&b=7', 'a=8&b=8']
  assert.deepEqual(asked(texts), [false, false, true, false, true, true])
})

test('two values that are equal are told apart when they differ', () => {
  const texts = ['a=1&b=1', 'a=2&b=2', 'a=3&b=4', 'a=6&b=5']
  assert.deepEqual(asked(texts), [false, false, false, true])
})

test('values longer than those seen are not trusted before they were seen', () => {
  const most = (text: string) => {
    const [, value = ''] = text.split('=')
    return value.length > 3 ? { none: true } : make(text)
  }
  const texts = ['a=1', 'a=2', 'a=10', 'a=11', 'a=9999', 'a=12']
  assert.deepEqual(asked(texts, most), [false, false, false, true, false, false])
})

test('what is made otherwise with another value is never put together', () => {
  const other = (text: string) => (text === 'a=2' ? { ...make(text), limit: 2 } : make(text))
  assert.deepEqual(asked(['a=1', 'a=2', 'a=3'], other), [false, false, false])
  const derived = (text: string) => ({ ...make(text), double: Number(text.slice(2)) * 2 })
  assert.deepEqual(asked(['a=1', 'a=2', 'a=3'], derived), [false, false, false])
  const named = (text: string) => ({ names: new Set([text]) })
  assert.deepEqual(asked(['a=1', 'a=2', 'a=3'], named), [false, false, false])
  const fresh = (text: string) => ({ ...make(text), at: new (class {})() })
  assert.deepEqual(asked(['a=1', 'a=2', 'a=3'], fresh), [false, false, false])
})

test('what has no value in it is the same object, and the first is as it was', () => {
  const refilled = createRefilled<object, ReturnType<typeof make>, string>(/(?<==)(\d+)/g)
  const first = make('a=1')
  refilled.learn(OWNER, 'a=1', first, 'first')
  refilled.learn(OWNER, 'a=2', make('a=2'), 'second')
  const found = refilled.find(OWNER, 'a=7')
  assert.equal(found?.context, 'first')
  assert.equal(found?.made.names, first.names)
  assert.deepEqual(first, make('a=1'))
})

test('without a value to put, and from another owner, nothing is learnt', () => {
  const refilled = createRefilled<object, object>(/(?<==)(\d+)/g)
  for (const text of ['a=x', 'a=x']) refilled.learn(OWNER, text, make(text), undefined)
  assert.equal(refilled.find(OWNER, 'a=x'), undefined)
  for (const text of ['a=1', 'a=2']) refilled.learn(OWNER, text, make(text), undefined)
  assert.equal(refilled.find({}, 'a=3'), undefined)
})
