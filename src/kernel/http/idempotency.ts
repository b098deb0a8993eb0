import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { conflict, DomainError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { FirstAttempt, Idempotency } from './idempotency/keys.ts'
import { pathOf, queryTextOf } from './query.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The route honours `Idempotency-Key`. With `no-store` its answers are not kept, because they
     * show a secret that is shown once; only requests at the same time are told apart.
     */
    idempotent?: true | 'no-store'
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

const PRINTABLE = /^[\x20-\x7e]{1,255}$/

const attempts = new WeakMap<FastifyRequest, FirstAttempt>()

/**
 * An id for the nth thing that this request makes, if it has an `Idempotency-Key`: the same in every try of it, so
 * that whoever makes it can tell that an earlier try, whose answer was lost, has made it already.
 */
export function onceId(request: FastifyRequest, number = 0): string | undefined {
  return attempts.get(request)?.idOf(number)
}

/** The same for so many things. */
export function onceIds(request: FastifyRequest, count: number): string[] | undefined {
  const attempt = attempts.get(request)
  return attempt && Array.from({ length: count }, (_, number) => attempt.idOf(number))
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
    running.delete(request)
    end(attempt, request, reply, payload).then(() => done(null, payload))
  })

  async function begin(request: FastifyRequest, reply: FastifyReply, given: string | string[]) {
    const begun = await idempotency.begin({
      scope: `${userOf(request)} ${request.method} ${pathOf(request.url)}`,
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
   * Only a handler that took the connection over does not pass the hook above. A client that left
   * early is no reason: its handler is still working, and its next try wants that answer.
   */
  function watch(request: FastifyRequest, reply: FastifyReply, attempt: FirstAttempt): void {
    running.set(request, attempt)
    attempts.set(request, attempt)
    reply.raw.once('finish', () => {
      if (running.delete(request)) attempt.abandon().catch((error) => report(request, error))
    })
  }

  /** The work is done whether or not its answer can be kept: the client gets it. */
  async function end(
    attempt: FirstAttempt,
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
  ) {
    try {
      const isSecret = request.routeOptions.config.idempotent === 'no-store'
      const answer = isSecret ? undefined : toKept(reply, payload)
      if (answer) await attempt.finish(JSON.stringify(answer))
      else await (reply.statusCode >= 500 ? attempt.release() : attempt.abandon())
    } catch (error) {
      report(request, error)
    }
  }

  function report(request: FastifyRequest, error: unknown) {
    log.error({ err: error, request_id: request.id }, 'the answer to a key could not be kept')
  }
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

/** Some routes read their input from the query, so it counts like the body. */
function hashOf(request: FastifyRequest): string {
  const { body } = request
  const hash = createHash('sha256').update(`${queryTextOf(request)}\n`)
  if (body !== undefined) hash.update(Buffer.isBuffer(body) ? body : JSON.stringify(body))
  return hash.digest('base64url')
}
