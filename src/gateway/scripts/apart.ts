import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { Log } from '#kernel-thread'
import { unavailable } from '#kernel-thread'
import { type FailureCode, type HostCall, ScriptFailure, type ScriptSource } from './engine.ts'
import type { Script } from './sandboxes.ts'

/** To the worker. The source goes along when the worker may not have it. */
export interface RunMessage {
  readonly script: number
  readonly source: ScriptSource
  readonly scope: string
  readonly limitMs: number
}

/** From the worker: a question to the host, or the end of a call. */
export type WorkerMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'ask'; readonly operation: string; readonly a: string; readonly b: string }
  | { readonly type: 'done'; readonly text: string }
  | {
      readonly type: 'failed'
      readonly code: FailureCode
      readonly message: string
      readonly trace: string
    }

export interface WorkerSettings {
  /** Answers to questions; the worker waits on `signal` for them. */
  readonly answers: MessagePort
  readonly signal: SharedArrayBuffer
}

interface Call {
  readonly message: RunMessage
  readonly host: HostCall
  resolve(text: string): void
  reject(error: unknown): void
}

/** More waiting calls than these are refused: they would be answered when nobody waits any more. */
const MAX_WAITING = 256
/** The worker ends a script itself; this is for a worker that does not. */
const GRACE_MS = 6_000

/** Scripts with long limits, one at a time in a worker. Routes take turns, however much each asks. */
export function createApart({ log }: { readonly log: Log }) {
  const numbers = new WeakMap<Script, number>()
  /** By route; the first one has its turn next. */
  const queues = new Map<string, Call[]>()
  const signal = new SharedArrayBuffer(4)
  let worker: Worker | null = null
  let answers: MessagePort | null = null
  let isReady = false
  let current: Call | null = null
  let timer: NodeJS.Timeout | undefined
  let waiting = 0
  let scripts = 0
  return { run, start: warmUp, close }

  /** So that the first call need not wait for the worker. */
  function warmUp(): void {
    if (!worker) start()
  }

  function run(script: Script, scope: string, host: HostCall, limitMs: number): Promise<string> {
    if (waiting >= MAX_WAITING) {
      return Promise.reject(unavailable('scripts_busy', 'too many scripts are waiting'))
    }
    const message = { script: numberOf(script), source: script.source, scope, limitMs }
    return new Promise((resolve, reject) => {
      const queue = queues.get(scope) ?? []
      queues.set(scope, queue)
      queue.push({ message, host, resolve, reject })
      waiting++
      next()
    })
  }

  function numberOf(script: Script): number {
    const known = numbers.get(script) ?? ++scripts
    numbers.set(script, known)
    return known
  }

  function next() {
    if (current) return
    const [turn] = queues
    if (!turn) return
    if (!worker) start()
    if (!isReady) return
    const [scope, queue] = turn
    queues.delete(scope)
    const call = queue.shift()
    if (queue.length > 0) queues.set(scope, queue)
    if (!call) return next()
    waiting--
    current = call
    timer = setTimeout(overdue, call.message.limitMs + GRACE_MS)
    worker?.postMessage(call.message)
  }

  function start(): void {
    const channel = new MessageChannel()
    const settings: WorkerSettings = { answers: channel.port2, signal }
    const entry = new URL(import.meta.resolve('#gateway-script-thread'))
    const started = new Worker(entry, {
      name: 'gateway-scripts',
      workerData: settings,
      transferList: [channel.port2],
      env: {},
    })
    worker = started
    answers = channel.port1
    isReady = false
    started.on('message', (message: WorkerMessage) => receive(message))
    started.on('error', (error) => log.error({ err: error }, 'the worker for scripts failed'))
    started.on('exit', () => {
      channel.port1.close()
      if (worker === started) ended()
    })
    started.unref()
    channel.port1.unref()
  }

  function receive(message: WorkerMessage) {
    switch (message.type) {
      case 'ready':
        isReady = true
        return next()
      case 'ask':
        return answer(message.operation, message.a, message.b)
      case 'done':
        return settle((call) => call.resolve(message.text))
      case 'failed':
        return settle((call) =>
          call.reject(new ScriptFailure(message.code, message.message, message.trace)),
        )
    }
  }

  function answer(operation: string, a: string, b: string): void {
    answers?.postMessage(current?.host(operation, a, b))
    const flag = new Int32Array(signal)
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
  }

  function settle(finish: (call: Call) => void): void {
    clearTimeout(timer)
    const call = current
    current = null
    if (call) finish(call)
    next()
  }

  function overdue(): void {
    const old = worker
    ended()
    void old?.terminate()
  }

  /** What was under way has failed; what waits goes to the next worker. */
  function ended(): void {
    worker = null
    // One that cannot even begin would be started again and again.
    if (!isReady) refuseAll()
    isReady = false
    settle((call) => call.reject(new ScriptFailure('script_timeout', 'took too long')))
  }

  function refuseAll(): void {
    const all = [...queues.values()].flat()
    queues.clear()
    waiting = 0
    for (const call of all)
      call.reject(unavailable('scripts_unavailable', 'scripts cannot run now'))
  }

  async function close(): Promise<void> {
    const old = worker
    worker = null
    await old?.terminate()
  }
}
