import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTurns } from './due.ts'
import { inGroups } from './schedule.ts'
import { STATUS } from './tables.ts'

const operation = (bulkNo: number, id: number, sku: string | null) => ({
  ...{ bulkNo, id, sku, status: STATUS.open, size: 1_000 },
})

const limits = (atOnce: number) => ({ atOnce, mayBegin: () => true })

test('operations on one SKU follow each other, others run beside them', async () => {
  const skus = ['a', 'b', 'a', null, 'c', 'a', 'b']
  const operations = skus.map((sku, id) => operation(1, id, sku))
  const groups: (string | null)[][] = []
  await inGroups(operations, limits(4), async (group) => {
    groups.push(group.map(({ sku }) => sku))
  })
  assert.deepEqual(groups, [['a', 'b', null, 'c'], ['a', 'b'], ['a']])
})

test('a later operation never overtakes one of its SKU that waits for another bulk', async () => {
  const operations = [operation(1, 0, 'x'), operation(2, 0, 'x'), operation(2, 1, 'y')]
  const order: string[] = []
  const first = Promise.withResolvers<void>()
  const done = inGroups(operations, limits(4), async (group) => {
    for (const { bulkNo, sku } of group) order.push(`${bulkNo}${sku}`)
    if (group[0]?.bulkNo === 1) await first.promise
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(order, ['1x', '2y'])
  first.resolve()
  await done
  assert.deepEqual(order, ['1x', '2y', '2x'])
})

test('groups have at most 100 operations, and no more run at once than were asked for', async () => {
  const operations = Array.from({ length: 1_000 }, (_, id) => operation(1, id, `s${id}`))
  let running = 0
  let most = 0
  const sizes = new Set<number>()
  await inGroups(operations, limits(3), async (group) => {
    sizes.add(group.length)
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
  })
  assert.deepEqual([most, [...sizes]], [3, [100]])
})

test('what a group was sent with is bounded, and one operation may be larger', async () => {
  const mib = 1024 * 1024
  const sizes = [3 * mib, 3 * mib, 15 * mib, mib, mib]
  const operations = sizes.map((size, id) => ({ ...operation(1, id, `s${id}`), size }))
  const groups: number[][] = []
  await inGroups(operations, limits(1), async (group) => {
    groups.push(group.map(({ id }) => id))
  })
  assert.deepEqual(groups, [[0, 3], [1, 4], [2]])
})

test('a group that fails is heard of', async () => {
  const failing = inGroups([operation(1, 0, 'a')], limits(2), async () => {
    throw new Error('no storage')
  })
  await assert.rejects(failing, /no storage/)
})

test('what has not begun when the time is over is left', async () => {
  const operations = Array.from({ length: 500 }, (_, id) => operation(1, id, `s${id}`))
  let done = 0
  await inGroups(operations, { atOnce: 1, mayBegin: () => done < 200 }, async (group) => {
    done += group.length
  })
  assert.equal(done, 200)
})

test('users take turns: one who has sent little comes before the rest of one who has sent much', () => {
  const much = Array.from({ length: 250 }, (_, n) => `a${n}`)
  const taken = inTurns([much, ['b'], []])
  assert.equal(taken.indexOf('b'), 100)
  assert.deepEqual(
    taken.filter((item) => item !== 'b'),
    much,
  )
})
