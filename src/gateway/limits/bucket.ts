import type { PluginCounters } from '../plane/plugin.ts'
import { type RedisStore, toScript } from './redis.ts'
import { boundedName, type Spare } from './windows.ts'

/**
 * A leaky bucket. What is kept of it is the moment at which it will have run empty: a request that
 * comes before has to wait until then, and is refused when more than `burst` others wait already.
 */
export interface Bucket {
  /** Requests a second. */
  readonly rate: number
  readonly burst: number
}

/**
 * How long the request waits; null when it is refused, and then it leaves no trace. With a spare one
 * the client chooses the name, and keeps only so many buckets in use.
 */
export type Pour = (name: string, spare?: Spare) => number | null | Promise<number | null>

/** Divisions are not exact, and a bucket must hold what it is made for. */
const ROUNDING = 1e-6
const LONGEST_MS = 1e12

export function localBucket(
  { rate, burst }: Bucket,
  counters: PluginCounters,
  mostKeys?: number,
): Pour {
  const everyMs = 1000 / rate
  // So long the fullest bucket takes to run empty.
  const ms = Math.min(LONGEST_MS, Math.ceil((burst + 1) * everyMs))
  return (name, spare) => {
    const used = spare ? boundedName(counters, { name, ms }, spare, mostKeys) : name
    let waitMs: number | null = null
    counters.update(used, (emptyAtMs, nowMs) => {
      const ahead = Math.max(0, (emptyAtMs ?? nowMs) - nowMs)
      if (ahead / everyMs > burst + ROUNDING) return null
      waitMs = ahead
      const value = nowMs + ahead + everyMs
      // Also a bucket that runs empty at once needs a place until it has.
      return { value, endsAtMs: Math.max(value, nowMs + 1) }
    })
    return waitMs
  }
}

export function redisBucket({ rate, burst }: Bucket, store: RedisStore): Pour {
  return async (name) => {
    const [allowed, waitMicros = 0] = await store.run(
      BUCKET,
      [name],
      [1_000_000 / rate, burst + ROUNDING],
    )
    return allowed === 1 ? waitMicros / 1000 : null
  }
}

const BUCKET = toScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2]) + tonumber(ARGV[1]) * 1000
local every = tonumber(ARGV[2])
local ahead = math.max(0, tonumber(redis.call('GET', KEYS[1]) or 0) - now)
if ahead / every > tonumber(ARGV[3]) then return { 0, 0 } end
local empty = now + ahead + every
local left = math.ceil((ahead + every) / 1000) + 1
redis.call('SET', KEYS[1], string.format('%.0f', empty), 'PX', string.format('%.0f', left))
return { 1, math.floor(ahead) }
`)
