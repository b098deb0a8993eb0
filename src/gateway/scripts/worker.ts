import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { Log } from '#kernel'
import { type FailureCode, type HostCall, ScriptFailure, type ScriptSource } from './engine.ts'

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

interface Owner {
  readonly log: Log
  ready(): void
  /** A question of the script that runs. */
  readonly answer: HostCall
  done(text: string): void
  failed(failure: ScriptFailure): void
  /** It has ended, whatever it did. */
  ended(): void
}

export type ScriptWorker = ReturnType<typeof openScriptWorker>

/** One thread that runs one script at a time. */
export function openScriptWorker(owner: Owner) {
  const signal = new SharedArrayBuffer(4)
  const channel = new MessageChannel()
  const settings: WorkerSettings = { answers: channel.port2, signal }
  const entry = new URL(import.meta.resolve('#gateway-script-thread'))
  const worker = new Worker(entry, {
    name: 'gateway-scripts',
    workerData: settings,
    transferList: [channel.port2],
    env: {},
  })
  worker.on('message', receive)
  worker.on('error', (error) => owner.log.error({ err: error }, 'the worker for scripts failed'))
  worker.on('exit', () => {
    channel.port1.close()
    owner.ended()
  })
  worker.unref()
  channel.port1.unref()
  return {
    run: (message: RunMessage) => worker.postMessage(message),
    end: () => worker.terminate(),
  }

  function receive(message: WorkerMessage): void {
    if (message.type === 'ready') owner.ready()
    else if (message.type === 'ask') answer(message.operation, message.a, message.b)
    else if (message.type === 'done') owner.done(message.text)
    else owner.failed(new ScriptFailure(message.code, message.message, message.trace))
  }

  function answer(operation: string, a: string, b: string): void {
    channel.port1.postMessage(owner.answer(operation, a, b))
    const flag = new Int32Array(signal)
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
  }
}
