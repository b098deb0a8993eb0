import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { type RedisServer, silentLog, startRedis, testPostgres, until } from '#test-kit'
import { createClock } from '../../src/kernel/clock.ts'
import { createResilientCounters } from '../../src/kernel/counters/breaker.ts'
import type { CounterStep, Counters, Seed } from '../../src/kernel/counters/port.ts'
import { createPostgresCounters } from '../../src/kernel/counters/postgres.ts'
import {
  type CountersTables,
  createCountersTable,
} from '../../src/kernel/counters/postgres-schema.ts'
import { COUNTERS_REDIS_OPTIONS, createRedisCounters } from '../../src/kernel/counters/redis.ts'
import { createSharedCounters } from '../../src/kernel/counters/shared-memory.ts'
import { DomainError } from '../../src/kernel/errors.ts'

const MONTH = { kind: 'calendar', unit: 'month' } as const
const HOUR = { kind: 'fixed', ms: 3_600_000 } as const

describe('counters whose store fails', () => {
  test('a hanging store: exactly the rest of the limit passes, and nothing is counted twice', async () => {
    const { server, node, store } = await open()
    assert.equal(await addMany(node, 100, { limit: 150 }), 100)
    process.kill(server.pid, 'SIGSTOP')
    const passed = await Promise.all([
      addMany(node, 100, { limit: 150 }),
      addMany(node, 100, { limit: 150 }),
    ])
    assert.equal(sum(passed), 50)
    assert.equal(await addMany(node, 10, { limit: 150 }), 0)
    process.kill(server.pid, 'SIGCONT')
    await until(async () => (await store.read('a', MONTH)) === 150)
    await until(async () => (await node.read('a', MONTH)) === 150)
    assert.equal(await addMany(node, 10, { limit: 151 }), 1)
  })

  test('a store that hangs now and then loses no add and doubles none', async () => {
    const { server, node, store, clock } = await open()
    let stopping = false
    let adds = 0
    const lanes = Array.from({ length: 10 }, async () => {
      while (!stopping) {
        const passed = await addMany(node, 5)
        adds += passed
        await nextTurn()
      }
    })
    for (let round = 0; round < 3; round++) {
      const before = adds
      await until(() => adds > before + 200)
      process.kill(server.pid, 'SIGSTOP')
      const stopped = adds
      await until(() => adds > stopped + 2_000)
      process.kill(server.pid, 'SIGCONT')
      clock.setOffset(clock.offsetMs() + 1_001)
    }
    stopping = true
    await Promise.all(lanes)
    clock.setOffset(clock.offsetMs() + 1_001)
    await node.add([])
    await until(async () => (await store.read('a', MONTH)) === adds)
  })

  test('a store that is gone: the node goes on alone, and repays when it is back', async () => {
    const { server, node, store, clock } = await open()
    assert.equal(await addMany(node, 100, { limit: 150 }), 100)
    await server.stop()
    const passed = await Promise.all([
      addMany(node, 100, { limit: 150 }),
      addMany(node, 100, { limit: 150 }),
    ])
    assert.equal(sum(passed), 50)
    await server.restart()
    await until(async () => {
      clock.setOffset(clock.offsetMs() + 1_001)
      await node.add([])
      return (await readOrUndefined(store)) === 50
    })
    // The restarted Redis is empty, so its count is what this node has brought back.
    assert.equal(await addMany(node, 10, { limit: 55 }), 5)
  })

  test('the threads of a node share one count while the store is away', async () => {
    const { server, node, otherThread, store, clock } = await open()
    assert.equal(sum([await addMany(node, 20), await addMany(otherThread, 20)]), 40)
    await server.stop()
    const passed = await Promise.all([
      addMany(node, 100, { limit: 100 }),
      addMany(otherThread, 100, { limit: 100 }),
    ])
    assert.equal(sum(passed), 60)
    await server.restart()
    await until(async () => {
      clock.setOffset(clock.offsetMs() + 1_001)
      await node.add([])
      return (await readOrUndefined(store)) !== undefined
    })
    // One thread is back: it repays for the other too before it decides.
    const { results } = await node.add([step({ limit: 61 })])
    assert.deepEqual([results.length, results[0]?.value], [1, 61])
    assert.equal((await node.add([step({ limit: 61 })])).allowed, false)
  })

  test('policy open lets everything through, counts it, and adds it to the store later', async () => {
    const { server, node, store, clock } = await open('open')
    await addMany(node, 3, { limit: 5 })
    process.kill(server.pid, 'SIGSTOP')
    assert.equal(await addMany(node, 50, { limit: 5, seeded: true }), 50)
    process.kill(server.pid, 'SIGCONT')
    await until(async () => {
      clock.setOffset(clock.offsetMs() + 1_001)
      await node.add([])
      return (await store.read('a', MONTH)) === 53
    })
    assert.equal((await node.add([step({ limit: 5 })])).allowed, false)
  })

  test('policy closed answers limits_unavailable, and nothing else', async () => {
    const { server, node } = await open('closed')
    await addMany(node, 3)
    await server.stop()
    for (let round = 0; round < 6; round++) {
      await assert.rejects(node.add([step()]), (error) => {
        assert.ok(error instanceof DomainError)
        assert.deepEqual([error.kind, error.code], ['unavailable', 'limits_unavailable'])
        assert.deepEqual(error.facts, { retry_after: 1 })
        return true
      })
    }
    assert.equal(await node.read('a', MONTH), 3)
  })

  test('a node whose own table is full refuses or lets through, as the policy says', async () => {
    for (const policy of ['local', 'open'] as const) {
      const { server, node, local } = await open(policy)
      for (let index = 0; index < 5_000; index++) {
        try {
          local.addSync([step({ name: `other ${index}` })])
        } catch {}
      }
      await server.stop()
      if (policy === 'open') assert.equal((await node.add([step({ limit: 0 })])).allowed, true)
      else await assert.rejects(node.add([step()]), { code: 'limits_unavailable' })
      assert.equal((await node.add([step({ name: 'other 1' })])).results[0]?.value, 2)
    }
  })

  test('after three failures the store is asked once per second', async () => {
    const { server, node, calls, clock } = await open()
    await server.stop()
    const before = calls()
    await addMany(node, 10)
    assert.equal(calls() - before, 3)
    clock.setOffset(clock.offsetMs() + 400)
    await addMany(node, 10)
    assert.equal(calls() - before, 3)
    clock.setOffset(clock.offsetMs() + 601)
    await Promise.all([addMany(node, 10), addMany(node, 10)])
    assert.equal(calls() - before, 4)
  })

  test('a seeded counter that this node never saw can be seeded while the store is away', async () => {
    const { server, node } = await open()
    await server.stop()
    const seeded = step({ seeded: true, limit: 12 })
    assert.equal((await node.add([seeded])).missing, 'a')
    await node.seed([seed(10, 1)])
    assert.equal(await addMany(node, 5, { seeded: true, limit: 12 }), 2)
    await node.seed([seed(0, 1)])
    assert.equal(await node.read('a', MONTH), 12)
  })

  test('a store that lost a seeded counter is not given what its seed will hold', async () => {
    const { server, node, store, clock } = await open()
    await node.seed([seed(10, 1)])
    await server.stop()
    assert.equal(await addMany(node, 5, { seeded: true }), 5)
    await server.restart()
    await until(async () => {
      clock.setOffset(clock.offsetMs() + 1_001)
      return (await node.add([step({ seeded: true })])).missing === 'a'
    })
    await node.seed([seed(16, 2)])
    assert.equal((await node.add([step({ seeded: true })])).results[0]?.value, 17)
    assert.equal(await store.read('a', MONTH), 17)
  })

  test('what was counted alone is void once the counter is seeded anew by another node', async () => {
    const { server, node, store, clock } = await open()
    await node.seed([seed(10, 1)])
    assert.equal(await addMany(node, 2, { seeded: true }), 2)
    process.kill(server.pid, 'SIGSTOP')
    const alone = await node.add([step({ seeded: true })])
    assert.deepEqual([alone.isAlone, alone.results[0]?.epoch], [true, 1])
    assert.equal(await addMany(node, 4, { seeded: true }), 4)
    process.kill(server.pid, 'SIGCONT')
    // As after a loss: its records will bring to this epoch what is not in its seed.
    await store.seed([seed(100, 2)])
    await until(async () => {
      clock.setOffset(clock.offsetMs() + 1_001)
      return (await node.add([step({ amount: 0, seeded: true })])).isAlone === undefined
    })
    const { results } = await node.add([step({ seeded: true })])
    assert.deepEqual([results[0]?.value, results[0]?.epoch], [101, 2])
    await node.add([step({ seeded: true, epoch: 1, amount: 7 })])
    assert.equal(await store.read('a', MONTH), 101)
  })

  test('fixed windows go on through an outage and are repaid', async () => {
    const { server, node, store, clock } = await open()
    const first = await node.add([step({ window: HOUR })])
    process.kill(server.pid, 'SIGSTOP')
    assert.equal(await addMany(node, 9, { window: HOUR, limit: 6 }), 5)
    const away = await node.add([step({ window: HOUR })])
    assert.equal(away.results[0]?.endsAtMs, first.results[0]?.endsAtMs)
    process.kill(server.pid, 'SIGCONT')
    await until(async () => {
      clock.setOffset(clock.offsetMs() + 1_001)
      await node.add([])
      return (await store.read('a', HOUR)) === 7
    })
  })

  test('a thread that was held up does not take its store for dead', async () => {
    const { node, failures } = await open()
    await addMany(node, 1)
    const answering = node.add([step()])
    const heldUntilMs = performance.now() + 300
    while (performance.now() < heldUntilMs);
    assert.equal((await answering).results[0]?.value, 2)
    assert.equal(failures(), 0)
  })

  test('what is owed is brought to the store when the node closes', async () => {
    const { server, node, store } = await open()
    await addMany(node, 2)
    process.kill(server.pid, 'SIGSTOP')
    await addMany(node, 40)
    process.kill(server.pid, 'SIGCONT')
    await node.close()
    await until(async () => (await store.read('a', MONTH)) === 42)
  })

  test('a PostgreSQL that hangs is overcome in the same way', async () => {
    const { url } = await testPostgres()
    const pool = new pg.Pool({ connectionString: url, max: 10 })
    const db = new Kysely<CountersTables>({ dialect: new PostgresDialect({ pool }) })
    after(() => db.destroy())
    await createCountersTable(db)
    const clock = createClock()
    const store = createPostgresCounters({ db, clock })
    const local = createSharedCounters({ clock, ownerId: 1, capacity: 64 })
    const log = silentLog
    const node = createResilientCounters({ store, local, policy: () => 'local', clock, log })
    after(() => node.close())
    assert.equal(await addMany(node, 10, { limit: 20 }), 10)
    await db.transaction().execute(async (trx) => {
      await sql`lock table kernel_counters in exclusive mode`.execute(trx)
      assert.equal(await addMany(node, 30, { limit: 20 }), 10)
    })
    await until(async () => {
      clock.setOffset(clock.offsetMs() + 1_001)
      await node.add([])
      return (await store.read('a', MONTH)) === 20
    })
  })
})

