import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { after, describe, test } from 'node:test'
import { Redis } from 'ioredis'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { startRedis, testPostgres, testRedis } from '#test-kit'
import { createClock } from '../../src/kernel/clock.ts'
import { createPostgresCounters } from '../../src/kernel/counters/postgres.ts'
import {
  type CountersTables,
  createCountersTable,
} from '../../src/kernel/counters/postgres-schema.ts'
import { createRedisCounters } from '../../src/kernel/counters/redis.ts'
import { createSharedCounters } from '../../src/kernel/counters/shared-memory.ts'
import { countersSuite } from './counters-suite.ts'

const MONTH = { kind: 'calendar', unit: 'month' } as const
const MINUTE = { kind: 'calendar', unit: 'minute' } as const
const PROCESSES = 4
const ADDS = 400

const clock = createClock()
const shared = createSharedCounters({ clock, ownerId: 1, capacity: 2 ** 12 })
const [redisStore, postgresStore] = await Promise.all([openRedis(), openPostgres()])

countersSuite('shared memory', { counters: shared, clock })
countersSuite('Redis', redisStore)
countersSuite('PostgreSQL', postgresStore)

describe('counters in Redis over processes', () => {
  test('of adds from several processes exactly the limit passes', async () => {
    const { url, prefix } = testRedis()
    const { redis } = await openRedis()
    const allowed = await hammer('redis', url, prefix)
    const counters = createRedisCounters({ redis, clock: createClock(), prefix: 'hammer:' })
    assert.equal(allowed, 300)
    assert.equal(await counters.read(`${prefix}one`, MONTH), 300)
    assert.equal(await counters.read(`${prefix}all`, MONTH), 300)
  })

  test('a counter expires in Redis some time after its window', async () => {
    const { counters, redis, prefix, clock } = await openRedis()
    clock.setOffset(Date.parse('2026-03-04T12:00:30Z') - Date.now())
    await counters.add([{ name: 'a', window: MINUTE, amount: 1, limit: null }])
    const leftMs = await redis.pttl(`${prefix}a`)
    assert.ok(leftMs > 30_000 && leftMs <= 90_000, `${leftMs} ms`)
  })

  test('a Redis that has forgotten the script gets it again', async () => {
    const server = await startRedis()
    const redis = new Redis(server.url)
    after(() => redis.quit().then(server.stop))
    const counters = createRedisCounters({ redis, clock: createClock(), prefix: 'b:' })
    const step = { name: 'b', window: MONTH, amount: 1, limit: null }
    await counters.add([step])
    await redis.script('FLUSH')
    assert.equal((await counters.add([step])).results[0]?.value, 2)
  })
})

describe('counters in PostgreSQL over processes', () => {
  test('access finding 1: many new counters at once are found by the index, though the table was short', async () => {
    const { db, counters: before } = await openPostgres()
    const stepOf = (n: number) => ({ name: `new ${n}`, window: MONTH, amount: 1, limit: null })
    await before.add([stepOf(-1)])
    // PostgreSQL knows that it is short, and would read all of it for each counter.
    await sql`vacuum analyze kernel_counters`.execute(db)
    const scans = await db.transaction().execute(async (tx) => {
      const counters = createPostgresCounters({ db: tx, clock: createClock() })
      const first = await countScans(tx)
      await Promise.all(Array.from({ length: 300 }, (_, n) => counters.add([stepOf(n)])))
      const last = await countScans(tx)
      return { seq: last.seq - first.seq, index: last.index - first.index }
    })
    assert.equal(scans.seq, 0)
    assert.ok(scans.index >= 600, `${scans.index}`)
  })

  test('of adds from several processes exactly the limit passes', async () => {
    const { counters, url } = await openPostgres()
    const allowed = await hammer('postgres', url, 'hammer:')
    assert.equal(allowed, 300)
    assert.equal(await counters.read('hammer:one', MONTH), 300)
    assert.equal(await counters.read('hammer:all', MONTH), 300)
  })

  test('purge removes ended windows and nothing else', async () => {
    const { counters, db, clock } = await openPostgres()
    clock.setOffset(Date.parse('2026-03-04T12:00:30Z') - Date.now())
    await counters.add([
      { name: 'minute', window: MINUTE, amount: 1, limit: null },
      { name: 'month', window: MONTH, amount: 1, limit: null },
    ])
    assert.equal(await counters.purge(), 0)
    clock.setOffset(Date.parse('2026-03-04T12:01:30Z') - Date.now())
    assert.equal(await counters.purge(), 1)
    const rows = await db.selectFrom('kernel_counters').select('name').execute()
    assert.deepEqual(rows, [{ name: 'month' }])
  })

  test('a refused add leaves no row behind', async () => {
    const { counters, db } = await openPostgres()
    const answer = await counters.add([
      { name: 'a', window: MONTH, amount: 1, limit: null },
      { name: 'b', window: MONTH, amount: 2, limit: 1 },
    ])
    assert.equal(answer.allowed, false)
    await counters.add([{ name: 'c', window: MONTH, amount: 1, limit: null, seeded: true }])
    assert.deepEqual(await db.selectFrom('kernel_counters').selectAll().execute(), [])
  })
})

/** Several processes start to count together; answers how many adds were let through in all. */
async function hammer(kind: string, url: string, prefix: string): Promise<number> {
  const program = new URL('counters/process.ts', import.meta.url).pathname
  const processes = Array.from({ length: PROCESSES }, () => fork(program, [kind, url, prefix]))
  await Promise.all(processes.map(nextMessage))
  const answers = processes.map(nextMessage)
  for (const each of processes) each.send(ADDS)
  const allowed = (await Promise.all(answers)).map(([count]) => Number(count))
  return allowed.reduce((sum, count) => sum + count, 0)
}

/** A process that ends instead has failed, and has printed why. */
function nextMessage(child: ChildProcess): Promise<unknown[]> {
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`a counting process ended with ${code}`)
  })
  return Promise.race([once(child, 'message'), failed])
}

async function openRedis() {
  const { url, prefix } = testRedis()
  const redis = new Redis(url)
  after(() => redis.quit())
  const clock = createClock()
  return { counters: createRedisCounters({ redis, clock, prefix }), clock, redis, prefix }
}

/** Of the table of counters, in this transaction. */
async function countScans(tx: Kysely<CountersTables>) {
  const { rows } = await sql<{ seq: string; index: string }>`
    select seq_scan as seq, idx_scan as index from pg_stat_xact_user_tables
    where relid = 'kernel_counters'::regclass`.execute(tx)
  return { seq: Number(rows[0]?.seq ?? 0), index: Number(rows[0]?.index ?? 0) }
}

async function openPostgres() {
  const { url } = await testPostgres()
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  const db = new Kysely<CountersTables>({ dialect: new PostgresDialect({ pool }) })
  after(() => db.destroy())
  await createCountersTable(db)
  const clock = createClock()
  return { counters: createPostgresCounters({ db, clock }), clock, db, url }
}
