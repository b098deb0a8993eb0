import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSlots } from './slots.ts'

const LIMIT = 64

function fill(consumerId: string, isQuick: boolean, slots: ReturnType<typeof createSlots>) {
  const taken: (() => void)[] = []
  while (slots.isFree({ consumerId, isQuick })) taken.push(slots.take({ consumerId, isQuick }))
  return taken
}

test('slow and unknown endpoints together get half of the slots', () => {
  const slots = createSlots(() => LIMIT)
  for (let n = 0; n < 100; n++) fill(`slow ${n}`, false, slots)
  assert.equal(slots.underWay(), LIMIT / 2)
  assert.ok(slots.isFree({ consumerId: 'quick', isQuick: true }))
})

test('whoever takes much leaves as much for the others', () => {
  const slots = createSlots(() => LIMIT)
  assert.equal(fill('a', false, slots).length, 16)
  assert.equal(fill('b', false, slots).length, 8)
  assert.deepEqual(slots.full(false), ['a', 'b'])
  assert.equal(slots.isFree({ consumerId: 'c', isQuick: false }), true)
  assert.equal(fill('quick', true, slots).length, 20)
})

test('quick endpoints that hang all of a sudden leave room in both classes', () => {
  const slots = createSlots(() => LIMIT)
  const taken = fill('a', true, slots)
  assert.equal(taken.length, LIMIT / 2)
  assert.equal(slots.isFree({ consumerId: 'a', isQuick: true }), false)
  assert.equal(slots.isFree({ consumerId: 'b', isQuick: true }), true)
  assert.equal(slots.isFree({ consumerId: 'b', isQuick: false }), true)
  for (const free of taken) free()
  assert.equal(slots.underWay(), 0)
  assert.deepEqual(slots.full(true), [])
})

test('a single slot is for everybody', () => {
  const slots = createSlots(() => 1)
  assert.equal(fill('a', false, slots).length, 1)
  assert.equal(slots.isFree({ consumerId: 'b', isQuick: true }), false)
})
