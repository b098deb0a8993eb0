import type { Clock } from '../clock.ts'
import { DomainError } from '../errors.ts'
import type { Log } from '../log.ts'
import { answerWithin, createCircuit } from './circuit.ts'
import { createDebts, type Repayment } from './debts.ts'
import type { CounterAnswer, CounterStep, Counters, SetOptions, Window } from './port.ts'
import type { SharedCounters } from './shared-memory.ts'
import { checkCounter, checkSteps, createWindows } from './window.ts'

/** What happens to a request while the store is away (access contract §4). */
export type StoreFailurePolicy = 'local' | 'open' | 'closed'

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

/** A decision of this node; `counted` are the amounts it now owes, by the index of their step. */
interface Decision {
  readonly answer: CounterAnswer | DomainError
  readonly counted: ReadonlyMap<number, Repayment>
}

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
  const windows = createWindows()
  const retrying = setInterval(retry, RETRY_MS).unref()
  return { add, read, set, close }

  async function add(steps: readonly CounterStep[]): Promise<CounterAnswer> {
    checkSteps(steps)
    if (!circuit.isClosed()) {
      probe()
      return answerOf(decideHere(steps, false))
    }
    const repayments = debts.take(steps)
    const allSteps = [...repayments.map(({ step }) => step), ...steps]
    const call = store.add(allSteps)
    const outcome = await answerWithin(call, timeoutMs)
    circuit.record(outcome)
    if (outcome.kind === 'answer') return accept(allSteps, repayments, outcome.value)
    if (outcome.kind === 'error') {
      debts.settle(repayments, undefined)
      return answerOf(decideHere(steps, false))
    }
    const decision = decideHere(steps, true)
    settleLate(steps, repayments, decision, call)
    return answerOf(decision)
  }

  /** Of the store's answer the caller sees only the part about its own steps. */
  function accept(
    allSteps: readonly CounterStep[],
    repayments: readonly Repayment[],
    answer: CounterAnswer,
  ): CounterAnswer {
    debts.seen(allSteps, answer)
    debts.settle(repayments, answer)
    if (!debts.isEmpty()) debts.repay()
    return { ...answer, results: answer.results.slice(repayments.length) }
  }

  function decideHere(steps: readonly CounterStep[], sent: boolean): Decision {
    const how = policy()
    if (how === 'closed') return { answer: limitsUnavailable(), counted: new Map() }
    try {
      const answer = local.mirror.add(how === 'open' ? steps.map(withoutLimit) : steps, sent)
      const counted = countedIn(steps, answer)
      if (!sent) for (const { step } of counted.values()) debts.note(step)
      return { answer, counted }
    } catch (error) {
      // The table of this node is full: what cannot be counted can be let through or refused.
      const answer = how === 'open' ? letThrough(steps) : limitsUnavailable(error)
      return { answer, counted: new Map() }
    }
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
        const late = accept([...repayments.map(({ step }) => step), ...steps], repayments, answer)
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

  function letThrough(steps: readonly CounterStep[]): CounterAnswer {
    const nowMs = clock.now()
    const results = steps.map(({ name, window, amount }) => ({
      name,
      allowed: true,
      value: amount,
      endsAtMs: windows.endOf(window, nowMs),
    }))
    return { results, allowed: true, missing: null, nowMs }
  }
}

function answerOf({ answer }: Decision): CounterAnswer {
  if (answer instanceof DomainError) throw answer
  return answer
}

/** The steps that stayed counted, by their index. */
function countedIn(steps: readonly CounterStep[], answer: CounterAnswer): Map<number, Repayment> {
  const counted = new Map<number, Repayment>()
  answer.results.forEach(({ name, endsAtMs }, index) => {
    const step = steps[index]
    if (!step || step.amount === 0 || !(answer.allowed || step.keepRefused)) return
    counted.set(index, { owed: { name, amount: step.amount, endsAtMs }, step })
  })
  return counted
}

function withoutLimit(step: CounterStep): CounterStep {
  return { ...step, limit: null, seeded: false }
}

function limitsUnavailable(cause?: unknown): DomainError {
  return new DomainError(
    'unavailable',
    'limits_unavailable',
    'Limits cannot be checked at the moment',
    { facts: { retry_after: 1 }, cause },
  )
}
