import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UsageRecord } from './record.ts'
import { rollUp } from './rollup.ts'

const RECORD: UsageRecord = {
  ...{ keyId: 1, endpoint: '/api/v1/articles', method: 'GET', status: 200, responseMs: 5 },
  ...{ atMs: 60_000, counted: true, cost: 1, requestId: 'a', monthLimit: null, epoch: 0 },
}
const OTHERS: readonly Partial<UsageRecord>[] = [
  ...[{ keyId: 2 }, { endpoint: '/api/v1/authors' }, { method: 'POST' }, { atMs: 120_000 }],
]

test('records of other keys, endpoints, methods and minutes in between are added to their own sums', () => {
  for (const other of OTHERS) {
    const records = [RECORD, { ...RECORD, ...other }, RECORD, { ...RECORD, ...other, cost: 3 }]
    const { sums, endpointSums } = rollUp(records)
    const minutes = sums.filter(({ period }) => period === 'minute')
    const hours = endpointSums.filter(({ period }) => period === 'hour')
    const isOneKey = other.keyId === undefined
    const isOneMinute = isOneKey && other.atMs === undefined
    assert.deepEqual(
      minutes.map(({ requests, cost }) => [requests, cost]),
      isOneMinute
        ? [[4, 6]]
        : [
            [2, 2],
            [2, 4],
          ],
    )
    assert.deepEqual(
      hours.map(({ requests, times }) => [requests, times.length]),
      other.atMs === undefined
        ? [
            [2, 2],
            [2, 2],
          ]
        : [[4, 4]],
    )
  }
})
