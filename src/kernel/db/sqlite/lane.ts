import type { MessagePort } from 'node:worker_threads'
import { StorageError } from './errors.ts'
import { DEADLINE_TEXT, type Reply, type Request } from './protocol.ts'

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never
export type Unsent = WithoutId<Request>
type Rows = Extract<Reply, { rows: unknown }>

interface SendOptions {
  readonly timeoutMs?: number
  readonly onTimeout?: () => void
  /** May be asked again of the thread that replaces this one. */
  readonly repeatable?: boolean
}

interface Pending {
  readonly request: Request
  readonly repeatable: boolean
  resolve(rows: Rows): void
  reject(error: Error): void
}

/** A SQL function ends a scan at its deadline; only a query without it needs the thread replaced. */
const GRACE_MS = 500

/** Requests and answers over one message port to one storage thread. */
export function createLane(first: MessagePort) {
  const pending = new Map<number, Pending>()
  let port = first
  let lastId = 0
  listen()

  return {
    send,
    replace,
    port: () => port,
    get inFlight() {
      return pending.size
    },
  }

  function send(unsent: Unsent, options: SendOptions = {}): Promise<Rows> {
    const request = { ...unsent, id: ++lastId } as Request
    return new Promise((resolve, reject) => {
      const timer = startTimer(request.id, options)
      pending.set(request.id, {
        request,
        repeatable: options.repeatable ?? false,
        resolve: (rows) => {
          clearTimeout(timer)
          resolve(rows)
        },
        reject: (error) => {
          clearTimeout(timer)
          reject(error)
        },
      })
      if (pending.size === 1) port.ref()
      port.postMessage(request)
    })
  }

  function startTimer(id: number, { timeoutMs, onTimeout }: SendOptions) {
    if (timeoutMs === undefined) return undefined
    return setTimeout(() => {
      settle(id)?.reject(new StorageError('query_timeout', 'The query took too long'))
      onTimeout?.()
    }, timeoutMs + GRACE_MS)
  }

  function settle(id: number): Pending | undefined {
    const found = pending.get(id)
    pending.delete(id)
    if (pending.size === 0) port.unref()
    return found
  }

  function listen() {
    const own = port
    own.on('message', (reply: Reply) => {
      const waiting = settle(reply.id)
      if (!waiting) return
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
  }
}

export type Lane = ReturnType<typeof createLane>

function toError(error: { message: string; code: string; errcode: number }): StorageError {
  if (error.message.includes(DEADLINE_TEXT)) {
    return new StorageError('query_timeout', 'The query took too long')
  }
  return new StorageError(error.code, error.message, error.errcode)
}
