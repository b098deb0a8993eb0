import type { Clock } from '../clock.ts'
import { DomainError } from '../errors.ts'
import type { Log } from '../log.ts'
import { createCircuit } from './circuit.ts'
import { createDebts, type Repayment } from './debts.ts'
import {
  countedIn,
  createFallback,
  type Decision,
  limitsUnavailable,
  type StoreFailurePolicy,
} from './fallback.ts'
import type { CounterAnswer, CounterStep, Counters, Seed, SeedOptions, Window } from './port.ts'
import type { SharedCounters } from './shared-memory.ts'
import { createWatch, type Outcome } from './watch.ts'
import { checkSeeds, checkSteps } from './window.ts'

export interface ResilientCountersDeps {
  readonly store: Counters
  /** Shared by all threads of the node. */
  readonly local: Pick<SharedCounters, 'mirror' | 'readSync' | 'seedSync'>
  /** Asked at each failure, so a changed setting acts at once. */
  readonly policy: () => StoreFailurePolicy
  readonly timeoutMs?: number
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
}

const TIMEOUT_MS = 100
const RETRY_MS = 1_000
const CLOSE_MS = 2_000
const PROBE = { name: 'probe', window: { kind: 'fixed', ms: 1 } } as const

/**
 * A store of counters that may fail. Once the store is silent for 100 ms the policy decides; the
 * only errors are `limits_unavailable` and those of senseless steps.
 *
 * - `local`: this node goes on from the last values it saw, and adds what it counted to the store
 *   when that is back. `open`: the same without refusing. `closed`: `limits_unavailable`.
 * - A call of uncertain outcome counts: it is counted here, and owed to the store unless a late
 *   answer shows that it has arrived.
 */
export function createResilientCounters(deps: ResilientCountersDeps): Counters {
  const { store, local, policy, clock, log, timeoutMs = TIMEOUT_MS } = deps
  const circuit = createCircuit({ clock, log })
  const watch = createWatch(timeoutMs)
  const debts = createDebts({ store, mirror: local.mirror })
  const fallback = createFallback({ mirror: local.mirror, policy, clock })
  const retrying = setInterval(retry, RETRY_MS).unref()
  return { add, read, seed, close }

  async function add(steps: readonly CounterStep[]): Promise<CounterAnswer> {
    checkSteps(steps)
    if (!circuit.isClosed()) {
      probe()
      return decideHere(steps)
    }
    const repayments = debts.take(steps)
    const call = store.add([...repayments.map(({ step }) => step), ...steps])
    const outcome = await observe(call)
    if (outcome.kind === 'answer') return accept(steps, repayments, outcome.value)
    if (outcome.kind === 'error') {
      debts.settle(repayments, undefined)
      return decideHere(steps)
    }
    const decision = fallback.decide(steps, true)
    settleLate(steps, repayments, decision, call)
    if (decision.answer instanceof DomainError) throw decision.answer
    return decision.answer
  }

  /** Of the store's answer the caller sees only the part about its own steps. */
  function accept(
    steps: readonly CounterStep[],
    repayments: readonly Repayment[],
    answer: CounterAnswer,
  ): CounterAnswer {
    debts.seen([...repayments.map(({ step }) => step), ...steps], answer)
    debts.settle(repayments, answer)
    if (!debts.isEmpty()) debts.repay()
    return { ...answer, results: answer.results.slice(repayments.length) }
  }

  function decideHere(steps: readonly CounterStep[]): CounterAnswer {
    const { answer, counted } = fallback.decide(steps, false)
    for (const { step } of counted.values()) debts.note(step)
    if (answer instanceof DomainError) throw answer
    return answer
  }

  /**
   * Once the call that was given up has ended: what it brought to the store is not owed. What the
   * store counted although this node refused it is given back, and so is what the store counted in
   * another epoch than this node did: that will be brought by its record.
   */
  function settleLate(
    steps: readonly CounterStep[],
    repayments: readonly Repayment[],
    { answer: ownAnswer, counted }: Decision,
    call: Promise<CounterAnswer>,
  ): void {
    call.then(
      (answer) => {
        const late = accept(steps, repayments, answer)
        const arrived = countedIn(steps, late)
        const isSettled = (index: number) =>
          arrived.get(index)?.owed.epoch === counted.get(index)?.owed.epoch
        for (const [index, repayment] of counted) {
          debts.settle([repayment], isSettled(index) ? { missing: null, results: [] } : undefined)
        }
        if (ownAnswer instanceof DomainError) return
        for (const [index, repayment] of arrived) {
          if (!isSettled(index)) debts.giveBack(repayment, repayment.owed.epoch)
        }
      },
      () => debts.settle([...repayments, ...counted.values()], undefined),
    )
  }

  async function read(name: string, window: Window): Promise<number | undefined> {
    if (circuit.isClosed()) {
      const outcome = await observe(store.read(name, window))
      if (outcome.kind === 'answer') return outcome.value
    }
    return local.readSync(name, window)
  }

  /** A seed that does not reach the store serves this node. */
  async function seed(seeds: readonly Seed[], { onlyHere }: SeedOptions = {}): Promise<void> {
    checkSeeds(seeds)
    const outcome = onlyHere || !circuit.isClosed() ? null : await observe(store.seed(seeds))
    try {
      local.seedSync(seeds)
    } catch (error) {
      if (outcome?.kind !== 'answer') throw limitsUnavailable(error)
    }
  }

  async function observe<T>(call: Promise<T>): Promise<Outcome<T>> {
    const outcome = await watch.ask(call)
    circuit.record(outcome)
    return outcome
  }

  function retry(): void {
    if (circuit.isClosed() && !debts.isEmpty()) debts.repay()
    else probe()
  }

  /** Finds out whether the store is back, by a call that changes nothing and nobody waits for. */
  function probe(): void {
    if (!circuit.takeTrial()) return
    observe(store.read(PROBE.name, PROBE.window)).then((outcome) => {
      if (outcome.kind === 'answer') debts.repay()
    })
  }

  /** What is still owed gets a last chance. */
  async function close(): Promise<void> {
    clearInterval(retrying)
    await createWatch(CLOSE_MS).ask(debts.repay())
    await store.close()
  }
}
