import type { MessagePort } from 'node:worker_threads'
import { StorageError } from './errors.ts'
import { DEADLINE_TEXT, type Reply, type Request } from './protocol.ts'

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never
export type Unsent = WithoutId<Request>
type Ask = Extract<Unsent, { op: 'ask' }>
type Rows = Extract<Reply, { rows: unknown }>
type Told = Extract<Reply, { told: unknown }>
type Answer = Exclude<Reply, { error: unknown }>

interface SendOptions {
  /** Absent: may take as long as it takes. */
  readonly timeoutMs?: number
  /** May be asked again of the thread that replaces this one. */
  readonly repeatable?: boolean
}

interface Pending extends SendOptions {
  readonly request: Request
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** A SQL function ends a scan at its deadline; only a query without it needs the thread replaced. */
const GRACE_MS = 500

/** Requests and answers over one message port to one storage thread. */
export function createLane(first: MessagePort, onStuck: () => void) {
  const pending = new Map<number, Pending>()
  let port = first
  let lastId = 0
  let timer: NodeJS.Timeout | undefined
  listen()

  return {
    send,
    ask,
    replace,
    port: () => port,
    get inFlight() {
      return pending.size
    },
  }

  async function send(unsent: Unsent, options: SendOptions = {}): Promise<Rows> {
    const answer = await post(unsent, options)
    if ('rows' in answer) return answer
    throw new Error('a storage thread answered another question')
  }

  async function ask(unsent: Ask, options: SendOptions): Promise<Told> {
    const answer = await post(unsent, options)
    if ('told' in answer) return answer
    throw new Error('a storage thread answered another question')
  }

  function post(unsent: Unsent, options: SendOptions): Promise<Answer> {
    const request = { ...unsent, id: ++lastId } as Request
    return new Promise((resolve, reject) => {
      pending.set(request.id, { ...options, request, resolve, reject })
      port.postMessage(request)
      if (pending.size > 1) return
      port.ref()
      watchOldest()
    })
  }

  /** The thread works in order, so only the oldest request's time is running. */
  function watchOldest() {
    clearTimeout(timer)
    const [oldest] = pending.values()
    if (oldest?.timeoutMs === undefined) return
    timer = setTimeout(() => {
      pending.delete(oldest.request.id)
      oldest.reject(new StorageError('query_timeout', 'The query took too long'))
      onStuck()
    }, oldest.timeoutMs + GRACE_MS)
  }

  function listen() {
    const own = port
    own.on('message', (reply: Reply) => {
      const waiting = pending.get(reply.id)
      if (!waiting) return
      pending.delete(reply.id)
      watchOldest()
      if (pending.size === 0) own.unref()
      if ('error' in reply) waiting.reject(toError(reply.error))
      else waiting.resolve(reply)
    })
    own.on('close', () => {
      if (own === port) loseAll()
    })
    own.unref()
  }

  /** The thread is gone. A read is asked again of its successor, a write may have happened. */
  function loseAll() {
    clearTimeout(timer)
    for (const [id, waiting] of pending) {
      if (waiting.repeatable) continue
      pending.delete(id)
      waiting.reject(new StorageError('storage_lost', 'The storage thread ended unexpectedly'))
    }
  }

  function replace(next: MessagePort) {
    const old = port
    port = next
    old.close()
    loseAll()
    listen()
    if (pending.size > 0) port.ref()
    for (const { request } of pending.values()) port.postMessage(request)
    watchOldest()
  }
}

export type Lane = ReturnType<typeof createLane>

function toError(error: { message: string; code: string; errcode: number }): StorageError {
  if (error.message.includes(DEADLINE_TEXT)) {
    return new StorageError('query_timeout', 'The query took too long')
  }
  return new StorageError(error.code, error.message, error.errcode)
}
