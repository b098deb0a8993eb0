import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../clock.ts'
import { createSharedCounters } from './shared-memory.ts'

const MONTH = { kind: 'calendar', unit: 'month' } as const
const MINUTE = { kind: 'calendar', unit: 'minute' } as const
const FULL = { kind: 'unavailable', code: 'counters_full' }

test('a full table refuses new counters, goes on with those it has, and reuses ended windows', () => {
  const { counters, clock, add } = table(64)
  clock.setOffset(Date.parse('2026-03-04T12:00:10Z') - Date.now())
  for (let index = 0; index < 64; index++) add(`minute ${index}`, MINUTE)
  assert.throws(() => add('one more', MINUTE), FULL)
  assert.throws(
    () => counters.seedSync([{ name: 'one more', window: MINUTE, value: 5, epoch: 1 }]),
    FULL,
  )
  assert.equal(add('minute 7', MINUTE), 2)
  clock.setOffset(Date.parse('2026-03-04T12:01:10Z') - Date.now())
  for (let index = 0; index < 64; index++) assert.equal(add(`next ${index}`, MINUTE), 1)
})

test('an add that finds no room for one of its counters counts none of them', () => {
  const { counters, add } = table(64)
  for (let index = 0; index < 63; index++) add(`month ${index}`, MONTH)
  const steps = ['month 1', 'new 1', 'new 2'].map((name) => ({
    name,
    window: MONTH,
    amount: 1,
    limit: null,
  }))
  assert.throws(() => counters.addSync(steps), FULL)
  assert.equal(counters.readSync('month 1', MONTH), 1)
  assert.equal(counters.readSync('new 1', MONTH), undefined)
  assert.equal(counters.addSync(steps.slice(0, 2)).allowed, true)
})

test('counters of one add that take over ended windows do not take the same place', () => {
  const { counters, clock, add } = table(64)
  clock.setOffset(Date.parse('2026-03-04T12:00:10Z') - Date.now())
  for (let index = 0; index < 64; index++) add(`minute ${index}`, MINUTE)
  clock.setOffset(Date.parse('2026-03-04T12:01:10Z') - Date.now())
  const names = ['new 1', 'minute 0', 'new 2', 'minute 1', 'minute 0']
  counters.addSync(names.map((name) => ({ name, window: MINUTE, amount: 1, limit: null })))
  const counts = ['new 1', 'new 2', 'minute 0', 'minute 1', 'minute 2'].map((name) =>
    counters.readSync(name, MINUTE),
  )
  assert.deepEqual(counts, [1, 1, 2, 1, undefined])
})

test('a dump carries running windows over a restart, also to threads that were already there', () => {
  const before = table(1_024)
  for (let index = 0; index < 300; index++) before.add(`month ${index}`, MONTH, index)
  before.clock.setOffset(-120_000)
  before.add('ended', MINUTE)
  before.clock.setOffset(0)
  const after = table(1_024)
  const thread = createSharedCounters({
    clock: after.clock,
    ownerId: 2,
    shared: after.counters.shared,
  })
  assert.equal(after.counters.load(before.counters.dump()), true)
  for (let index = 0; index < 300; index++) {
    assert.equal(thread.readSync(`month ${index}`, MONTH), index)
  }
  assert.equal(thread.readSync('ended', MINUTE), undefined)
  assert.equal(after.add('month 5', MONTH, 1), 6)
})

test('a dump that is damaged, of another capacity, or too late is ignored', () => {
  const before = table(1_024)
  before.add('month', MONTH)
  const dump = before.counters.dump()
  assert.equal(table(2_048).counters.load(dump), false)
  assert.equal(table(1_024).counters.load(dump.subarray(0, -1)), false)
  assert.equal(table(1_024).counters.load(Buffer.alloc(0)), false)
  for (const at of [0, 9, 13, 21, dump.length - 1]) {
    const damaged = Buffer.from(dump)
    damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at)
    const { counters } = table(1_024)
    assert.equal(counters.load(damaged), false, `byte ${at}`)
    assert.equal(counters.readSync('month', MONTH), undefined)
  }
  const busy = table(1_024)
  busy.add('month', MONTH, 40)
  assert.equal(busy.counters.load(dump), false)
  assert.equal(busy.counters.readSync('month', MONTH), 40)
})

test('half of the capacity can be in use before a bucket is full', () => {
  const { add } = table(2 ** 14)
  for (let index = 0; index < 2 ** 13; index++) add(`10.0.${index >> 8}.${index & 255}`, MONTH)
})

test('a number is changed in one step, ends when told to, and is absent then', () => {
  const { counters, clock, add } = table(64)
  const seen: (number | undefined)[] = []
  const update = (value: number, lifeMs: number) =>
    counters.updateSync('n', (before, nowMs) => {
      seen.push(before)
      return { value, endsAtMs: nowMs + lifeMs }
    })
  update(1.5, 1_000)
  update(2.5, 60_000)
  counters.updateSync('n', () => null)
  update(3, 500)
  clock.setOffset(1_000)
  update(4, 1_000)
  update(0, 0)
  update(5, 1_000)
  assert.deepEqual(seen, [undefined, 1.5, 2.5, undefined, 4, undefined])
  for (let index = 0; index < 63; index++) add(`minute ${index}`, MINUTE)
  assert.throws(
    () => counters.updateSync('o', (_, nowMs) => ({ value: 1, endsAtMs: nowMs + 9 })),
    FULL,
  )
  counters.updateSync('o', () => ({ value: 1, endsAtMs: 0 }))
  update(6, 1_000)
  assert.equal(seen.at(-1), 5, 'what is there goes on in a full table')
})

test('senseless capacities, owners and memories are refused', () => {
  const clock = createClock()
  assert.throws(() => createSharedCounters({ clock, ownerId: 0 }), RangeError)
  assert.throws(() => createSharedCounters({ clock, ownerId: 1, capacity: 1_000 }), RangeError)
  const shared = new SharedArrayBuffer(1_024)
  assert.throws(() => createSharedCounters({ clock, ownerId: 1, shared }), TypeError)
})

function table(capacity: number) {
  const clock = createClock()
  const counters = createSharedCounters({ clock, ownerId: 1, capacity })
  return { clock, counters, add }

  function add(name: string, window: typeof MONTH | typeof MINUTE, amount = 1) {
    return counters.addSync([{ name, window, amount, limit: null }]).results[0]?.value
  }
}
