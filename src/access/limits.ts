import { type CounterResult, type Counters, DomainError, type Window } from '#kernel'
import type { ActiveKey } from './principal.ts'

export interface LimitSettings {
  readonly anonymousPerMinute: number
  readonly ietfHeaders: boolean
}

interface Deps {
  readonly counters: Counters
  /** What the key was served this month, from usage: the count a lost month counter starts from. */
  servedThisMonth(keyId: number): Promise<number>
  settings(): LimitSettings
}

export interface LimitOutcome {
  /** The refusal; null lets the request through. */
  readonly refusal: DomainError | null
  readonly headers: Readonly<Record<string, string>>
  /** The clock that chose the windows; the record goes by it, or a month could end between the two. */
  readonly decidedAtMs: number
}

interface WindowState {
  readonly name: 'minute' | 'month'
  readonly limit: number
  readonly value: number
  readonly endsAtMs: number
  readonly nowMs: number
}

const MINUTE: Window = { kind: 'calendar', unit: 'minute' }
const MONTH: Window = { kind: 'calendar', unit: 'month' }

/** The counters of a key; the gateway counts on the same ones. */
function counterNames(keyId: number) {
  return { minute: `key:${keyId}:minute`, month: `key:${keyId}:month` }
}

/** Doc 2 §8: minute and month as one atomic decision, exact over threads and nodes. */
export function createLimits({ counters, servedThisMonth, settings }: Deps) {
  return { check, checkAnonymous, minuteCount }

  async function check(key: ActiveKey, cost = 1): Promise<LimitOutcome> {
    const { requestsPerMinute, requestsPerMonth } = key.plan
    const names = counterNames(key.id)
    const steps = [
      {
        name: names.minute,
        window: MINUTE,
        amount: 1,
        limit: requestsPerMinute,
        keepRefused: true,
      },
      { name: names.month, window: MONTH, amount: cost, limit: requestsPerMonth, seeded: true },
    ]
    let answer = await counters.add(steps)
    while (answer.missing !== null) {
      await counters.set(names.month, MONTH, await servedThisMonth(key.id), { onlyIfAbsent: true })
      answer = await counters.add(steps)
    }
    const [minute, month] = answer.results
    const states = [
      toState('minute', requestsPerMinute, minute, answer.nowMs),
      toState('month', requestsPerMonth, month, answer.nowMs),
    ].filter((state) => state !== null)
    const decidedAtMs = answer.nowMs
    if (answer.allowed) return { refusal: null, headers: headersOf(states), decidedAtMs }
    const refused = month && !month.allowed ? 'month' : 'minute'
    return refuse(states, refused, decidedAtMs)
  }

  /** Access contract §4.6: reads without a key, per address; off while the setting is 0. */
  async function checkAnonymous(address: string): Promise<LimitOutcome | null> {
    const limit = settings().anonymousPerMinute
    if (limit === 0) return null
    const step = { name: `anonymous:${address}`, window: MINUTE, amount: 1, limit }
    const { allowed, results, nowMs } = await counters.add([step])
    const state = toState('minute', limit, results[0], nowMs)
    if (allowed || !state) return { refusal: null, headers: {}, decidedAtMs: nowMs }
    return refuse([state], 'minute', nowMs)
  }

  async function minuteCount(keyId: number): Promise<number> {
    return (await counters.read(counterNames(keyId).minute, MINUTE)) ?? 0
  }

  function refuse(
    states: readonly WindowState[],
    name: 'minute' | 'month',
    decidedAtMs: number,
  ): LimitOutcome {
    const state = states.find((each) => each.name === name)
    if (!state) throw new Error(`refused by ${name}, which has no limit`)
    const retryAfter = Math.max(1, Math.ceil((state.endsAtMs - state.nowMs) / 1000))
    const own = describe(state, 0)
    const headers = { ...headersOf(states), ...own, 'retry-after': String(retryAfter) }
    return { refusal: toRefusal(state), headers, decidedAtMs }
  }

  function headersOf(states: readonly WindowState[]): Record<string, string> {
    const shown = states.find(({ name }) => name === 'month') ?? states[0]
    if (!shown) return {}
    return { ...describe(shown, remaining(shown)), ...(settings().ietfHeaders ? ietf(states) : {}) }
  }
}

export type Limits = ReturnType<typeof createLimits>

function toState(
  name: 'minute' | 'month',
  limit: number | null,
  result: CounterResult | undefined,
  nowMs: number,
): WindowState | null {
  if (limit === null || !result) return null
  return { name, limit, value: result.value, endsAtMs: result.endsAtMs, nowMs }
}

function remaining({ limit, value }: WindowState): number {
  return Math.max(0, limit - value)
}

function describe(state: WindowState, left: number): Record<string, string> {
  return {
    'x-ratelimit-limit': String(state.limit),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': String(seconds(state.endsAtMs)),
    'x-ratelimit-window': state.name,
  }
}

/** The IETF draft's form, the only one that shows both windows. */
function ietf(states: readonly WindowState[]): Record<string, string> {
  const policy = states.map((state) => `"${state.name}";q=${state.limit};w=${lengthOf(state)}`)
  const current = states.map((state) => {
    const secondsLeft = Math.max(0, Math.ceil((state.endsAtMs - state.nowMs) / 1000))
    return `"${state.name}";r=${remaining(state)};t=${secondsLeft}`
  })
  return { 'ratelimit-policy': policy.join(', '), ratelimit: current.join(', ') }
}

function lengthOf({ name, endsAtMs }: WindowState): number {
  if (name === 'minute') return 60
  const end = new Date(endsAtMs)
  return seconds(endsAtMs - Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1))
}

function toRefusal({ name, limit, endsAtMs }: WindowState): DomainError {
  const reset = seconds(endsAtMs)
  if (name === 'minute') {
    const message = `Rate limit of ${limit} requests per minute exceeded`
    return new DomainError('limited', 'rate_limit_exceeded', message, { facts: { limit, reset } })
  }
  const message = `Monthly quota of ${limit} requests exceeded`
  const facts = { quota: limit, reset }
  return new DomainError('limited', 'monthly_quota_exceeded', message, { facts })
}

function seconds(ms: number): number {
  return Math.round(ms / 1000)
}
