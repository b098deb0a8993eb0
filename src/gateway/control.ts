import { randomInt } from 'node:crypto'
import type { AccessAnswer, AccessQuestion, Changed } from '#access-thread'
import type { MainBus } from '#bus'
import type { Log } from '#kernel'
import { type Failures, supervise, type Thread } from '#threads'
import { openMemory, sharedBytes } from './memory.ts'
import type {
  Abort,
  CallAnswer,
  CallRequest,
  ConfigChange,
  ConfigObject,
  ExplainRequest,
  Explanation,
  FromThread,
  Purge,
  ScriptTest,
  ScriptTestOutcome,
  ThreadData,
  ThreadLimits,
  ThreadMetrics,
  ToThread,
} from './protocol.ts'
import { createRounds } from './rounds.ts'

/** Answers what a thread cannot know; never rejects. */
export type AnswerAccess = (question: AccessQuestion) => Promise<AccessAnswer>

/** Makes the calls of threads; never rejects. */
type AnswerCall = (request: CallRequest) => Promise<CallAnswer>

interface Deps {
  readonly threads: number
  readonly data: Omit<ThreadData, 'name' | 'threadNo' | 'memory' | 'bus'>
  readonly connectBus: MainBus['connect']
  readonly failures: Failures
  readonly log: Log
  /** A thread has ended for good: what it held in shared memory must be freed. */
  onThreadEnd?(threadId: number): void
}

interface Waiting {
  readonly revision: number
  readonly missing: Set<string>
  readonly timer: NodeJS.Timeout
  resolve(): void
}

const SILENT_AFTER_MS = 2_000
/** After a thread has said that it is at work: it opens the engine of scripts, or compiles much at once. */
const PREPARED_WITHIN_MS = 30_000
const ANSWER_WITHIN_MS = 1_000
/** The start of a worker and the longest limit of a script. */
const SCRIPT_WITHIN_MS = 20_000

/**
 * The control plane of the gateway: holds the current configuration and brings it to every gateway
 * thread. `publish` answers when all threads use the change; a thread that stays silent is replaced,
 * so after the answer no request meets the old configuration.
 */
