import { createHash } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Alongside, Receipt, Tx } from '../db/database.ts'
import { conflict, DomainError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { FirstAttempt, Idempotency } from './idempotency/keys.ts'
import { pathOf, queryTextOf } from './query.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The route honours `Idempotency-Key`. With `no-store` its answers are not kept, because they
     * show a secret that is shown once: when one has left, its key is free again.
     */
    idempotent?: true | 'no-store'
    /** What the routed URL does not show and keys are apart by: the same key with another is another request. */
    idempotentFor?: (request: FastifyRequest) => string
  }
}

export interface IdempotentRequests {
  readonly idempotency: Pick<Idempotency, 'begin'>
  /** Keys of different users never meet. */
  userOf(request: FastifyRequest): string | number
  readonly log: Pick<Log, 'error'>
}

interface KeptAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly isBase64?: boolean
}

/** The others belong to one exchange: its id, its limits, its encoding. */
const KEPT_HEADERS = [
  'api-version',
  'cache-control',
  'content-language',
  'content-type',
  'etag',
  'last-modified',
  'link',
  'location',
]

/** What the head of an upload says of bytes that are not read before its route begins. */
const UPLOAD_HEADERS = ['content-disposition', 'content-length', 'content-digest']

const PRINTABLE = /^[\x20-\x7e]{1,255}$/

const attempts = new WeakMap<FastifyRequest, FirstAttempt>()

/**
 * An id for the nth thing that this request makes, if it has an `Idempotency-Key`: the same in every try of it, so
 * that whoever makes it can tell that an earlier try, whose answer was lost, has made it already.
 */
export function onceId(request: FastifyRequest, number = 0): string | undefined {
  return attempts.get(request)?.idOf(number)
}

/**
 * Does what a request asks for once, in however many tries. `work` hands its result to `keep` in the transaction
 * of its effect; a try that finds an earlier one came so far, and its answer was lost, goes on with that result.
 */
export async function once<T>(
  request: FastifyRequest,
  work: (keep?: Alongside<unknown>) => Promise<T>,
): Promise<T> {
  const attempt = attempts.get(request)
  if (!attempt) return work()
  if (attempt.receipt !== null) return deserialize(Buffer.from(attempt.receipt, 'base64'))
  return work((tx, result) => keepIn(tx, attempt, result))
}

export function receiptOf(request: FastifyRequest): Receipt | undefined {
  const attempt = attempts.get(request)
  return attempt && { isThere: attempt.receipt !== null, keep: (tx) => keepIn(tx, attempt, null) }
}

/** What a request with a key has done of its items. */
export interface OnceEach<Outcome> {
  /** What an earlier try, whose answer was lost, has reported of the item. */
  find(number: number): Outcome | undefined
  /** In the transaction of the item's effect. */
  keep(tx: Tx, number: number, outcome: Outcome): Promise<void>
}

/**
 * For a request that does many things, each by itself: what was done of them is not done again, and is reported as it
 * was. Undefined for a request without a key.
 */
export async function onceEach<Outcome>(
  request: FastifyRequest,
): Promise<OnceEach<Outcome> | undefined> {
  const attempt = attempts.get(request)
  if (!attempt) return undefined
  const items = await attempt.findItems()
  return {
    find(number) {
      const text = items.get(number)
      return text === undefined ? undefined : JSON.parse(text)
    },
    async keep(tx, number, outcome) {
      if (!(await attempt.keepItem(tx, number, JSON.stringify(outcome)))) throw inProgress()
    },
  }
}

async function keepIn(tx: Tx, attempt: FirstAttempt, result: unknown): Promise<void> {
  const isHeld = await attempt.keep(tx, serialize(result).toString('base64'))
  if (!isHeld) throw inProgress()
}

/**
 * `Idempotency-Key` for the routes of one scope (REST conventions §3). The scope's hooks that change
 * the body on its way out, such as compression, have to be added after this.
 */
