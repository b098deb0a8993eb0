import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { createSeeding } from '#access-usage'
import { createLocalBus } from '#bus'
import type { CounterStep, Counters } from '#counters'
import { type DatabaseKind, eachDatabase, openTestDatabase, silentLog } from '#test-kit'
import { createPostgresCounters } from '../../src/kernel/counters/postgres.ts'
import { createSharedCounters } from '../../src/kernel/counters/shared-memory.ts'

const MONTH = { kind: 'calendar', unit: 'month' } as const
const MARCH = Date.UTC(2027, 2)
const NOW = Date.UTC(2027, 2, 5, 12)

eachDatabase('seeding month counters', (kind) => {
  test('access finding 1: a hundred that wait for one key cause one reading of the sums', async () => {
    const { seed, drains, addSum, monthOf } = await open(kind)
    await addSum(7, 30)
    await Promise.all(Array.from({ length: 100 }, () => seed(7)))
    assert.equal(drains(), 1)
    assert.deepEqual(await monthOf(7), { value: 30, epoch: 1 })
  })

  test('access finding 1: a thousand keys at the turn of a month are read together', async () => {
    const { seed, drains, addSum, monthOf } = await open(kind)
    await addSum(500, 12)
    const keyIds = Array.from({ length: 1_000 }, (_, index) => index + 1)
    await Promise.all([...keyIds, ...keyIds].map(seed))
    assert.ok(drains() <= 4, `${drains()} readings`)
    assert.deepEqual(await monthOf(500), { value: 12, epoch: 1 })
    assert.deepEqual(await monthOf(1_000), { value: 0, epoch: 1 })
  })

  test('two nodes that seed the same keys at once begin them once', async () => {
    const { seed, elsewhere, counters, monthOf } = await open(kind)
    const other = elsewhere()
    const keyIds = Array.from({ length: 40 }, (_, index) => index + 1)
    const use = async (keyId: number, by: typeof seed) => {
      await by(keyId)
      await counters.add([stepOf(keyId, 1)])
    }
    await Promise.all(keyIds.flatMap((keyId) => [use(keyId, seed), use(keyId, other)]))
    for (const keyId of keyIds) assert.deepEqual(await monthOf(keyId), { value: 2, epoch: 1 })
  })

  test('a database that fails refuses all who wait, and the next attempt is a new one', async () => {
    const { seed, breakDrain, monthOf } = await open(kind)
    breakDrain(true)
    const failed = await Promise.allSettled([seed(1), seed(1), seed(2)])
    for (const outcome of failed) {
      assert.equal(outcome.status === 'rejected' && outcome.reason.code, 'limits_unavailable')
    }
    breakDrain(false)
    await seed(1)
    assert.deepEqual(await monthOf(1), { value: 0, epoch: 1 })
  })
})

function stepOf(keyId: number, amount: number): CounterStep {
  return { name: `key:${keyId}:month`, window: MONTH, amount, limit: null, seeded: true }
}

async function open(kind: DatabaseKind) {
  const { database, clock } = await openTestDatabase(kind)
  clock.setOffset(NOW - Date.now())
  const { aux, main } = database
  const counters: Counters =
    kind === 'postgres'
      ? createPostgresCounters({ db: main.writer, clock })
      : createSharedCounters({ clock, ownerId: 1, capacity: 2 ** 12 })
  const bus = createLocalBus({ log: silentLog })
  after(() => bus.close())
  let drains = 0
  let isBroken = false
  const drainUsage = async () => {
    drains++
    if (isBroken) throw new Error('the database is away')
  }
  const elsewhere = () => {
    const seeding = createSeeding({ store: aux, counters, bus, log: silentLog, drainUsage })
    return (keyId: number) => seeding.seed(keyId, clock.now())
  }
  return {
    counters,
    seed: elsewhere(),
    elsewhere,
    drains: () => drains,
    breakDrain: (broken: boolean) => {
      isBroken = broken
    },
    addSum,
    monthOf,
  }

  async function addSum(keyId: number, cost: number) {
    await sql`
      insert into access_usage_sums
        (api_key_id, period, at, requests, errors, rejected, cost, response_ms)
      values (${keyId}, 'month', ${MARCH}, ${cost}, 0, 0, ${cost}, 0)`.execute(aux.writer)
  }

  async function monthOf(keyId: number) {
    const { results } = await counters.add([stepOf(keyId, 0)])
    return { value: results[0]?.value, epoch: results[0]?.epoch }
  }
}
