import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyChange, type LinkChange, type LinkPlace } from './order.ts'

const LIST = ['a', 'b', 'c']

test('set replaces, in its own order and without repetition', () => {
  assert.deepEqual(many(LIST, { kind: 'set', targets: ['c', 'a', 'c'] }), ['c', 'a'])
  assert.deepEqual(many(LIST, { kind: 'set', targets: [] }), [])
})

test('connect puts new elements where their place says, else at the end', () => {
  assert.deepEqual(many(LIST, connect(['d'])), ['a', 'b', 'c', 'd'])
  assert.deepEqual(many(LIST, connect(['d', { at: 'start' }])), ['d', 'a', 'b', 'c'])
  assert.deepEqual(many(LIST, connect(['d', before('b')])), ['a', 'd', 'b', 'c'])
  assert.deepEqual(many(LIST, connect(['d', after('b')])), ['a', 'b', 'd', 'c'])
  assert.deepEqual(many(LIST, connect(['d'], ['e', before('d')])), ['a', 'b', 'c', 'e', 'd'])
})

test('an element that is linked already moves', () => {
  assert.deepEqual(many(LIST, connect(['b'])), ['a', 'c', 'b'])
  assert.deepEqual(many(LIST, connect(['a', { at: 'end' }])), ['b', 'c', 'a'])
  assert.deepEqual(many(LIST, connect(['c', before('a')])), ['c', 'a', 'b'])
})

test('disconnect comes first, and what is not linked does not matter', () => {
  const change = { ...connect(['d', before('c')]), disconnect: ['a', 'x'] }
  assert.deepEqual(many(LIST, change), ['b', 'd', 'c'])
})

test('a place beside what is not linked is refused, or means the end', () => {
  const strict = connect(['d', after('x')])
  assert.deepEqual(applyChange(LIST, strict, true), { ok: false, at: 0, reason: 'not_linked' })
  assert.deepEqual(many(LIST, { ...strict, strict: false }), ['a', 'b', 'c', 'd'])
  assert.deepEqual(many(LIST, { ...connect(['d', after(null)]), strict: false }).at(-1), 'd')
})

test('the same element twice is refused, or its last place counts', () => {
  const twice = connect(['d', { at: 'start' }], ['d', after('b')])
  assert.deepEqual(applyChange(LIST, twice, true), { ok: false, at: 1, reason: 'twice' })
  assert.deepEqual(many(LIST, { ...twice, strict: false }), ['a', 'b', 'd', 'c'])
})

test('of a relation to one the last element wins', () => {
  const one = (current: string[], change: LinkChange) =>
    targetsOf(applyChange(current, change, false))
  assert.deepEqual(one(['a'], { kind: 'set', targets: ['b', 'c'] }), ['c'])
  assert.deepEqual(one(['a'], connect(['b'], ['c'])), ['c'])
  assert.deepEqual(one(['a'], { ...connect(), disconnect: ['a'] }), [])
})

test('a change of tens of thousands of elements is applied at once', () => {
  const current = Array.from({ length: 50_000 }, (_, n) => `current ${n}`)
  const places = [null, { at: 'start' }, before('current 7'), after('current 30000')] as const
  const elements = Array.from({ length: 50_000 }, (_, n): [string, LinkPlace?] => {
    const place = places[n % places.length]
    return place ? [`new ${n}`, place] : [`new ${n}`]
  })
  const disconnect = current.filter((_, n) => n % 2 === 0)
  const startedMs = performance.now()
  const list = many(current, { ...connect(...elements), strict: false, disconnect })
  const tookMs = performance.now() - startedMs
  assert.equal(list.length, 75_000)
  assert.deepEqual([list[0], list.at(-1)], ['new 49997', 'new 49999'])
  assert.ok(tookMs < 2_000, `${tookMs.toFixed(0)} ms`)
})

function many(current: readonly string[], change: LinkChange) {
  return targetsOf(applyChange(current, change, true))
}

function targetsOf(result: ReturnType<typeof applyChange>) {
  assert.ok(result.ok)
  return result.targets
}

function connect(...elements: (readonly [target: string, place?: LinkPlace])[]) {
  const list = elements.map(([target, place]) => ({ target, place: place ?? null }))
  return { kind: 'change', connect: list, disconnect: [], strict: true } as const
}

function before(target: string) {
  return { at: 'before', target } as const
}

function after(target: string | null) {
  return { at: 'after', target } as const
}