export function useIdempotency(
  app: FastifyInstance,
  { idempotency, userOf, log }: IdempotentRequests,
): void {
  const running = new WeakMap<FastifyRequest, FirstAttempt>()

  app.addHook('preHandler', (request, reply, done) => {
    const given = request.headers['idempotency-key']
    if (given === undefined || !request.routeOptions.config.idempotent) return done()
    begin(request, reply, given).then((goesOn) => {
      if (goesOn) done()
    }, done)
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const attempt = running.get(request)
    if (!attempt) return done(null, payload)
    if (isShownOnce(request, reply)) {
      releaseUnlessSent(attempt, request, reply)
      return done(null, payload)
    }
    running.delete(request)
    end(attempt, request, reply, payload).then((refusal) =>
      refusal ? done(refusal) : done(null, payload),
    )
  })

  async function begin(request: FastifyRequest, reply: FastifyReply, given: string | string[]) {
    const { idempotentFor } = request.routeOptions.config
    const apart = idempotentFor ? ` ${idempotentFor(request)}` : ''
    const begun = await idempotency.begin({
      scope: `${userOf(request)} ${request.method} ${pathOf(request.url)}${apart}`,
      key: checkedKey(given),
      requestHash: hashOf(request),
    })
    if (begun.state === 'mismatch') throw mismatch()
    if (begun.state === 'in_progress') throw inProgress()
    if (begun.state === 'new') watch(request, reply, begun)
    else replay(reply, JSON.parse(begun.answer))
    return begun.state === 'new'
  }

  /**
   * Behind the last byte only answers that are not kept are still running, and those of handlers that took the
   * connection over. A client that left early is no reason: its handler is still working, and its next try wants
   * that answer.
   */
  function watch(request: FastifyRequest, reply: FastifyReply, attempt: FirstAttempt): void {
    running.set(request, attempt)
    attempts.set(request, attempt)
    reply.raw.once('finish', () => {
      if (running.delete(request)) attempt.abandon().catch((error) => report(request, error))
    })
  }

  /** A secret that was lost on its way is shown to the next try. */
  function releaseUnlessSent(
    attempt: FirstAttempt,
    request: FastifyRequest,
    { raw }: FastifyReply,
  ) {
    const release = () => {
      if (running.delete(request)) attempt.release().catch((error) => report(request, error))
    }
    if (raw.destroyed) release()
    else raw.once('close', release)
  }

  /**
   * The work is done whether or not its answer can be kept: the client gets it. Unless another try took over from
   * this one, which was away too long: what this one has found may be the other one's work.
   */
  async function end(
    attempt: FirstAttempt,
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
  ): Promise<DomainError | null> {
    try {
      const answer = toKept(reply, payload)
      if (answer) return (await attempt.finish(JSON.stringify(answer))) ? null : inProgress()
      await (reply.statusCode >= 500 ? attempt.release() : attempt.abandon())
    } catch (error) {
      report(request, error)
    }
    return null
  }

  function report(request: FastifyRequest, error: unknown) {
    log.error({ err: error, request_id: request.id }, 'the answer to a key could not be kept')
  }
}

function isShownOnce({ routeOptions }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  return routeOptions.config.idempotent === 'no-store' && statusCode < 500
}

function checkedKey(given: string | string[]): string {
  if (typeof given === 'string' && PRINTABLE.test(given)) return given
  const message = 'Idempotency-Key must have 1 to 255 printable characters'
  throw new DomainError('invalid', 'invalid_parameter', message)
}

function mismatch(): DomainError {
  const message = 'This Idempotency-Key was used with another request'
  return new DomainError('unprocessable', 'idempotency_mismatch', message)
}

function inProgress(): DomainError {
  return conflict('idempotency_in_progress', 'The first request with this key is still running')
}

function replay(reply: FastifyReply, { status, headers, body, isBase64 }: KeptAnswer) {
  reply.code(status).headers(headers).header('idempotent-replayed', 'true')
  reply.send(isBase64 ? Buffer.from(body ?? '', 'base64') : (body ?? undefined))
}

/** Undefined for what must not be given again: our failures, "later", and bodies without an end. */
function toKept(reply: FastifyReply, payload: unknown): KeptAnswer | undefined {
  const status = reply.statusCode
  if (status >= 500 || status === 429 || status === 408) return undefined
  const headers: Record<string, string> = {}
  for (const name of KEPT_HEADERS) {
    const value = reply.getHeader(name)
    if (value !== undefined) headers[name] = String(value)
  }
  if (typeof payload === 'string') return { status, headers, body: payload }
  if (payload === null || payload === undefined) return { status, headers, body: null }
  if (!Buffer.isBuffer(payload)) return undefined
  return { status, headers, body: payload.toString('base64'), isBase64: true }
}

/**
 * Some routes read their input from the query, so it counts like the body. So does the level: what was done and shown
 * to a key that may do much is not shown to one of the same user that may do little.
 */
function hashOf(request: FastifyRequest): string {
  const { body, headers, actor } = request
  const hash = createHash('sha256').update(`${queryTextOf(request)}\n${actor?.access ?? ''}\n`)
  if (body !== undefined) hash.update(Buffer.isBuffer(body) ? body : JSON.stringify(body))
  // Not of forms: their length depends on a boundary that every try may choose anew.
  else if (headers['content-type']?.startsWith('application/octet-stream')) {
    hash.update(JSON.stringify(UPLOAD_HEADERS.map((name) => headers[name] ?? null)))
  }
  return hash.digest('base64url')
}
