import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import type { Redis } from 'ioredis'
import { COUNTERS_REDIS_OPTIONS, type Counters, createRedisCounters, createWatch } from '#counters'
import type { Clock } from '#kernel'
import type { RedisMembers } from './store.ts'

/** Before every key: the Redis may serve others too. */
const PREFIX = 'entrepot:gateway:'
const IDLE_MS = 60_000
const SWEEP_MS = 20_000
const TIMEOUT_MS = 1_000

/** A Redis server as a store of limits. Every call ends within the time that the settings allow. */
export interface RedisStore {
  /** Windows that begin with their first add; the store's clock decides. */
  add: Counters['add']
  /** Runs a script as one atomic step; it answers a list of numbers. */
  run(
    script: Script,
    keys: readonly string[],
    values: readonly (string | number)[],
  ): Promise<number[]>
}

/** Gets the offset of the test clock as its first argument, then what the caller gives. */
export interface Script {
  readonly text: string
  readonly sha: string
}

export function toScript(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

interface Open {
  readonly redis: Redis
  readonly add: Counters['add']
}

interface Link {
  readonly opening: Promise<Open>
  usedAtMs: number
}

/**
 * One connection per server and account, whichever plugins and routes use it: commands of many
 * requests travel on it together. One that nobody uses for a minute is closed, so settings that were
 * edited away leave nothing behind.
 */
export function createRedisPool({ clock }: { readonly clock: Clock }) {
  const links = new Map<string, Link>()
  return { store }

  function store(members: RedisMembers): RedisStore {
    const options = toOptions(members)
    const name = JSON.stringify(options)
    const watch = createWatch(members.redis_timeout ?? TIMEOUT_MS)
    return {
      add: (steps) => within(({ add }) => add(steps)),
      run: (script, keys, values) =>
        within(async ({ redis }) => {
          const named = keys.map((key) => `${PREFIX}${key}`)
          const rest = [...named, clock.offsetMs(), ...values]
          const answer = await runScript(redis, script, named.length, rest)
          if (!Array.isArray(answer)) throw new TypeError('Redis gave no list')
          return answer.map(Number)
        }),
    }

    async function within<T>(work: (open: Open) => Promise<T>): Promise<T> {
      const outcome = await watch.ask(linkTo(name, options).opening.then(work))
      if (outcome.kind === 'answer') return outcome.value
      throw outcome.kind === 'error' ? outcome.error : new Error('Redis is silent')
    }
  }

  function linkTo(name: string, options: Options): Link {
    const known = links.get(name)
    if (known) {
      known.usedAtMs = performance.now()
      return known
    }
    const link = { opening: open(options), usedAtMs: performance.now() }
    links.set(name, link)
    if (links.size === 1) sweepLater()
    return link
  }

  async function open(options: Options): Promise<Open> {
    const { default: ioredis } = await import('ioredis')
    const redis = new ioredis.Redis(options)
    // What fails is told by the request that needed it; the connection tries again by itself.
    redis.on('error', () => {})
    const settled = new AbortController()
    const { signal } = settled
    await Promise.race(['ready', 'close'].map((event) => once(redis, event, { signal }))).catch(
      () => {},
    )
    settled.abort()
    return { redis, add: createRedisCounters({ redis, clock, prefix: PREFIX }).add }
  }

  function sweepLater(): void {
    setTimeout(() => {
      for (const [name, { opening, usedAtMs }] of links) {
        if (performance.now() - usedAtMs < IDLE_MS) continue
        links.delete(name)
        opening.then(({ redis }) => redis.disconnect())
      }
      if (links.size > 0) sweepLater()
    }, SWEEP_MS).unref()
  }
}

export type RedisPool = ReturnType<typeof createRedisPool>

async function runScript(
  redis: Redis,
  { sha, text }: Script,
  keys: number,
  rest: (string | number)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys, ...rest)
  } catch (error) {
    // A Redis that was restarted has forgotten the script; sending it whole also stores it again.
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return redis.eval(text, keys, ...rest)
  }
}

function toOptions(members: RedisMembers) {
  const { redis_host: host = '', redis_port: port = 6379, redis_database: db = 0 } = members
  const { redis_username: username, redis_password: password } = members
  const { redis_ssl: isTls = false, redis_ssl_verify: rejectUnauthorized = false } = members
  return {
    ...COUNTERS_REDIS_OPTIONS,
    host,
    port,
    db,
    connectTimeout: TIMEOUT_MS,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(isTls ? { tls: { rejectUnauthorized } } : {}),
  }
}

type Options = ReturnType<typeof toOptions>
