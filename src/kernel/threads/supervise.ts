import { type Transferable, Worker } from 'node:worker_threads'
import type { Log } from '../log.ts'
import type { Failures } from './failures.ts'

/** `Message` is what the thread's own code sends; both sides are ours and change together. */
export interface ThreadSpec<Message> {
  readonly name: string
  readonly entry: URL
  /** Called for every start, because ports can be transferred only once. */
  data(): { readonly workerData: unknown; readonly transfer: readonly Transferable[] }
  onMessage(message: Message, thread: Thread): void
  /** After the old thread has ended for good and before its successor starts. */
  onEnd?(threadId: number): void
  /** A thread that is not ready by then is ended, and its start has failed. */
  readonly readyWithinMs?: number
}

export interface Thread {
  readonly name: string
  readonly threadId: number
  post(message: unknown, transfer?: readonly Transferable[]): void
}

interface Deps {
  readonly failures: Failures
  readonly log: Log
}

/** Messages every supervised thread understands or sends. */
export const READY = 'thread:ready'
export const STOP = 'thread:stop'

/** Loading the code takes a second; on a machine that has much else to do, many. */
const READY_WITHIN_MS = 60_000

/**
 * Keeps one thread alive: a thread that dies is started again until `failures` gives up. There is
 * never more than one worker: a successor is launched in one place, after its predecessor has ended
 * and with it all that it listened on.
 */
export function supervise<Message>(spec: ThreadSpec<Message>, { failures, log }: Deps) {
  let worker: Worker | undefined
  let isReady = false
  /** The current worker was told to end; whatever it still says is not heard. */
  let isCondemned = false
  let stopping = false
  let restarts = 0
  let waiting: NodeJS.Timeout | undefined

  return {
    start,
    stop,
    replace,
    thread,
    get restarts() {
      return restarts
    },
    /** Whether there is a thread that has said so and lives. */
    get isReady() {
      return isReady
    },
  }

  /** Resolves when the thread says it is ready; rejects when it dies before. */
  function start(): Promise<void> {
    return new Promise((resolve, reject) => launch(resolve, reject))
  }

  function thread(): Thread | undefined {
    return worker && !isCondemned ? toThread(worker) : undefined
  }

  function toThread(own: Worker): Thread {
    return {
      name: spec.name,
      threadId: own.threadId,
      post: (message, transfer = []) => own.postMessage(message, transfer),
    }
  }

  /** `failed` is told when the thread ends before it was ready; an end later has a successor. */
  function launch(ready: () => void, failed: (error: Error) => void): void {
    const { workerData, transfer } = spec.data()
    const own = new Worker(spec.entry, {
      workerData,
      transferList: [...transfer],
      name: spec.name,
    })
    // A worker that has ended reports thread id -1, and the counters' locks are known by the id.
    const { threadId } = own
    const handle = toThread(own)
    const { readyWithinMs = READY_WITHIN_MS } = spec
    let cause: Error | undefined
    let wasReady = false
    worker = own
    isReady = false
    isCondemned = false
    const late = setTimeout(() => {
      cause = new Error(`${spec.name} was not ready within ${readyWithinMs} ms`)
      condemn(own)
    }, readyWithinMs)
    own.on('message', (message: typeof READY | Message) => {
      if (isCondemned) return
      if (message !== READY) return spec.onMessage(message, handle)
      clearTimeout(late)
      isReady = true
      wasReady = true
      ready()
    })
    own.on('error', (error) => {
      cause = error instanceof Error ? error : new Error(String(error))
    })
    own.on('exit', (code) => {
      clearTimeout(late)
      // A dead thread left here would be waited for when all is stopped, for ever.
      worker = undefined
      isReady = false
      spec.onEnd?.(threadId)
      const error = cause ?? new Error(`ended with code ${code}`)
      if (!wasReady) failed(error)
      else if (!stopping) succeed(isCondemned ? 0 : failures.note(spec.name, error))
    })
  }

  function condemn(own: Worker): void {
    isCondemned = true
    isReady = false
    void own.terminate()
  }

  function succeed(waitMs: number | undefined): void {
    if (waitMs === undefined) return
    restarts++
    waiting = setTimeout(relaunch, waitMs)
  }

  function relaunch(): void {
    try {
      launch(() => {}, startFailed)
    } catch (error) {
      startFailed(error instanceof Error ? error : new Error(String(error)))
    }
  }

  function startFailed(error: Error): void {
    if (!stopping) succeed(failures.note(spec.name, error))
  }

  /**
   * Ends a thread that no longer answers; its successor follows. One that is still starting is not
   * silent: ending it would only make everybody wait for another start.
   */
  function replace(reason: string): void {
    if (stopping || !worker || !isReady) return
    log.error({ thread: spec.name, reason }, 'a thread is replaced')
    condemn(worker)
  }

  /** Asks the thread to finish what it does; after `withinMs` it is ended. */
  async function stop(withinMs: number): Promise<void> {
    stopping = true
    clearTimeout(waiting)
    const own = worker
    if (!own) return
    const ended = new Promise((resolve) => own.once('exit', resolve))
    own.postMessage(STOP)
    const timer = setTimeout(() => void own.terminate(), withinMs)
    await ended
    clearTimeout(timer)
  }
}
