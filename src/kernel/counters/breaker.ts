import type { Clock } from '../clock.ts'
import { DomainError } from '../errors.ts'
import type { Log } from '../log.ts'
import { answerWithin, createCircuit } from './circuit.ts'
import { createDebts, type Repayment } from './debts.ts'
import {
  countedIn,
  createFallback,
  type Decision,
  limitsUnavailable,
  type StoreFailurePolicy,
} from './fallback.ts'
import type { CounterAnswer, CounterStep, Counters, SetOptions, Window } from './port.ts'
import type { SharedCounters } from './shared-memory.ts'
import { checkCounter, checkSteps } from './window.ts'

export interface ResilientCountersDeps {
  readonly store: Counters
  /** Shared by all threads of the node. */
  readonly local: Pick<SharedCounters, 'mirror' | 'readSync' | 'setSync'>
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
 * A store of counters that may fail. Within 100 ms there is a decision, by the store or by the
 * policy; the only errors are `limits_unavailable` and those of senseless steps.
 *
 * - `local`: this node goes on from the last values it saw, and adds what it counted to the store
 *   when that is back. `open`: the same without refusing. `closed`: `limits_unavailable`.
 * - A call of uncertain outcome counts: it is counted here, and owed to the store unless a late
 *   answer shows that it has arrived.
 */
export function createResilientCounters(deps: ResilientCountersDeps): Counters {
  const { store, local, policy, clock, log, timeoutMs = TIMEOUT_MS } = deps
  const circuit = createCircuit({ clock, log })
  const debts = createDebts({ store, mirror: local.mirror })
  const fallback = createFallback({ mirror: local.mirror, policy, clock })
  const retrying = setInterval(retry, RETRY_MS).unref()
  return { add, read, set, close }

  async function add(steps: readonly CounterStep[]): Promise<CounterAnswer> {
    checkSteps(steps)
    if (!circuit.isClosed()) {
      probe()
      return decideHere(steps)
    }
    const repayments = debts.take(steps)
    const call = store.add([...repayments.map(({ step }) => step), ...steps])
    const outcome = await answerWithin(call, timeoutMs)
    circuit.record(outcome)
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
   * Once the call that was given up has ended: what it brought to the store is not owed, and what
   * the store counted although this node refused it is given back.
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
        for (const [index, repayment] of counted) {
          debts.settle([repayment], arrived.has(index) ? { missing: null, results: [] } : undefined)
        }
        if (ownAnswer instanceof DomainError) return
        for (const [index, repayment] of arrived) {
          if (!counted.has(index)) debts.giveBack(repayment)
        }
      },
      () => debts.settle([...repayments, ...counted.values()], undefined),
    )
  }

  async function read(name: string, window: Window): Promise<number | undefined> {
    if (circuit.isClosed()) {
      const outcome = await answerWithin(store.read(name, window), timeoutMs)
      circuit.record(outcome)
      if (outcome.kind === 'answer') return outcome.value
    }
    return local.readSync(name, window)
  }

  /** A seed that does not reach the store serves this node; any other value must reach it. */
  async function set(
    name: string,
    window: Window,
    value: number,
    options: SetOptions = {},
  ): Promise<void> {
    checkCounter(name, window, value)
    const reached = circuit.isClosed() && (await setStore(name, window, value, options))
    if (!reached && !options.onlyIfAbsent) throw limitsUnavailable()
    try {
      local.setSync(name, window, value, options)
    } catch (error) {
      if (!reached) throw limitsUnavailable(error)
    }
  }

  async function setStore(
    name: string,
    window: Window,
    value: number,
    options: SetOptions,
  ): Promise<boolean> {
    const outcome = await answerWithin(store.set(name, window, value, options), timeoutMs)
    circuit.record(outcome)
    return outcome.kind === 'answer'
  }

  function retry(): void {
    if (circuit.isClosed() && !debts.isEmpty()) debts.repay()
    else probe()
  }

  /** Finds out whether the store is back, by a call that changes nothing and nobody waits for. */
  function probe(): void {
    if (!circuit.takeTrial()) return
    answerWithin(store.read(PROBE.name, PROBE.window), timeoutMs).then((outcome) => {
      circuit.record(outcome)
      if (outcome.kind === 'answer') debts.repay()
    })
  }

  /** What is still owed gets a last chance. */
  async function close(): Promise<void> {
    clearInterval(retrying)
    await answerWithin(debts.repay(), CLOSE_MS)
    await store.close()
  }
}