export function createControl(deps: Deps) {
  const { threads, data, connectBus, failures, log, onThreadEnd } = deps
  const shared = new SharedArrayBuffer(sharedBytes(threads))
  const memory = openMemory(shared)
  memory.beginGeneration(randomInt(2 ** 31))
  const objects = new Map<string, ConfigObject>()
  let isStopping = false
  let revision = 0
  let { limits } = data
  const waiting = new Set<Waiting>()
  /** Until when a thread may be silent, by its name: of itself, whichever change it was at work on, and of no other. */
  const patience = new Map<string, number>()
  const figures = createRounds<ThreadMetrics>({ withinMs: ANSWER_WITHIN_MS })
  const explanations = createRounds<Explanation>({ withinMs: ANSWER_WITHIN_MS })
  const scriptTests = createRounds<ScriptTestOutcome>({ withinMs: SCRIPT_WITHIN_MS })
  const forgetting = createRounds<null>({ withinMs: SILENT_AFTER_MS, onSilent: replaceAll })
  const purges = createRounds<number>({ withinMs: SILENT_AFTER_MS, onSilent: replaceAll })
  let callWith: AnswerCall = async () => ({ ok: false })
  /** Threads may ask before the part that answers is built. */
  const { promise: answering, resolve: answerWith } = Promise.withResolvers<AnswerAccess>()
  let onAbort: (abort: Abort) => void = () => {}
  const crew = Array.from({ length: threads }, (_, index) => {
    const name = `gateway-${index + 1}`
    return {
      name,
      /** Has got a configuration, so it may listen at any moment, ready or not. */
      mayServe: false,
      supervised: supervise(
        {
          name,
          entry: new URL(import.meta.resolve('#gateway-thread')),
          data: () => {
            const bus = connectBus()
            const workerData = { ...data, limits, bus, name, threadNo: index, memory: shared }
            return { workerData, transfer: [bus] }
          },
          onMessage: receive,
          onEnd: (threadId) => {
            const member = crew[index]
            if (member) member.mayServe = false
            memory.clearThread(index)
            patience.delete(name)
            forgetting.leave(name)
            purges.leave(name)
            onThreadEnd?.(threadId)
          },
        },
        { failures, log },
      ),
    }
  })

  return {
    load,
    start,
    stop,
    publish,
    status,
    metrics,
    explain,
    testScript,
    memory,
    answerWith,
    forget,
    purge,
    setLimits,
    /** Who is told when a guard has tripped. */
    tellAborts: (listener: typeof onAbort) => {
      onAbort = listener
    },
    makeCallsWith: (call: AnswerCall) => {
      callWith = call
    },
  }

  /** What the threads start with; they ask for it before they listen. */
  function load(changes: readonly ConfigChange[]): void {
    revision++
    for (const change of changes) remember(change)
  }

  async function start(): Promise<void> {
    await Promise.all(crew.map(({ supervised }) => supervised.start()))
  }

  async function stop(withinMs: number): Promise<void> {
    isStopping = true
    await Promise.all(crew.map(({ supervised }) => supervised.stop(withinMs)))
  }

  function status() {
    return {
      revision,
      isStopping,
      threads: crew.length,
      listening: crew.filter(({ supervised }) => supervised.isReady).length,
      restarts: crew.reduce((sum, { supervised }) => sum + supervised.restarts, 0),
    }
  }

  /** Resolves with the new revision once every thread of this process uses it. */
  function publish(changes: readonly ConfigChange[]): Promise<number> {
    const from = revision
    const to = from + 1
    revision = to
    for (const change of changes) remember(change)
    const message: ToThread = { type: 'delta', from, to, changes }
    for (const { supervised } of crew) supervised.thread()?.post(message)
    return acknowledged(to)
  }

  function remember(change: ConfigChange) {
    if ('put' in change) objects.set(`${change.put.kind}/${change.put.id}`, change.put)
    else objects.delete(`${change.remove.kind}/${change.remove.id}`)
  }

  function acknowledged(revision: number): Promise<number> {
    return new Promise((resolve) => {
      const entry: Waiting = {
        revision,
        missing: new Set(crew.map(({ name }) => name)),
        // After what has come meanwhile is heard: this thread may be the one that was held up.
        timer: setTimeout(() => setImmediate(replaceSilent, entry), SILENT_AFTER_MS),
        resolve: () => {
          clearTimeout(entry.timer)
          waiting.delete(entry)
          resolve(revision)
        },
      }
      waiting.add(entry)
      if (entry.missing.size === 0) entry.resolve()
    })
  }

  function receive(message: FromThread, thread: Thread) {
    switch (message.type) {
      case 'gap':
        return configure(thread)
      case 'explained':
        return explanations.answer(message.ask, thread.name, message.explanation)
      case 'scripted':
        return scriptTests.answer(message.ask, thread.name, message.outcome)
      case 'metrics':
        return figures.answer(message.ask, thread.name, message.metrics)
      case 'forgotten':
        return forgetting.answer(message.ask, thread.name, null)
      case 'question':
        return void answerThread(message.ask, message.question, thread)
      case 'abort':
        return onAbort(message.abort)
      case 'call':
        return void callFor(message.ask, message.request, thread)
      case 'purged':
        return purges.answer(message.ask, thread.name, message.count)
      case 'ack':
        // What comes next it may have begun only now.
        bearWith(thread, SILENT_AFTER_MS)
        return acknowledge(message.revision, thread)
      case 'preparing':
        return bearWith(thread, PREPARED_WITHIN_MS)
    }
  }

  function configure(thread: Thread) {
    const member = crew.find(({ name }) => name === thread.name)
    if (member) member.mayServe = true
    thread.post(full())
  }

  function acknowledge(revision: number, thread: Thread) {
    for (const entry of waiting) {
      if (revision < entry.revision) continue
      entry.missing.delete(thread.name)
      if (entry.missing.size === 0) entry.resolve()
    }
  }

  function bearWith({ name }: Thread, ms: number) {
    patience.set(name, performance.now() + ms)
  }

  async function answerThread(ask: number, question: AccessQuestion, thread: Thread) {
    const answer = await (await answering)(question)
    thread.post({ type: 'answer', ask, answer } satisfies ToThread)
  }

  async function callFor(ask: number, request: CallRequest, thread: Thread) {
    const answer = await callWith(request)
    thread.post({ type: 'called', ask, answer } satisfies ToThread)
  }

  function full(): ToThread {
    return { type: 'full', revision, objects: [...objects.values()] }
  }

  function running(): readonly Thread[] {
    return crew.flatMap(({ supervised }) => supervised.thread() ?? [])
  }

  /** What the threads have counted; one that does not answer in time is left out. */
  function metrics(): Promise<readonly ThreadMetrics[]> {
    const threads = running()
    return figures.ask(namesOf(threads), (ask) => {
      for (const thread of threads) thread.post({ type: 'metrics', ask } satisfies ToThread)
    })
  }

  /** What a thread would do with a request; undefined when none answers. */
  async function explain(request: ExplainRequest): Promise<Explanation | undefined> {
    const threads = running().slice(0, 1)
    const [explanation] = await explanations.ask(namesOf(threads), (ask) => {
      for (const thread of threads)
        thread.post({ type: 'explain', ask, request } satisfies ToThread)
    })
    return explanation
  }

  /** Tries a script apart from the traffic; undefined when no thread answers. */
  async function testScript(test: ScriptTest): Promise<ScriptTestOutcome | undefined> {
    const threads = running().slice(0, 1)
    const [outcome] = await scriptTests.ask(namesOf(threads), (ask) => {
      for (const thread of threads) thread.post({ type: 'script', ask, test } satisfies ToThread)
    })
    return outcome
  }

  /** Resolves when no thread goes by what it knew of these keys, users and plans. */
  async function forget(changed: Changed): Promise<void> {
    // One that cannot listen yet remembers nothing, and takes long to begin.
    const serving = crew.filter(({ mayServe }) => mayServe)
    await forgetting.ask(namesOf(serving), (ask) => {
      for (const thread of running())
        thread.post({ type: 'forget', ask, changed } satisfies ToThread)
    })
  }

  /** Resolves with how many answers were dropped, when no thread gives one of them any more. */
  async function purge(purge: Purge): Promise<number> {
    const serving = crew.filter(({ mayServe }) => mayServe)
    const counts = await purges.ask(namesOf(serving), (ask) => {
      for (const thread of running()) thread.post({ type: 'purge', ask, purge } satisfies ToThread)
    })
    return counts.reduce((sum, count) => sum + count, 0)
  }

  function setLimits(next: ThreadLimits): void {
    limits = next
    for (const thread of running()) thread.post({ type: 'limits', limits } satisfies ToThread)
  }

  function replaceAll(names: ReadonlySet<string>) {
    for (const { name, supervised } of crew) {
      if (names.has(name)) supervised.replace('did not acknowledge what it has to forget')
    }
  }

  function replaceSilent(entry: Waiting) {
    if (isStopping || !waiting.has(entry)) return
    const now = performance.now()
    for (const { name, supervised } of crew) {
      if (!entry.missing.has(name) || now < (patience.get(name) ?? 0)) continue
      // Its successor asks for the configuration, acknowledges it, and so completes the entry.
      supervised.replace('did not acknowledge a configuration change')
    }
    // One that was starting or at work until now may be silent later.
    entry.timer.refresh()
  }
}

export type GatewayControl = ReturnType<typeof createControl>

function namesOf(threads: readonly { readonly name: string }[]): string[] {
  return threads.map(({ name }) => name)
}
