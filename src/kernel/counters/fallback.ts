import type { Clock } from '../clock.ts'
import { DomainError } from '../errors.ts'
import type { Repayment } from './debts.ts'
import type { Mirror } from './mirror.ts'
import type { CounterAnswer, CounterStep } from './port.ts'
import { createWindows } from './window.ts'

/** What happens to a request while the store is away (access contract §4). */
export type StoreFailurePolicy = 'local' | 'open' | 'closed'

/** A decision of this node; `counted` are the amounts it now owes, by the index of their step. */
export interface Decision {
  readonly answer: CounterAnswer | DomainError
  readonly counted: ReadonlyMap<number, Repayment>
}

export interface FallbackDeps {
  readonly mirror: Mirror
  readonly policy: () => StoreFailurePolicy
  readonly clock: Clock
}

/** Decides without the store, as the policy of the moment says. */
export function createFallback({ mirror, policy, clock }: FallbackDeps) {
  const windows = createWindows()
  return { decide }

  /** `sent`: the store may have counted these steps, because a call about them is under way. */
  function decide(steps: readonly CounterStep[], sent: boolean): Decision {
    const how = policy()
    if (how === 'closed') return { answer: limitsUnavailable(), counted: new Map() }
    try {
      const answer = mirror.add(how === 'open' ? steps.map(withoutLimit) : steps, sent)
      return { answer: { ...answer, isAlone: true }, counted: countedIn(steps, answer) }
    } catch (error) {
      // The table of this node is full: what cannot be counted can be let through or refused.
      const answer = how === 'open' ? letThrough(steps) : limitsUnavailable(error)
      return { answer, counted: new Map() }
    }
  }

  function letThrough(steps: readonly CounterStep[]): CounterAnswer {
    const nowMs = clock.now()
    const results = steps.map(({ name, window, amount }) => ({
      name,
      allowed: true,
      value: Math.max(0, amount),
      endsAtMs: windows.endOf(window, nowMs),
      epoch: 0,
    }))
    return { results, allowed: true, missing: null, nowMs, isAlone: true }
  }
}

/** The steps that stayed counted, by their index. */
export function countedIn(
  steps: readonly CounterStep[],
  answer: CounterAnswer,
): Map<number, Repayment> {
  const counted = new Map<number, Repayment>()
  answer.results.forEach(({ name, endsAtMs, epoch }, index) => {
    const step = steps[index]
    if (!step || step.amount === 0 || !(answer.allowed || step.keepRefused)) return
    if (step.epoch !== undefined && step.epoch !== epoch) return
    counted.set(index, { owed: { name, amount: step.amount, endsAtMs, epoch }, step })
  })
  return counted
}

export function limitsUnavailable(cause?: unknown): DomainError {
  return new DomainError(
    'unavailable',
    'limits_unavailable',
    'Limits cannot be checked at the moment',
    { facts: { retry_after: 1 }, cause },
  )
}

function withoutLimit(step: CounterStep): CounterStep {
  return { ...step, limit: null, seeded: false }
}
