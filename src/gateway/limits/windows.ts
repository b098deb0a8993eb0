import type { CounterAnswer } from '#counters'
import type { PluginCounters, PluginDeps } from '../plane/plugin.ts'
import type { Calendar } from './calendar.ts'
import { type RedisStore, toScript } from './redis.ts'

/** What one rule asks for one request: at most `count` under this name in a window. */
export interface Ask {
  readonly name: string
  readonly count: number
  readonly ms: number
  /** Of a key whose value the client chooses; see `boundedKeys`. */
  readonly spare?: Spare
}

export interface Spare {
  /** Under which the request counts by the address of its client. */
  readonly name: string
  /** Under which the keys of that client are counted. */
  readonly budget: string
}

/** How a rule stands after the decision. */
export interface Standing {
  readonly remaining: number
  readonly leftMs: number
}

/** All rules let the request through, or none of them counts it. */
export interface Verdict {
  readonly allowed: boolean
  /** Of the rules that were tried, in order; the last one refuses when one does. */
  readonly standings: readonly Standing[]
}

export type Decide = (asks: readonly Ask[]) => Verdict | Promise<Verdict>

/** A sliding window is counted in so many slices; a slice counts until all of it is out. */
const SLICES = 20
const MOST_TRIES = 5

/** Begins with the first request. */
export function fixedWindows(add: PluginCounters['add']): (asks: readonly Ask[]) => Verdict
export function fixedWindows(add: RedisStore['add']): Decide
export function fixedWindows(add: PluginCounters['add'] | RedisStore['add']): Decide {
  return (asks) => {
    const answer = add(
      asks.map(({ name, count, ms }) => ({
        name,
        window: { kind: 'fixed', ms },
        amount: 1,
        limit: count,
      })),
    )
    const toVerdict = (given: CounterAnswer) => verdictOf(asks, given)
    return answer instanceof Promise ? answer.then(toVerdict) : toVerdict(answer)
  }
}

/** Ends with the minute, hour, day or month: the end is part of the counter's name. */
export function calendarWindows(calendar: Calendar, now: () => number, decide: Decide): Decide {
  return (asks) => {
    const nowMs = now()
    const endMs = calendar.endOf(nowMs)
    return decide(
      asks.map(({ name, count, spare }) => ({
        name: `${name}/${endMs}`,
        count,
        ms: endMs - nowMs,
        ...(spare
          ? { spare: { name: `${spare.name}/${endMs}`, budget: `${spare.budget}/${endMs}` } }
          : {}),
      })),
    )
  }
}

/** An eighth of the table of counters. */
const MOST_KEYS = 2 ** 16

/**
 * Keeps one client from filling the table of counters, in which all others are counted too, with
 * values that it makes up: once its address has shown so many in a window, further ones count as
 * the address.
 */
export function boundedKeys(counters: PluginCounters, decide: Decide, most = MOST_KEYS): Decide {
  return (asks) =>
    decide(
      asks.map((ask) =>
        ask.spare ? { ...ask, name: boundedName(counters, ask, ask.spare, most) } : ask,
      ),
    )
}

/** The name that a key counts under: its own, or that of the client's address. */
export function boundedName(
  counters: PluginCounters,
  { name, ms }: Pick<Ask, 'name' | 'ms'>,
  spare: Spare,
  most = MOST_KEYS,
): string {
  const window = { kind: 'fixed', ms } as const
  if (counters.read(name, window) !== undefined) return name
  const step = { name: spare.budget, window, amount: 1, limit: most }
  return counters.add([step]).allowed ? name : spare.name
}

/** For a key that the client may make up, below the name of the limit. */
export function spareOf(base: string, address: string): Spare {
  return { name: `${base}/@${address}`, budget: `${base} keys/${address}` }
}

function verdictOf(asks: readonly Ask[], { allowed, results, nowMs }: CounterAnswer): Verdict {
  const standings = results.map(({ value, endsAtMs }, at) => ({
    remaining: Math.max(0, (asks[at]?.count ?? 0) - value),
    leftMs: endsAtMs - nowMs,
  }))
  return { allowed, standings }
}

