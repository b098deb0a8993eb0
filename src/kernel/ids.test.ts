import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from './clock.ts'
import { createIds, isUuid } from './ids.ts'
import { random } from './random.ts'

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('ids are UUIDs of version 7 that carry their time', () => {
  const ids = createIds({ clock: { now: () => 1_794_700_554_123, offsetMs: () => 0 }, random })
  const id = ids.uuid()
  assert.match(id, V7)
  assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), 1_794_700_554_123)
})

test('ids of one generator increase strictly, also far more of them than a millisecond has room', () => {
  const ids = createIds({ clock: { now: () => 1_000, offsetMs: () => 0 }, random })
  assertIncreasing(Array.from({ length: 20_000 }, ids.uuid))
})

test('ids increase strictly when the clock is set back, and follow it when it goes on', () => {
  const clock = createClock()
  const ids = createIds({ clock, random })
  const made: string[] = []
  for (const offsetMs of [0, -60_000, -3_600_000, 0, 60_000, 30_000]) {
    clock.setOffset(offsetMs)
    for (let n = 0; n < 100; n++) made.push(ids.uuid())
  }
  assertIncreasing(made)
})

test('two generators in the same millisecond do not meet', () => {
  const clock = { now: () => 1_000, offsetMs: () => 0 }
  const [a, b] = [createIds({ clock, random }), createIds({ clock, random })]
  const made = Array.from({ length: 5_000 }, () => [a.uuid(), b.uuid()]).flat()
  assert.equal(new Set(made).size, made.length)
})

test('isUuid takes every version and case, and nothing around it', () => {
  assert.ok(isUuid('0197A2C4-6c1e-4b3a-9a51-3f0d7c1e2b44'))
  const id = '0197a2c4-6c1e-7b3a-9a51-3f0d7c1e2b44'
  for (const text of ['', `${id} `, `${id}\n`, id.replaceAll('-', ''), `{${id}}`, id.slice(1)]) {
    assert.equal(isUuid(text), false, JSON.stringify(text))
  }
})

function assertIncreasing(ids: readonly string[]) {
  for (const [n, id] of ids.entries()) {
    assert.match(id, V7)
    const before = ids[n - 1]
    if (before !== undefined) assert.ok(before < id, `${before} before ${id}`)
  }
}

test('a random id is a UUID of version 4', () => {
  const ids = Array.from({ length: 1_000 }, () => random.uuid())
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
  assert.equal(new Set(ids).size, 1_000)
})
