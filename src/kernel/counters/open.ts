import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { StoreFailurePolicy } from './fallback.ts'
import type { Counters } from './port.ts'
import type { CountersTables } from './postgres-schema.ts'
import type { SharedCounters } from './shared-memory.ts'
import { createWatch } from './watch.ts'

/** Where all nodes count together; neither: one process has it all. Redis goes first. */
export interface CounterStores {
  readonly redis: { readonly url: string; readonly prefix: string } | null
  /** Opens the connection that is used when there is no Redis. */
  readonly openSql: (() => Promise<CounterConnection>) | null
  readonly timeoutMs: number
}

interface CounterConnection {
  readonly db: Kysely<CountersTables>
  close(): Promise<void>
}

interface Parts {
  /** This thread's view of the table that the threads of the process share. */
  readonly local: SharedCounters
  readonly clock: Clock
  readonly log: Log
  policy(): StoreFailurePolicy
}

/** A store that is away at the start is met by the policy later; it must not hold up the start. */
const WARM_UP_MS = 2_000

/** Exact over all nodes when there are several; else the memory of this process is all there is. */
export async function openCounters(stores: CounterStores, parts: Parts): Promise<Counters> {
  if (stores.redis) return openRedis(stores.redis, stores.timeoutMs, parts)
  return stores.openSql ? openSql(stores.openSql, stores.timeoutMs, parts) : parts.local
}

async function openRedis(
  { url, prefix }: { readonly url: string; readonly prefix: string },
  timeoutMs: number,
  parts: Parts,
): Promise<Counters> {
  const [
    { default: ioredis },
    { COUNTERS_REDIS_OPTIONS, createRedisCounters },
    { createResilientCounters },
  ] = await Promise.all([import('ioredis'), import('./redis.ts'), import('./breaker.ts')])
  const redis = new ioredis.Redis(url, COUNTERS_REDIS_OPTIONS)
  // The breaker reports what fails; without a listener ioredis prints every attempt.
  redis.on('error', () => {})
  await createWatch(WARM_UP_MS).ask(new Promise((resolve) => redis.once('ready', resolve)))
  const store = createRedisCounters({ redis, clock: parts.clock, prefix })
  const resilient = createResilientCounters({ ...parts, store, timeoutMs })
  const close = async () => {
    await resilient.close()
    redis.disconnect()
  }
  return { ...resilient, close }
}

async function openSql(
  open: NonNullable<CounterStores['openSql']>,
  timeoutMs: number,
  parts: Parts,
): Promise<Counters> {
  const [{ createPostgresCounters }, { createResilientCounters }, connection] = await Promise.all([
    import('./postgres.ts'),
    import('./breaker.ts'),
    open(),
  ])
  const store = createPostgresCounters({ db: connection.db, clock: parts.clock })
  // The first call on a connection prepares everything; no request should wait for that.
  const step = {
    name: 'warm-up',
    window: { kind: 'fixed', ms: 1 },
    amount: 1,
    limit: null,
  } as const
  await createWatch(WARM_UP_MS).ask(store.add([step]))
  const resilient = createResilientCounters({ ...parts, store, timeoutMs })
  const close = async () => {
    await resilient.close()
    await connection.close()
  }
  return { ...resilient, close }
}

/**
 * The connection over which a thread counts in PostgreSQL. Nothing else waits for it, and calls
 * travel together, so one will do; it stays open while it is idle.
 */
export async function connectCounters(url: string, log: Log): Promise<CounterConnection> {
  const { openConnection } = await import('../db/postgres.ts')
  return openConnection({ url, log })
}
