import { type Failures, type Log, supervise, type Thread } from '#kernel'
import { openMemory, sharedBytes } from './memory.ts'
import type {
  ConfigChange,
  ConfigObject,
  ExplainRequest,
  Explanation,
  FromThread,
  ThreadData,
  ThreadMetrics,
  ToThread,
} from './protocol.ts'

interface Deps {
  readonly threads: number
  readonly data: Omit<ThreadData, 'name' | 'lane' | 'memory'>
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

interface Asked {
  readonly answers: ThreadMetrics[]
  missing: number
  resolve(): void
}

const SILENT_AFTER_MS = 2_000
const ANSWER_WITHIN_MS = 1_000

/**
 * The control plane of the gateway: holds the current configuration and brings it to every gateway
 * thread. `publish` answers when all threads use the change; a thread that stays silent is replaced,
 * so after the answer no request meets the old configuration.
 */
export function createControl({ threads, data, failures, log, onThreadEnd }: Deps) {
  const shared = new SharedArrayBuffer(sharedBytes(threads))
  const memory = openMemory(shared)
  const objects = new Map<string, ConfigObject>()
  let revision = 0
  let lastAsk = 0
  const waiting = new Set<Waiting>()
  const asked = new Map<number, Asked>()
  const explaining = new Map<number, (explanation: Explanation) => void>()
  const crew = Array.from({ length: threads }, (_, index) => {
    const name = `gateway-${index + 1}`
    return {
      name,
      supervised: supervise(
        {
          name,
          entry: new URL(import.meta.resolve('#gateway-thread')),
          data: () => ({
            workerData: { ...data, name, lane: index, memory: shared },
            transfer: [],
          }),
          onMessage: receive,
          onEnd: (threadId) => {
            memory.clearLane(index)
            onThreadEnd?.(threadId)
          },
        },
        { failures, log },
      ),
    }
  })

  return { load, start, stop, publish, status, metrics, explain, memory }

  /** What the threads start with; they ask for it before they listen. */
  function load(changes: readonly ConfigChange[]): void {
    revision++
    for (const change of changes) remember(change)
  }

  async function start(): Promise<void> {
    await Promise.all(crew.map(({ supervised }) => supervised.start()))
  }

  async function stop(withinMs: number): Promise<void> {
    await Promise.all(crew.map(({ supervised }) => supervised.stop(withinMs)))
  }

  function status() {
    return {
      revision,
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
        timer: setTimeout(() => replaceSilent(entry), SILENT_AFTER_MS),
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
    if (message.type === 'gap') {
      thread.post(full())
      return
    }
    if (message.type === 'explained') {
      explaining.get(message.ask)?.(message.explanation)
      return
    }
    if (message.type === 'metrics') {
      const ask = asked.get(message.ask)
      ask?.answers.push(message.metrics)
      if (ask && --ask.missing === 0) ask.resolve()
      return
    }
    for (const entry of waiting) {
      if (message.revision < entry.revision) continue
      entry.missing.delete(thread.name)
      if (entry.missing.size === 0) entry.resolve()
    }
  }

  function full(): ToThread {
    return { type: 'full', revision, objects: [...objects.values()] }
  }

  /** What the threads have counted; one that does not answer in time is left out. */
  function metrics(): Promise<readonly ThreadMetrics[]> {
    const running = crew.flatMap(({ supervised }) => supervised.thread() ?? [])
    const ask = ++lastAsk
    return new Promise((resolve) => {
      const answers: ThreadMetrics[] = []
      const done = () => {
        clearTimeout(timer)
        asked.delete(ask)
        resolve(answers)
      }
      const timer = setTimeout(done, ANSWER_WITHIN_MS)
      asked.set(ask, { answers, missing: running.length, resolve: done })
      for (const thread of running) thread.post({ type: 'metrics', ask } satisfies ToThread)
      if (running.length === 0) done()
    })
  }

  /** What a thread would do with a request; undefined when none answers. */
  function explain(request: ExplainRequest): Promise<Explanation | undefined> {
    const [thread] = crew.flatMap(({ supervised }) => supervised.thread() ?? [])
    const ask = ++lastAsk
    return new Promise((resolve) => {
      const done = (explanation?: Explanation) => {
        clearTimeout(timer)
        explaining.delete(ask)
        resolve(explanation)
      }
      const timer = setTimeout(done, ANSWER_WITHIN_MS)
      explaining.set(ask, done)
      if (thread) thread.post({ type: 'explain', ask, request } satisfies ToThread)
      else done()
    })
  }

  function replaceSilent(entry: Waiting) {
    for (const { name, supervised } of crew) {
      if (!entry.missing.has(name)) continue
      // Its successor asks for the configuration, acknowledges it, and so completes the entry.
      void supervised.replace('did not acknowledge a configuration change')
    }
  }
}

export type GatewayControl = ReturnType<typeof createControl>
