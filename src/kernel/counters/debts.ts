import type { Mirror, Owed } from './mirror.ts'
import type { CounterAnswer, CounterResult, CounterStep, Counters } from './port.ts'

const AT_ONCE = 20
const FORGET_ABOVE = 100_000

/** An owed amount with the step that names its counter, window and whether it must be seeded. */
export interface Repayment {
  readonly owed: Owed
  readonly step: CounterStep
}

export interface DebtsDeps {
  readonly store: Counters
  readonly mirror: Mirror
}

/**
 * Brings what was counted here while the store was away to the store, each amount once. The amounts
 * are in the mirror, shared by all threads; the names are remembered by the thread that counted.
 */
export function createDebts({ store, mirror }: DebtsDeps) {
  const known = new Map<string, CounterStep>()
  let repaying: Promise<void> | undefined
  return { isEmpty: () => known.size === 0, note, take, settle, giveBack, seen, repay }

  function note(step: CounterStep): void {
    // Ended windows are dropped when they are repaid; an outage over many of them must not fill
    // the memory, and what is forgotten here is still repaid by the next add to its counter.
    if (known.size >= FORGET_ABOVE) known.clear()
    known.set(step.name, step)
  }

  /** For the counters of these steps: an add that repays first is decided on the true count. */
  function take(steps: readonly CounterStep[]): Repayment[] {
    const repayments: Repayment[] = []
    for (const step of steps) {
      const owed = mirror.take(step.name)
      if (owed) repayments.push({ owed, step: repaymentOf(step, owed) })
    }
    return repayments
  }

  /** The answer's first results are those of the repayments; without one the store has nothing. */
  function settle(
    repayments: readonly Repayment[],
    answer: Pick<CounterAnswer, 'missing' | 'results'> | undefined,
  ): void {
    repayments.forEach((repayment, index) => {
      const { owed, step } = repayment
      // A counter that must be seeded will be, from records that hold what was counted here.
      const arrived = answer !== undefined && (!answer.missing || answer.missing === owed.name)
      mirror.settle(owed, arrived)
      if (!arrived) note(step)
      const result = answer?.results[index]
      // The store had entered the next window: what belongs to the last one is void.
      if (result && isLaterWindow(step, owed, result)) giveBack(repayment, result.epoch)
    })
  }

  /** Takes out of the store what should not have been counted there, in that epoch. */
  function giveBack({ step, owed }: Repayment, epoch: number): void {
    const steps = [{ ...step, amount: -owed.amount, limit: null, epoch }]
    store.add(steps).then(
      (answer) => seen(steps, answer),
      () => {},
    )
  }

  function seen(steps: readonly CounterStep[], { results, nowMs }: CounterAnswer): void {
    results.forEach(({ name, value, endsAtMs, epoch }, index) => {
      const step = steps[index]
      if (step) mirror.seen({ name, window: step.window, value, endsAtMs, epoch, atMs: nowMs })
    })
  }

  /** Repays all counters this thread knows of; ends early when the store fails. */
  function repay(): Promise<void> {
    repaying ??= repayAll()
      .catch(() => {})
      .finally(() => {
        repaying = undefined
      })
    return repaying
  }

  async function repayAll(): Promise<void> {
    while (known.size > 0) {
      const batch = known.values().take(AT_ONCE).toArray()
      for (const step of batch) known.delete(step.name)
      await Promise.all(take(batch).map(repayOne))
    }
  }

  /** Waits as long as the store takes: to ask again too early would count twice. */
  async function repayOne(repayment: Repayment): Promise<void> {
    const steps = [repayment.step]
    try {
      const answer = await store.add(steps)
      seen(steps, answer)
      settle([repayment], answer)
    } catch (error) {
      settle([repayment], undefined)
      throw error
    }
  }
}

function repaymentOf(step: CounterStep, { amount, epoch }: Owed): CounterStep {
  return { ...step, amount, epoch, limit: null, keepRefused: true }
}

function isLaterWindow(step: CounterStep, owed: Owed, result: CounterResult): boolean {
  return step.window.kind === 'calendar' && result.endsAtMs > owed.endsAtMs
}
