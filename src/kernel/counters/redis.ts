import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { Clock } from '../clock.ts'
import { storedName } from './names.ts'
import type { CounterAnswer, CounterStep, Counters, SetOptions, Window } from './port.ts'
import { COUNTERS_SCRIPT } from './redis-script.ts'
import { checkCounter, checkSteps } from './window.ts'

export interface RedisCountersDeps {
  /** Not closed here. Open it with `COUNTERS_REDIS_OPTIONS`. */
  readonly redis: Pick<Redis, 'eval' | 'evalsha'>
  readonly clock: Clock
  /** Before every key, so that several installations can share a Redis. */
  readonly prefix: string
}

/**
 * A counting command must never be sent twice, nor wait for a connection that comes back later:
 * its caller has decided otherwise by then. A connection that is silent for 5 s is given up.
 */
export const COUNTERS_REDIS_OPTIONS = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  socketTimeout: 5_000,
  retryStrategy: (attempt: number) => Math.min(50 * attempt, 500),
} as const

/** Counts in Redis, exact over all nodes that use it; time is that of Redis. */
export function createRedisCounters({ redis, clock, prefix }: RedisCountersDeps): Counters {
  const sha = createHash('sha1').update(COUNTERS_SCRIPT).digest('hex')
  return { add, read, set, close: async () => {} }

  async function add(steps: readonly CounterStep[]): Promise<CounterAnswer> {
    checkSteps(steps)
    const [nowMs = 0, missing = 0, refused = 0, ...pairs] = await run(
      'add',
      steps.map((step) => step.name),
      steps.flatMap(({ window, amount, limit, keepRefused, seeded }) =>
        stepArguments(window, amount, limit, keepRefused, seeded),
      ),
    )
    if (missing > 0) {
      return { results: [], allowed: false, missing: steps[missing - 1]?.name ?? null, nowMs }
    }
    const tried = pairs.length / 2
    const results = steps.slice(0, tried).map(({ name }, index) => ({
      name,
      allowed: refused === 0 || index < tried - 1,
      value: pairs[2 * index] ?? 0,
      endsAtMs: pairs[2 * index + 1] ?? 0,
    }))
    return { results, allowed: refused === 0, missing: null, nowMs }
  }

  async function read(name: string, window: Window): Promise<number | undefined> {
    const [, absent, value] = await run('read', [name], stepArguments(window, 0))
    return absent === 0 ? value : undefined
  }

  async function set(
    name: string,
    window: Window,
    value: number,
    { onlyIfAbsent }: SetOptions = {},
  ): Promise<void> {
    checkCounter(name, window, value)
    await run('set', [name], stepArguments(window, value, null, onlyIfAbsent))
  }

  async function run(
    operation: 'add' | 'read' | 'set',
    names: readonly string[],
    parts: readonly (string | number)[],
  ): Promise<number[]> {
    const keys = names.map((name) => prefix + storedName(name))
    const rest = [...keys, operation, clock.offsetMs(), ...parts]
    const answer = await redis.evalsha(sha, keys.length, ...rest).catch((error: unknown) => {
      if (!isUnknownScript(error)) throw error
      return redis.eval(COUNTERS_SCRIPT, keys.length, ...rest)
    })
    if (!Array.isArray(answer)) throw new TypeError('Redis gave no list for the counters')
    return answer.map(Number)
  }
}

function stepArguments(
  window: Window,
  amount: number,
  limit: number | null = null,
  flag = false,
  seeded = false,
): (string | number)[] {
  const [unit, length] = window.kind === 'fixed' ? ['fixed', window.ms] : [window.unit, 0]
  return [unit, length, amount, limit ?? '', flag ? 1 : 0, seeded ? 1 : 0]
}

/** A Redis that was restarted has forgotten the script; sending it whole also stores it again. */
function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}
