import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoize, memoizeOf } from './memoize.ts'

test('what was made for a key is made once', () => {
  const asked: string[] = []
  const upper = memoize(10, (text: string) => {
    asked.push(text)
    return text.toUpperCase()
  })
  assert.deepEqual(['a', 'b', 'a'].map(upper), ['A', 'B', 'A'])
  assert.deepEqual(asked, ['a', 'b'])
})

test('of more keys than may be kept all are made anew, and answers stay the same', () => {
  let calls = 0
  const double = memoize(2, (value: number) => {
    calls++
    return value * 2
  })
  assert.deepEqual([1, 2, 3, 1].map(double), [2, 4, 6, 2])
  assert.equal(calls, 4)
})

test('undefined is made again each time', () => {
  let calls = 0
  const nothing = memoize(2, (_key: string) => {
    calls++
    return undefined
  })
  nothing('a')
  nothing('a')
  assert.equal(calls, 2)
})

test('what was made of an object is made once for that object and not for its like', () => {
  const namesOf = memoizeOf((record: object) => Object.keys(record))
  const record = { a: 1 }
  assert.equal(namesOf(record), namesOf(record))
  assert.notEqual(namesOf(record), namesOf({ a: 1 }))
})
