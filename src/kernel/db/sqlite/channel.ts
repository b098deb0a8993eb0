import type { MessagePort } from 'node:worker_threads'
import { StorageError } from './errors.ts'
import {
  type AskReply,
  type AskRequest,
  DEADLINE_TEXT,
  type PlanRequest,
  type Replies,
  type Reply,
  type Request,
} from './protocol.ts'

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never
export type Unsent = WithoutId<Request>
type Rows = Extract<Reply, { rows: unknown }>
type Answer = Exclude<Reply, { error: unknown }> | AskReply

interface SendOptions {
  /** Absent: may take as long as it takes. */
  readonly timeoutMs?: number
  /** May be asked again of the thread that replaces this one. */
  readonly repeatable?: boolean
}

type AnyRequest = Request | AskRequest | PlanRequest

interface Pending extends SendOptions {
  readonly id: number
  readonly request: AnyRequest
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** What a channel tells and asks of whoever has several. */
interface Watch {
  /** The thread does not answer in time. */
  onStuck(): void
  /** It answers somebody else, who watches it: what is asked here only waits. */
  isHeldUp(): boolean
}

/** A SQL function ends a scan at its deadline; only a query without it needs the thread replaced. */
const GRACE_MS = 500
/** So many asks or plans leave at once; fewer when the turn of the event loop is over. */
const TOGETHER = 4

/** Requests and answers over one message port to one storage thread. */
export function createChannel(first: MessagePort, { onStuck, isHeldUp }: Watch) {
  const pending = new Map<number, Pending>()
  let port = first
  let lastId = 0
  let timer: NodeJS.Timeout | undefined
  let timerDueMs = 0
  let oldestSinceMs = 0
  let isAway = false
  let unsent: AskRequest[] = []
  let unsentPlans: PlanRequest[] = []
  listen()

  return {
    send,
    sendPlan,
    ask,
    replace,
    port: () => port,
    get inFlight() {
      return pending.size
    },
    /** It is being replaced: what is asked waits for its successor, and its time does not run. */
    get isAway() {
      return isAway
    },
  }

  function send(unsent: Unsent, options: SendOptions = {}): Promise<Rows> {
    return answered({ ...unsent, id: ++lastId } as Request, options)
  }

  function sendPlan(plan: Omit<PlanRequest, 'id'>): Promise<Rows> {
    return answered({ ...plan, id: ++lastId }, {})
  }

  function answered(request: Request | PlanRequest, options: SendOptions): Promise<Rows> {
    return new Promise((resolve, reject) => {
      const take = (answer: Answer) => (isAsked(answer) ? reject(mistaken()) : resolve(answer))
      post({ ...options, id: request.id, request, resolve: take, reject })
    })
  }

  /** Without a promise of its own: every read of a list comes through here. */
  function ask(
    toRequest: (id: number) => AskRequest,
    options: SendOptions,
    resolve: (answer: AskReply) => void,
    reject: (error: Error) => void,
  ): void {
    const id = ++lastId
    const take = (answer: Answer) => (isAsked(answer) ? resolve(answer) : reject(mistaken()))
    post({ ...options, id, request: toRequest(id), resolve: take, reject })
  }

  function post(waiting: Pending): void {
    const { id, request } = waiting
    pending.set(id, waiting)
    if (isAsk(request)) sendSoon(request)
    else if (isPlan(request)) sendPlanSoon(request)
    else {
      // Nothing overtakes what was asked before it.
      sendPlans()
      port.postMessage(request)
    }
    if (pending.size > 1) return
    port.ref()
    watchOldest()
  }

  /** Asks of one turn share a message: each message wakes the other side, which costs as much as a short read. */
  function sendSoon(request: AskRequest): void {
    const count = unsent.push(request)
    if (count === TOGETHER) sendTogether()
    else if (count === 1) setImmediate(sendTogether)
  }

  function sendTogether(): void {
    if (unsent.length === 0) return
    port.postMessage(unsent)
    unsent = []
  }

  /**
   * While others are under way the next few plans share a message, and so in all likelihood a commit. The writer has them while
   * this thread makes those of the other requests of its turn. One that is alone waits for nothing of this thread, which may be busy for long.
   */
  function sendPlanSoon(request: PlanRequest): void {
    const count = unsentPlans.push(request)
    if (pending.size === 1 || count === TOGETHER) sendPlans()
    else if (count === 1) setImmediate(sendPlans)
  }

  function sendPlans(): void {
    if (unsentPlans.length === 0) return
    port.postMessage(unsentPlans)
    unsentPlans = []
  }

  /** The thread works in order, so only the oldest request's time is running. */
  function watchOldest() {
    oldestSinceMs = performance.now()
    awaitOldest()
  }

  /** One timer serves many requests: it is set anew only when the oldest must be over before it. */
  function awaitOldest() {
    const [oldest] = pending.values()
    if (oldest?.timeoutMs === undefined || isAway) return
    const dueMs = oldestSinceMs + oldest.timeoutMs + GRACE_MS
    if (timer !== undefined && dueMs >= timerDueMs) return
    clearTimeout(timer)
    timerDueMs = dueMs
    timer = setTimeout(checkOldest, Math.max(1, dueMs - performance.now())).unref()
  }

  function checkOldest() {
    timer = undefined
    const [oldest] = pending.values()
    if (oldest?.timeoutMs === undefined) return
    if (performance.now() < oldestSinceMs + oldest.timeoutMs + GRACE_MS) {
      awaitOldest()
      return
    }
    if (isHeldUp()) return watchOldest()
    pending.delete(oldest.id)
    oldest.reject(new StorageError('query_stuck', 'The query took too long'))
    isAway = true
    onStuck()
  }

  function listen() {
    const own = port
    own.on('message', (message: Reply | Replies) => {
      for (const reply of 'id' in message ? [message] : message) take(own, reply)
    })
    own.on('close', () => {
      if (own === port) loseAll()
    })
    own.unref()
  }

  function take(own: MessagePort, reply: Reply | AskReply): void {
    const id = isAsked(reply) ? reply[0] : reply.id
    const waiting = pending.get(id)
    if (!waiting) return
    pending.delete(id)
    watchOldest()
    if (pending.size === 0) own.unref()
    if ('error' in reply) waiting.reject(toError(reply.error))
    else waiting.resolve(reply)
  }

  /** The thread is gone. A read is asked again of its successor, a write may have happened. */
  function loseAll() {
    clearTimeout(timer)
    timer = undefined
    unsentPlans = []
    for (const [id, waiting] of pending) {
      if (waiting.repeatable) continue
      pending.delete(id)
      waiting.reject(new StorageError('storage_lost', 'The storage thread ended unexpectedly'))
    }
  }

  function replace(next: MessagePort) {
    const old = port
    port = next
    isAway = false
    old.close()
    loseAll()
    listen()
    if (pending.size > 0) port.ref()
    unsent = []
    for (const { request } of pending.values()) {
      port.postMessage(isAsk(request) ? [request] : request)
    }
    watchOldest()
  }
}

function isAsk(request: AnyRequest): request is AskRequest {
  return Array.isArray(request)
}

function isPlan(request: Exclude<AnyRequest, AskRequest>): request is PlanRequest {
  return 'cells' in request
}

function isAsked(reply: Reply | AskReply): reply is AskReply {
  return Array.isArray(reply)
}

function mistaken(): Error {
  return new Error('a storage thread answered another question')
}

export type Channel = ReturnType<typeof createChannel>

const SQLITE_FULL = 13

function toError(error: { message: string; code: string; errcode: number }): StorageError {
  if (error.message.includes(DEADLINE_TEXT)) {
    return new StorageError('query_timeout', 'The query took too long')
  }
  const code = error.errcode === SQLITE_FULL ? 'storage_full' : error.code
  return new StorageError(code, error.message, error.errcode)
}
