import assert from 'node:assert/strict'
import { test } from 'node:test'
import { balancers, interleave } from './index.ts'

const node = (name: string, weight = 1, busy = 0, latency = 0) => ({
  ...{ name, weight },
  busy: () => busy,
  latency: () => latency,
})

function cursor() {
  let position = 0
  return { next: (length: number) => position++ % length }
}

test('one cycle holds every node as often as its weight, spread out', () => {
  assert.deepEqual(interleave([3, 0, 1]), [0, 0, 2, 0])
  assert.deepEqual(interleave([10, 10]), [0, 1])
  const sequence = interleave([95, 5])
  assert.equal(sequence.length, 20)
  assert.equal(sequence.filter((index) => index === 1).length, 1)
  assert.ok(interleave([1_000_003, 7]).length <= 100_010)
})

test('a hash gives each node its share, and only the keys of a node that goes move', () => {
  const nodes = [node('a'), node('b', 2), node('c')]
  const keys = Array.from({ length: 4_000 }, (_, n) => `key ${n}`)
  const choose = balancers.get('chash')?.prepare(nodes, { cursor: cursor() })
  const without = balancers.get('chash')?.prepare(nodes.slice(0, 2), { cursor: cursor() })
  const share = keys.filter((key) => choose?.(key)?.name === 'b').length / keys.length
  assert.ok(Math.abs(share - 0.5) < 0.05, `${share}`)
  for (const key of keys) {
    const before = choose?.(key)?.name
    if (before !== 'c') assert.equal(without?.(key)?.name, before)
  }
})

test('the least loaded node is chosen by its weight', () => {
  const nodes = [node('a', 1, 1), node('b', 4, 4), node('c', 1, 3)]
  const choose = balancers.get('least_conn')?.prepare(nodes, { cursor: cursor() })
  for (let n = 0; n < 6; n++) assert.equal(choose?.('')?.name, 'b')
})

test('of two nodes the faster one is chosen, and the slowest of all never', () => {
  const nodes = [node('slow', 1, 0, 90), node('fast', 1, 0, 10), node('heavy', 2, 0, 40)]
  const choose = balancers.get('ewma')?.prepare(nodes, { cursor: cursor() })
  const chosen = Array.from({ length: 60 }, () => choose?.('')?.name)
  const count = (name: string) => chosen.filter((each) => each === name).length
  assert.deepEqual([count('fast'), count('heavy'), count('slow')], [40, 20, 0])
  assert.equal(
    balancers.get('ewma')?.prepare(nodes.slice(0, 1), { cursor: cursor() })('')?.name,
    'slow',
  )
})
