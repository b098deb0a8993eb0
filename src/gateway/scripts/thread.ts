// A worker for scripts whose limit is longer than a gateway thread may be stopped.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { RunMessage, WorkerMessage, WorkerSettings } from './apart.ts'
import { type HostCall, ScriptFailure } from './engine.ts'
import { PLAIN_OPERATIONS } from './host.ts'
import { createSandboxes, type Script } from './sandboxes.ts'

const MAX_SCRIPTS = 256
const ANSWER_WITHIN_MS = 5_000

const { answers, signal }: WorkerSettings = workerData
const flag = new Int32Array(signal)
const sandboxes = createSandboxes()
const scripts = new Map<number, Script>()

parentPort?.on('message', (message: RunMessage) => send(run(message)))
await sandboxes.open()
send({ type: 'ready' })

function run({ script: number, source, scope, limitMs }: RunMessage): WorkerMessage {
  const script = scripts.get(number) ?? { source, image: null }
  scripts.delete(number)
  scripts.set(number, script)
  const [oldest] = scripts.keys()
  if (scripts.size > MAX_SCRIPTS && oldest !== undefined) scripts.delete(oldest)
  try {
    return { type: 'done', text: sandboxes.run(script, scope, ask, limitMs) }
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

function send(message: WorkerMessage): void {
  parentPort?.postMessage(message)
}