function step(rest: Partial<CounterStep> = {}): CounterStep {
  return { name: 'a', window: MONTH, amount: 1, limit: null, ...rest }
}

function seed(value: number, epoch: number): Seed {
  return { name: 'a', window: MONTH, value, epoch }
}

/** One after the other; answers how many were let through. */
async function addMany(
  counters: Counters,
  times: number,
  rest: Partial<CounterStep> = {},
): Promise<number> {
  let passed = 0
  for (let round = 0; round < times; round++) {
    if ((await counters.add([step(rest)])).allowed) passed++
  }
  return passed
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

async function readOrUndefined(store: Counters): Promise<number | undefined> {
  return store.read('a', MONTH).catch(() => undefined)
}

/** A Redis of its own, a node with two threads that use it, and a look at the store itself. */
async function open(policy: 'local' | 'open' | 'closed' = 'local') {
  const server = await startRedis()
  const clock = createClock()
  let calls = 0
  let failures = 0
  const first = createSharedCounters({ clock, ownerId: 1, capacity: 2 ** 10 })
  const second = createSharedCounters({ clock, ownerId: 2, shared: first.shared })
  const [node, otherThread] = await Promise.all([first, second].map(connect))
  assert.ok(node && otherThread)
  const store = createRedisCounters({ redis: await openRedis(server), clock, prefix: 'c:' })
  after(async () => {
    await Promise.all([node.close(), otherThread.close()])
    await server.stop()
  })
  return {
    server,
    clock,
    node,
    otherThread,
    local: first,
    store,
    calls: () => calls,
    failures: () => failures,
  }

  async function connect(local: typeof first) {
    const onCall = () => calls++
    const redis = await openRedis(server)
    const store = createRedisCounters({ redis, clock, prefix: 'c:' })
    return createResilientCounters({
      store: { ...store, add: counting(store.add, onCall), read: counting(store.read, onCall) },
      local,
      policy: () => {
        failures++
        return policy
      },
      clock,
      log: silentLog,
    })
  }
}

/** A store's function, seen from outside. */
function counting<A extends unknown[], R>(call: (...args: A) => R, onCall: () => void) {
  return (...args: A): R => {
    onCall()
    return call(...args)
  }
}

async function openRedis(server: RedisServer): Promise<Redis> {
  const redis = new Redis(server.url, { ...COUNTERS_REDIS_OPTIONS, lazyConnect: true })
  redis.on('error', () => {})
  await redis.connect()
  after(() => redis.disconnect())
  return redis
}
