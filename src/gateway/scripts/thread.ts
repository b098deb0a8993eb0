// A worker for scripts that take longer than a gateway thread may be stopped.
import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { type HostCall, ScriptFailure } from './engine.ts'
import { PLAIN_OPERATIONS } from './host.ts'
import { createSandboxes, createScript, type Script } from './sandboxes.ts'
import type { RunMessage, WorkerMessage, WorkerSettings } from './worker.ts'

const MAX_SCRIPTS = 256
const ANSWER_WITHIN_MS = 5_000

const { answers, signal }: WorkerSettings = workerData
const flag = new Int32Array(signal)
const sandboxes = createSandboxes()
const scripts = new Map<number, Script>()

giveWay()
parentPort?.on('message', (message: RunMessage) => send(run(message)))
await sandboxes.open()
send({ type: 'ready' })

function run({ script: number, source, scope, limitMs }: RunMessage): WorkerMessage {
  const script = scripts.get(number) ?? createScript(source)
  scripts.delete(number)
  scripts.set(number, script)
  const [oldest] = scripts.keys()
  if (scripts.size > MAX_SCRIPTS && oldest !== undefined) scripts.delete(oldest)
  // Nobody else waits in this thread: only the limit counts.
  const times = { limitMs, turnMs: Number.POSITIVE_INFINITY }
  try {
    return { type: 'done', text: sandboxes.run(script, scope, ask, times) }
  } catch (error) {
    if (!(error instanceof ScriptFailure)) throw error
    const { code, message, trace } = error
    return { type: 'failed', code, message, trace }
  }
}

/** The script stands still until the gateway's thread has answered. */
function ask(...[operation, a, b]: Parameters<HostCall>): string | undefined {
  const plain = PLAIN_OPERATIONS.get(operation)
  if (plain) return plain(a, b)
  Atomics.store(flag, 0, 0)
  send({ type: 'ask', operation, a, b })
  if (Atomics.wait(flag, 0, 0, ANSWER_WITHIN_MS) === 'timed-out') {
    throw new Error('the gateway did not answer the script')
  }
  const answer: { readonly message?: string } | undefined = receiveMessageOnPort(answers)
  return answer?.message
}

/**
 * Scripts that take long get what the threads that serve others leave. Linux knows priorities of single
 * threads; elsewhere they share as equals.
 */
function giveWay(): void {
  try {
    const [, thread] = /(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? []
    if (thread !== undefined) setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Not permitted here: nothing depends on it but who waits on a busy machine.
  }
}

function send(message: WorkerMessage): void {
  parentPort?.postMessage(message)
}
