import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRenewals } from './renewals.ts'

const TTL_MS = 100

function leasesOf(...holders: string[]) {
  return holders.map((holder) => ({ name: `lease of ${holder}`, holder, ttlMs: TTL_MS }))
}

test('leases of one moment are renewed together, and each hears of its own', async () => {
  const calls: string[][] = []
  const { renew } = createRenewals({
    prolong: async (_ttlMs, held) => {
      calls.push(held.map(({ holder }) => holder))
      return new Set(['a', 'c'])
    },
  })
  const outcomes = await Promise.all(leasesOf('a', 'b', 'c').map(renew))
  assert.deepEqual(outcomes, [true, false, true])
  assert.deepEqual(calls, [['a', 'b', 'c']])
})

test('each is renewed for its own time', async () => {
  const calls: [number, string[]][] = []
  const { renew } = createRenewals({
    prolong: async (ttlMs, held) => {
      calls.push([ttlMs, held.map(({ holder }) => holder)])
      return new Set(held.map(({ holder }) => holder))
    },
  })
  const [a, b, c] = leasesOf('a', 'b', 'c')
  const renewals = [a, b && { ...b, ttlMs: 500 }, c].flatMap((each) => each ?? [])
  assert.deepEqual(await Promise.all(renewals.map(renew)), [true, true, true])
  assert.deepEqual(calls, [
    [TTL_MS, ['a', 'c']],
    [500, ['b']],
  ])
})

test('a database that does not answer fails all of them, and the next time is another', async () => {
  let isAway = true
  const { renew } = createRenewals({
    prolong: async () => {
      if (isAway) throw new Error('away')
      return new Set(['a'])
    },
  })
  const failed = await Promise.allSettled(leasesOf('a', 'b').map(renew))
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  isAway = false
  assert.deepEqual(await Promise.all(leasesOf('a').map(renew)), [true])
})
