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

test('of more keys than may be kept what is used all the time is made once', () => {
  const made: number[] = []
  const double = memoize(20, (value: number) => {
    made.push(value)
    return value * 2
  })
  for (let n = 1; n <= 100; n++) assert.deepEqual([0, n].map(double), [0, n * 2])
  assert.deepEqual(
    made,
    Array.from({ length: 101 }, (_, n) => n),
  )
  double(1)
  assert.equal(made.length, 102, 'what was not used for long')
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
