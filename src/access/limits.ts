import {
  type CounterAnswer,
  type CounterResult,
  type CounterStep,
  type Counters,
  DomainError,
  type Window,
} from '#kernel-thread'
import type { ActiveKey, ActivePlan } from './principal.ts'

export interface LimitSettings {
  readonly anonymousPerMinute: number
  readonly ietfHeaders: boolean
}

interface Deps {
  /** `addSync` where counting needs no waiting; the common request then makes no promise. */
  readonly counters: Counters & { addSync?(steps: readonly CounterStep[]): CounterAnswer }
  /** What the key was served this month, from usage: the count a lost month counter starts from. */
  servedThisMonth(keyId: number): Promise<number>
  settings(): LimitSettings
}

interface CheckOptions {
  /** What the request adds to the month counter. */
  readonly cost?: number
  /** False: counted, and never refused. */
  readonly enforced?: boolean
}

type MaybePromise<T> = T | Promise<T>

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
  const add = counters.addSync ?? counters.add
  return { check, checkAnonymous, correct, minuteCount }

  function check(key: ActiveKey, options?: CheckOptions): MaybePromise<LimitOutcome> {
    const steps = options ? limitSteps(key.id, key.plan, options) : key.steps
    const answer = add(steps)
    if (!(answer instanceof Promise) && answer.missing === null) return decide(key, answer)
    return seedAndDecide(key, steps, answer)
  }

  async function seedAndDecide(
    key: ActiveKey,
    steps: readonly CounterStep[],
    first: MaybePromise<CounterAnswer>,
  ): Promise<LimitOutcome> {
    let answer = await first
    while (answer.missing !== null) {
      const served = await servedThisMonth(key.id)
      await counters.set(counterNames(key.id).month, MONTH, served, { onlyIfAbsent: true })
      answer = await add(steps)
    }
    return decide(key, answer)
  }

  function decide({ plan }: ActiveKey, { allowed, results, nowMs }: CounterAnswer): LimitOutcome {
    const [minute, month] = results
    const states = [
      toState('minute', plan.requestsPerMinute, minute, nowMs),
      toState('month', plan.requestsPerMonth, month, nowMs),
    ].filter((state) => state !== null)
    if (allowed) return { refusal: null, headers: headersOf(states), decidedAtMs: nowMs }
    return refuse(states, month && !month.allowed ? 'month' : 'minute', nowMs)
  }

  /** The real cost was another one than that which was counted. */
  async function correct(keyId: number, difference: number): Promise<void> {
    const name = counterNames(keyId).month
    await counters.add([{ name, window: MONTH, amount: difference, limit: null, seeded: true }])
  }

  /** Access contract §4.6: reads without a key, per address; off while the setting is 0. */
  function checkAnonymous(address: string): Promise<LimitOutcome> | null {
    const limit = settings().anonymousPerMinute
    return limit === 0 ? null : countAnonymous(address, limit)
  }

  async function countAnonymous(address: string, limit: number): Promise<LimitOutcome> {
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

/** Minute and month of a key, as one decision. */
export function limitSteps(keyId: number, plan: ActivePlan, options: CheckOptions = {}) {
  const { cost = 1, enforced = true } = options
  const names = counterNames(keyId)
  const minute = enforced ? plan.requestsPerMinute : null
  const month = enforced ? plan.requestsPerMonth : null
  return [
    { name: names.minute, window: MINUTE, amount: 1, limit: minute, keepRefused: true },
    { name: names.month, window: MONTH, amount: cost, limit: month, seeded: true },
  ]
}

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
