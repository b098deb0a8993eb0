import type { PluginDeps } from '../plane/plugin.ts'
import { type RedisStore, toScript } from './redis.ts'

/** Requests under way by name. */
export interface UnderWay {
  /** How many there are with this one; null when that is more than `most`, and it is not counted. */
  enter(name: string, id: string, most: number): number | null | Promise<number | null>
  leave(name: string, id: string): void | Promise<void>
}

/** A place that is given back when the last request leaves needs no end of its own; a bound only. */
const LIFE_MS = 7 * 86_400_000

/**
 * Exact over all threads. When a thread ends, what it had under way must not count for ever: the
 * others then begin counters of another generation with what they hold themselves.
 */
export function localUnderWay({ counters, generation }: PluginDeps): UnderWay {
  const held = new Map<string, number>()
  let current = generation()
  return {
    enter(name, _id, most) {
      renew()
      let count: number | null = null
      counters.update(nameOf(name), (before = 0, nowMs) => {
        if (before + 1 > most) return null
        count = before + 1
        return { value: count, endsAtMs: nowMs + LIFE_MS }
      })
      if (count !== null) held.set(name, (held.get(name) ?? 0) + 1)
      return count
    },
    leave(name) {
      const own = (held.get(name) ?? 0) - 1
      if (own > 0) held.set(name, own)
      else held.delete(name)
      add(name, -1)
    },
  }

  function renew(): void {
    const now = generation()
    if (now === current) return
    current = now
    for (const [name, count] of held) add(name, count)
  }

  function add(name: string, amount: number): void {
    counters.update(nameOf(name), (before = 0, nowMs) => {
      const value = Math.max(0, before + amount)
      return { value, endsAtMs: value === 0 ? 0 : nowMs + LIFE_MS }
    })
  }

  function nameOf(name: string): string {
    return `${current}/${name}`
  }
}

/** A set of requests with the moments at which they lapse, should their gateway never come back. */
export function redisUnderWay(store: RedisStore, lapseSeconds: number): UnderWay {
  return {
    async enter(name, id, most) {
      const [count = 0] = await store.run(ENTER, [name], [id, most, lapseSeconds * 1000])
      return count === 0 ? null : count
    },
    async leave(name, id) {
      await store.run(LEAVE, [name], [id])
    },
  }
}

const ENTER = toScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + tonumber(ARGV[1])
local life = tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
local count = redis.call('ZCARD', KEYS[1]) + 1
if count > tonumber(ARGV[3]) then return { 0 } end
redis.call('ZADD', KEYS[1], string.format('%.0f', now + life), ARGV[2])
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', life))
return { count }
`)

const LEAVE = toScript(`
redis.call('ZREM', KEYS[1], ARGV[2])
return { 1 }
`)
