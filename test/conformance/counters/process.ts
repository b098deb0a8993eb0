// One of several processes that count in the same store; answers how many adds were let through.
import { once } from 'node:events'
import { Redis } from 'ioredis'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { createClock } from '../../../src/kernel/clock.ts'
import { createPostgresCounters } from '../../../src/kernel/counters/postgres.ts'
import type { CountersTables } from '../../../src/kernel/counters/postgres-schema.ts'
import { createRedisCounters } from '../../../src/kernel/counters/redis.ts'

const LANES = 8
const MONTH = { kind: 'calendar', unit: 'month' } as const
const [kind = '', url = '', prefix = ''] = process.argv.slice(2)
const clock = createClock()
const { counters, close } = kind === 'redis' ? openRedis() : openPostgres()
await counters.read('warm', MONTH)

const told = once(process, 'message')
process.send?.('ready')
const [adds] = await told
const allowed = await Promise.all(Array.from({ length: LANES }, (_, lane) => hammer(lane)))
process.send?.(allowed.reduce((sum, count) => sum + count, 0))
await close()
process.disconnect?.()

async function hammer(lane: number): Promise<number> {
  let passed = 0
  for (let round = 0; round < Number(adds) / LANES; round++) {
    const answer = await counters.add([
      { name: `${prefix}all`, window: MONTH, amount: 1, limit: null },
      { name: `${prefix}one`, window: MONTH, amount: 1, limit: 300 },
      { name: `${prefix}${(lane + round) % 5}`, window: MONTH, amount: 2, limit: null },
      // Each begins counters that others begin too, some upwards and some downwards.
      { name: `${prefix}new:${fresh(round)}`, window: MONTH, amount: 1, limit: null },
    ])
    if (answer.allowed) passed++
  }
  return passed
}

function fresh(round: number): number {
  return process.pid % 2 === 0 ? round : Number(adds) / LANES - round
}

function openRedis() {
  const redis = new Redis(url)
  const store = createRedisCounters({ redis, clock, prefix: 'hammer:' })
  return { counters: store, close: () => redis.quit() }
}

function openPostgres() {
  const pool = new pg.Pool({ connectionString: url, max: LANES })
  const db = new Kysely<CountersTables>({ dialect: new PostgresDialect({ pool }) })
  return { counters: createPostgresCounters({ db, clock }), close: () => db.destroy() }
}
