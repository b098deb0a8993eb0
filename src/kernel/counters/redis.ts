import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { Clock } from '../clock.ts'
import { storedName } from './names.ts'
import type { CounterAnswer, CounterStep, Counters, Seed, Window } from './port.ts'
import { COUNTERS_SCRIPT } from './redis-script.ts'
import { checkSeeds, checkSteps } from './window.ts'

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

/** The script answers count, end and epoch of each step. */
const COUNT_PARTS = 3

/** Counts in Redis, exact over all nodes that use it; time is that of Redis. */
export function createRedisCounters({ redis, clock, prefix }: RedisCountersDeps): Counters {
  const sha = createHash('sha1').update(COUNTERS_SCRIPT).digest('hex')
  return { add, read, seed, close: async () => {} }

  async function add(steps: readonly CounterStep[]): Promise<CounterAnswer> {
    checkSteps(steps)
    const [nowMs = 0, missing = 0, refused = 0, ...counts] = await run(
      'add',
      steps.map((step) => step.name),
      steps.flatMap(stepArguments),
    )
    if (missing > 0) {
      return { results: [], allowed: false, missing: steps[missing - 1]?.name ?? null, nowMs }
    }
    const tried = counts.length / COUNT_PARTS
    const results = steps.slice(0, tried).map(({ name }, index) => ({
      name,
      allowed: refused === 0 || index < tried - 1,
      value: counts[COUNT_PARTS * index] ?? 0,
      endsAtMs: counts[COUNT_PARTS * index + 1] ?? 0,
      epoch: counts[COUNT_PARTS * index + 2] ?? 0,
    }))
    return { results, allowed: refused === 0, missing: null, nowMs }
  }

  async function read(name: string, window: Window): Promise<number | undefined> {
    const [, absent, value] = await run('read', [name], stepArguments({ window, amount: 0 }))
    return absent === 0 ? value : undefined
  }

  async function seed(seeds: readonly Seed[]): Promise<void> {
    checkSeeds(seeds)
    if (seeds.length === 0) return
    await run(
      'seed',
      seeds.map(({ name }) => name),
      seeds.flatMap(({ window, value, epoch, endsAtMs = null }) =>
        stepArguments({ window, amount: value, epoch, limit: endsAtMs }),
      ),
    )
  }

  async function run(
    operation: 'add' | 'read' | 'seed',
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

type Arguments = Pick<CounterStep, 'window' | 'amount'> & Partial<CounterStep>

function stepArguments(step: Arguments): (string | number)[] {
  const { window, amount, limit, keepRefused, seeded, epoch } = step
  const [unit, length] = window.kind === 'fixed' ? ['fixed', window.ms] : [window.unit, 0]
  return [unit, length, amount, limit ?? '', keepRefused ? 1 : 0, seeded ? 1 : 0, epoch ?? '']
}

/** A Redis that was restarted has forgotten the script; sending it whole also stores it again. */
function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}
