// Counts against a shared store as one of several processes; prints how many adds were let through.
import { Redis } from 'ioredis'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { createClock } from '../../../src/kernel/clock.ts'
import { createPostgresCounters } from '../../../src/kernel/counters/postgres.ts'
import type { CountersTables } from '../../../src/kernel/counters/postgres-schema.ts'
import { createRedisCounters } from '../../../src/kernel/counters/redis.ts'

const [kind = '', url = '', prefix = '', adds = '0'] = process.argv.slice(2)
const clock = createClock()
const opened = kind === 'redis' ? openRedis() : openPostgres()
const MONTH = { kind: 'calendar', unit: 'month' } as const
let allowed = 0
await Promise.all(Array.from({ length: 8 }, (_, lane) => hammer(lane)))
await opened.close()
console.log(allowed)

async function hammer(lane: number): Promise<void> {
  for (let round = 0; round < Number(adds) / 8; round++) {
    const answer = await opened.counters.add([
      { name: `${prefix}all`, window: MONTH, amount: 1, limit: null },
      { name: `${prefix}one`, window: MONTH, amount: 1, limit: 300 },
      { name: `${prefix}${(lane + round) % 5}`, window: MONTH, amount: 2, limit: null },
    ])
    if (answer.allowed) allowed++
  }
}

function openRedis() {
  const redis = new Redis(url)
  const close = () => redis.quit()
  return { counters: createRedisCounters({ redis, clock, prefix: 'hammer:' }), close }
}

function openPostgres() {
  const pool = new pg.Pool({ connectionString: url, max: 8 })
  const db = new Kysely<CountersTables>({ dialect: new PostgresDialect({ pool }) })
  return { counters: createPostgresCounters({ db, clock }), close: () => db.destroy() }
}