/** At most `count` in any stretch of time as long as the window. */
export function slidingWindows({ counters, clock }: Pick<PluginDeps, 'counters' | 'clock'>) {
  return boundedKeys(counters, decide, Math.floor(MOST_KEYS / (SLICES + 2)))

  function decide(asks: readonly Ask[]): Verdict {
    const standings: Standing[] = []
    const taken: (() => void)[] = []
    for (const ask of asks) {
      const { giveBack, ...standing } = take(ask)
      standings.push(standing)
      if (!giveBack) {
        for (const undo of taken) undo()
        return { allowed: false, standings }
      }
      taken.push(giveBack)
    }
    return { allowed: true, standings }
  }

  function take(ask: Ask): Standing & { readonly giveBack?: () => void } {
    const widthMs = widthOf(ask)
    const window = { kind: 'fixed', ms: (SLICES + 2) * widthMs } as const
    if (ask.spare) markKnown(ask)
    for (let tries = 1; ; tries++) {
      const nowMs = clock.now()
      const slice = Math.floor(nowMs / widthMs)
      const nameOf = (at: number) => `${ask.name}/${at}`
      let earlier = 0
      let oldest = slice
      for (let at = slice - 1; at >= slice - SLICES; at--) {
        const count = counters.read(nameOf(at), window) ?? 0
        earlier += count
        if (count > 0) oldest = at
      }
      const step = { name: nameOf(slice), window, amount: 1 }
      const limit = Math.max(0, ask.count - earlier)
      const { allowed, results } = counters.add([{ ...step, limit }])
      const remaining = Math.max(0, limit - (results[0]?.value ?? 0))
      const leftMs = (oldest + SLICES + 1) * widthMs - nowMs
      if (!allowed) return { remaining, leftMs }
      const giveBack = () => void counters.add([{ ...step, amount: -1, limit: null }])
      // A thread that was held up must not add to a slice that another has taken for finished.
      const isTimely = Math.floor(clock.now() / widthMs) === slice
      if (isTimely || tries === MOST_TRIES) return { remaining, leftMs, giveBack }
      giveBack()
    }
  }

  /** The slices have other names, so the key itself is noted for `boundedKeys`. */
  function markKnown({ name, ms }: Ask): void {
    counters.add([{ name, window: { kind: 'fixed', ms }, amount: 1, limit: null }])
  }
}

/** The same in Redis, by its clock: a hash from slices to counts. */
export function redisSlidingWindows(store: RedisStore): Decide {
  return async (asks) => {
    const [allowed = 0, nowMs = 0, ...parts] = await store.run(
      SLIDING,
      asks.map(({ name }) => name),
      [SLICES, ...asks.flatMap((ask) => [ask.count, widthOf(ask)])],
    )
    const standings = asks.slice(0, parts.length / 2).map((ask, at) => ({
      remaining: Math.max(0, ask.count - (parts[2 * at] ?? 0)),
      leftMs: ((parts[2 * at + 1] ?? 0) + SLICES + 1) * widthOf(ask) - nowMs,
    }))
    return { allowed: allowed === 1, standings }
  }
}

function widthOf({ ms }: Ask): number {
  return Math.ceil(ms / SLICES)
}

const SLIDING = toScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + tonumber(ARGV[1])
local slices = tonumber(ARGV[2])
local answer = { 1, now }
for i, key in ipairs(KEYS) do
  local count = tonumber(ARGV[2 * i + 1])
  local slice = math.floor(now / tonumber(ARGV[2 * i + 2]))
  local used = 0
  local oldest = slice
  local stored = redis.call('HGETALL', key)
  for at = 1, #stored, 2 do
    local its = tonumber(stored[at])
    if its < slice - slices then
      redis.call('HDEL', key, stored[at])
    else
      used = used + tonumber(stored[at + 1])
      oldest = math.min(oldest, its)
    end
  end
  if used >= count then
    answer[1] = 0
    table.insert(answer, used)
    table.insert(answer, oldest)
    return answer
  end
  table.insert(answer, used + 1)
  table.insert(answer, oldest)
end
for i, key in ipairs(KEYS) do
  local width = tonumber(ARGV[2 * i + 2])
  redis.call('HINCRBY', key, string.format('%.0f', math.floor(now / width)), 1)
  redis.call('PEXPIRE', key, string.format('%.0f', (slices + 2) * width))
end
return answer
`)
