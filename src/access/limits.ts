import {
  type CounterAnswer,
  type CounterResult,
  type CounterStep,
  type Counters,
  limitsUnavailable,
  type Window,
} from '#counters'
import { DomainError } from '#kernel'
import type { ActiveKey, ActivePlan } from './principal.ts'
import { createRateLimitHeaders, toSeconds, type WindowState } from './rate-limit-headers.ts'

export interface LimitSettings {
  readonly anonymousPerMinute: number
  readonly anonymousWritesPerMinute: number
  readonly ietfHeaders: boolean
}

interface Deps {
  /** `addSync` where counting needs no waiting; the common request then makes no promise. */
  readonly counters: Counters & { addSync?(steps: readonly CounterStep[]): CounterAnswer }
  /** Begins a month counter that is missing, from usage; by the store's clock of that moment. */
  seed(keyId: number, atMs: number): Promise<void>
  settings(): LimitSettings
  /** Told the limit and the name of the plan; the latter is empty for requests without a key. */
  onRefused?(limit: string, plan: string): void
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
  /** Of the month counter that holds the cost now; its record says so. */
  readonly epoch: number
}

/** What the counters of a key say; undefined where there is none for the current window. */
export interface KeyCounts {
  readonly minute: number
  /** Requests served. */
  readonly day: number | undefined
  readonly month: number | undefined
}

const USUAL: CheckOptions = {}
const MINUTE: Window = { kind: 'calendar', unit: 'minute' }
export const DAY: Window = { kind: 'calendar', unit: 'day' }
export const MONTH: Window = { kind: 'calendar', unit: 'month' }
/** A counter that is lost again so often while it is seeded cannot be counted on. */
const SEED_ROUNDS = 5

/** The counters of a key; the gateway counts on the same ones. */
export function counterNames(keyId: number) {
  return { minute: `key:${keyId}:minute`, day: `key:${keyId}:day`, month: `key:${keyId}:month` }
}

/** Doc 2 §8: minute and month as one atomic decision, exact over threads and nodes. */
export function createLimits({ counters, seed, settings, onRefused }: Deps) {
  const add = counters.addSync ?? counters.add
  const { headersOf, refusalHeadersOf } = createRateLimitHeaders(() => settings().ietfHeaders)
  return { check, checkAnonymous, checkAnonymousWrite, correct, countsOf }

  function check(
    key: ActiveKey,
    { cost = 1, enforced = true }: CheckOptions = USUAL,
  ): MaybePromise<LimitOutcome> {
    const isUsual = cost === 1 && enforced
    const steps = isUsual ? key.steps : limitSteps(key.id, key.plan, { cost, enforced })
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
    for (let round = 0; answer.missing !== null; round++) {
      if (round === SEED_ROUNDS) throw limitsUnavailable()
      await seed(key.id, answer.nowMs)
      answer = await add(steps)
    }
    return decide(key, answer)
  }

  function decide({ plan }: ActiveKey, { allowed, results, nowMs }: CounterAnswer): LimitOutcome {
    const minute = toState('minute', plan.requestsPerMinute, results[0], nowMs)
    const month = toState('month', plan.requestsPerMonth, results[1], nowMs)
    const headers = headersOf(minute, month)
    const epoch = results[1]?.epoch ?? 0
    if (allowed) return { refusal: null, headers, decidedAtMs: nowMs, epoch }
    const limit = results[1]?.allowed === false ? month : minute
    onRefused?.(limit?.name ?? '', plan.name)
    return refuse(limit, headers, nowMs)
  }

  /**
   * The month counter of this epoch lacks the difference, or has it too much. A counter of another
   * epoch has begun from records, which tell the real cost. False: the store could not be told yet.
   */
  async function correct(keyId: number, difference: number, epoch: number): Promise<boolean> {
    const name = counterNames(keyId).month
    const step = { name, window: MONTH, amount: difference, limit: null, seeded: true, epoch }
    const { isAlone, results } = await counters.add([step])
    return !isAlone || results[0]?.epoch === epoch
  }

  /** Access contract §4.6: reads without a key, per address; off while the setting is 0. */
  function checkAnonymous(address: string): Promise<LimitOutcome> | null {
    const limit = settings().anonymousPerMinute
    return limit === 0 ? null : countAnonymous(`anonymous:${address}`, limit)
  }

  /** What the public sends in, per address; off while the setting is 0. */
  function checkAnonymousWrite(address: string): Promise<LimitOutcome> | null {
    const limit = settings().anonymousWritesPerMinute
    return limit === 0 ? null : countAnonymous(`anonymous-write:${address}`, limit)
  }

  async function countAnonymous(name: string, limit: number): Promise<LimitOutcome> {
    const step = { name, window: MINUTE, amount: 1, limit }
    const { allowed, results, nowMs } = await counters.add([step])
    const state = toState('minute', limit, results[0], nowMs)
    if (allowed) return { refusal: null, headers: {}, decidedAtMs: nowMs, epoch: 0 }
    onRefused?.('minute', '')
    return refuse(state, headersOf(state, null), nowMs)
  }

  /** What is counted at this moment, for whoever shows it. */
  async function countsOf(keyId: number): Promise<KeyCounts> {
    const names = counterNames(keyId)
    const [minute = 0, day, month] = await Promise.all([
      counters.read(names.minute, MINUTE),
      counters.read(names.day, DAY),
      counters.read(names.month, MONTH),
    ])
    return { minute, day, month }
  }

  function refuse(
    state: WindowState | null,
    usual: Readonly<Record<string, string>>,
    decidedAtMs: number,
  ): LimitOutcome {
    if (!state) throw new Error('refused by a window that has no limit')
    const headers = { ...usual, ...refusalHeadersOf(state) }
    return { refusal: toRefusal(state), headers, decidedAtMs, epoch: 0 }
  }
}

export type Limits = ReturnType<typeof createLimits>

/**
 * Minute and month of a key, as one decision. The requests of the day are counted along: no limit
 * goes by them, and the dashboard shows them as exactly as the month.
 */
export function limitSteps(keyId: number, plan: ActivePlan, options: CheckOptions = {}) {
  const { cost = 1, enforced = true } = options
  const names = counterNames(keyId)
  const minute = enforced ? plan.requestsPerMinute : null
  const month = enforced ? plan.requestsPerMonth : null
  return [
    { name: names.minute, window: MINUTE, amount: 1, limit: minute, keepRefused: true },
    { name: names.month, window: MONTH, amount: cost, limit: month, seeded: true },
    { name: names.day, window: DAY, amount: 1, limit: null },
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

function toRefusal({ name, limit, endsAtMs }: WindowState): DomainError {
  const reset = toSeconds(endsAtMs)
  if (name === 'minute') {
    const message = `Rate limit of ${limit} requests per minute exceeded`
    return new DomainError('limited', 'rate_limit_exceeded', message, { facts: { limit, reset } })
  }
  const message = `Monthly quota of ${limit} requests exceeded`
  const facts = { quota: limit, reset }
  return new DomainError('limited', 'monthly_quota_exceeded', message, { facts })
}
