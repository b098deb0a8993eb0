import type { OutgoingHttpHeader } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createNegotiation } from './accept-encoding.ts'
import type { HttpApp } from './app.ts'
import { isNotModified } from './etag.ts'
import type { MountGuard } from './mounts.ts'
import { pathOf, queryTextOf } from './query.ts'

type Headers = Readonly<Record<string, string>>

/** A response as it left, without what belongs to one exchange or to who asked. */
export interface CachedResponse {
  readonly etag: string
  readonly headers: Headers
  /** These do not come with a 304. */
  readonly bodyHeaders: Headers
  /** A string has a character for each byte. Undefined: only 304 was ever answered. */
  readonly body: string | Buffer | undefined
}

/** The moment at which a response began to be made: a later change makes it unfit. */
interface Begun {
  readonly since: number
  readonly atMs: number
}

/** Where responses wait to be given again, as long as they are true. */
export interface ResponseCache {
  find(key: string): CachedResponse | undefined
  /** Whether the key was asked for before: what is asked once takes no room from what is asked again. */
  isAskedAgain(key: string): boolean
  begin(): Begun
  /** `madeFrom`: as the request says. */
  keep(key: string, begun: Begun, madeFrom: readonly number[], response: CachedResponse): void
}

interface Miss {
  readonly key: string
  /** The same for one coding. */
  readonly codedKey: string
  /** What others may wait for; undefined when somebody else makes the same. */
  readonly made: Making | undefined
  readonly begun: Begun
  /** Set before the cache was asked: of the exchange, of the caller or of the mount. */
  readonly earlier: Readonly<Record<string, unknown>>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Responses to reads of the route may be given again. */
    cache?: {
      /** The request headers, in lower case, that a response depends on; no other has an effect. */
      readonly headers: readonly string[]
      /** What else it depends on besides URL, level and stored content; undefined: not cached. */
      seen(request: FastifyRequest): string | undefined
    }
  }
  interface FastifyRequest {
    /** Numbers of what the response was made from; null: nobody can tell when it ends. */
    madeFrom: readonly number[] | null
    cacheMiss: Miss | null
  }
}

/**
 * Up to this size a body is kept as characters: head and body then leave in one piece, which takes a
 * third off a small response. Of larger ones Node would make two more copies.
 */
const ONE_PIECE_BYTES = 15 * 1024
/** What a response says of its body; a 304 has none. */
const BODY_HEADERS = new Set(['content-type', 'content-encoding'])

/**
 * Gives responses again once all hooks before the handler are done: who asks is known, counted and
 * limited. What leaves then differs from the first time in nothing but what those hooks have set.
 * To be called behind everything that changes a response on its way out.
 */
export function useResponseCache(scope: HttpApp, cache: ResponseCache, guard?: MountGuard): void {
  const negotiate = createNegotiation()
  const together = createTogether()
  const making = createMaking()
  const { prefix } = scope

  scope.addHook('preParsing', (request, reply, _payload, done) => {
    const key = keyOf(prefix, request)
    const { coding = 'identity', isRequired } = negotiate(request.headers['accept-encoding'])
    // Who takes nothing but compressed bytes gets small bodies in another form than all others.
    if (key === undefined || isRequired) return done()
    const codedKey = `${key}\n${coding}`
    if (isServed(key)) return
    if (!cache.isAskedAgain(key)) return done()
    makeOrWait(key, true)

    function isServed(key: string): boolean {
      const found = cache.find(codedKey) ?? cache.find(key)
      if (!found || !isEnough(found, request)) return false
      serve(found, request, reply)
      return true
    }

    /** Nobody waits twice: what cannot be kept would be made by one after the other. */
    function makeOrWait(key: string, mayWait: boolean): void {
      const again = () => isServed(key) || makeOrWait(key, false)
      if (mayWait && making.wait(codedKey, again)) return
      const made = making.begin(codedKey, reply)
      const begun = cache.begin()
      request.cacheMiss = { key, codedKey, made, begun, earlier: reply.getHeaders() }
      done()
    }
  })

  scope.addHook('onSend', (request, reply, payload, done) => {
    const { cacheMiss, madeFrom } = request
    // Of a HEAD that has not changed nothing can be given again.
    const isKept = request.method === 'GET' || reply.statusCode === 200
    if (cacheMiss && madeFrom && isKept) {
      const response = toCached(cacheMiss, reply, payload)
      const key = response && isCoded(reply) ? cacheMiss.codedKey : cacheMiss.key
      if (response) cache.keep(key, cacheMiss.begun, madeFrom, response)
    }
    if (cacheMiss?.made) making.end(cacheMiss.codedKey, cacheMiss.made)
    done(null, payload)
  })

  /** What the guard lets go at once leaves with others of the turn; what it held back does so already. */
  function serve(found: CachedResponse, request: FastifyRequest, reply: FastifyReply): void {
    reply.code(isNotModified(request, found.etag) ? 304 : 200)
    let isHeld = false
    const leave = () => orFail(reply, () => write(found, reply))
    const send = () => (isHeld ? leave() : together(leave))
    orFail(reply, () => (guard ? guard.onSend(request, reply, found.body, send) : send()))
    isHeld = true
  }
}

/** The framework is not there to catch it. */
function orFail(reply: FastifyReply, work: () => void): void {
  try {
    work()
  } catch (error) {
    reply.send(error)
  }
}

/** Everything but the stored content that a response depends on; undefined: it is not cached. */
function keyOf(prefix: string, request: FastifyRequest): string | undefined {
  const { cache } = request.routeOptions.config
  if (!cache || (request.method !== 'GET' && request.method !== 'HEAD')) return undefined
  const seen = cache.seen(request)
  if (seen === undefined) return undefined
  const { protocol, host, headers, actor } = request
  const url = `${protocol}://${host}${pathOf(request.originalUrl)}?${queryTextOf(request)}`
  let key = `${prefix}\n${actor?.access ?? 'none'}\n${seen}\n${url}`
  for (const name of cache.headers) {
    const value = headers[name]
    if (value !== undefined) key += `\n${name}: ${value}`
  }
  return key
}

/** Of a HEAD that has not changed the framework tells another length than of one that has. */
function isEnough({ etag, body }: CachedResponse, request: FastifyRequest): boolean {
  return isNotModified(request, etag) ? request.method === 'GET' : body !== undefined
}

/** Undefined for what is not given again. */
function toCached(
  { earlier }: Miss,
  reply: FastifyReply,
  payload: unknown,
): CachedResponse | undefined {
  const { statusCode } = reply
  const isWhole = statusCode === 200 && (typeof payload === 'string' || Buffer.isBuffer(payload))
  const etag = reply.getHeader('etag')
  if (typeof etag !== 'string' || !(isWhole || statusCode === 304)) return undefined
  const headers: Record<string, string> = {}
  const bodyHeaders: Record<string, string> = {}
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (earlier[name] === value) continue
    const own = BODY_HEADERS.has(name) ? bodyHeaders : headers
    own[name] = String(value)
  }
  if (!isWhole) return { etag, headers, bodyHeaders: {}, body: undefined }
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
  bodyHeaders['content-length'] = String(bytes.length)
  const isSmall = bytes.length <= ONE_PIECE_BYTES
  return { etag, headers, bodyHeaders, body: isSmall ? bytes.toString('latin1') : bytes }
}

/** Its bytes depend on what codings the client takes; small bodies are the same for all. */
function isCoded(reply: FastifyReply): boolean {
  return /accept-encoding/i.test(String(reply.getHeader('vary') ?? ''))
}

/** Whoever waits longer for another one's response reads by itself: that one may be stuck. */
const LONGEST_WAIT_MS = 2_000

interface Making {
  readonly waiting: (() => void)[]
  timer: NodeJS.Timeout | undefined
}

/** What many ask for at once is read once: others wait for the first one and then look again. */
function createMaking() {
  const all = new Map<string, Making>()
  return { begin, wait, end }

  /** Whose client has left is not waited for. */
  function begin(key: string, { raw }: FastifyReply): Making | undefined {
    if (all.has(key) || raw.destroyed) return undefined
    const made: Making = { waiting: [], timer: undefined }
    all.set(key, made)
    raw.once('close', () => end(key, made))
    return made
  }

  /** False when nobody makes it. */
  function wait(key: string, again: () => void): boolean {
    const made = all.get(key)
    if (!made) return false
    made.waiting.push(again)
    made.timer ??= setTimeout(() => end(key, made), LONGEST_WAIT_MS)
    return true
  }

  function end(key: string, made: Making): void {
    if (all.get(key) !== made) return
    all.delete(key)
    clearTimeout(made.timer)
    for (const again of made.waiting) again()
  }
}

/**
 * What is sent in a turn leaves after all its requests were read: the same work in a row finds its
 * code and data in the processor's caches, which takes a third off a response.
 */
function createTogether() {
  let waiting: (() => void)[] = []
  return (send: () => void): void => {
    if (waiting.push(send) === 1) setImmediate(sendAll)
  }

  function sendAll(): void {
    const all = waiting
    waiting = []
    for (const each of all) each()
  }
}

function write({ headers, bodyHeaders, body }: CachedResponse, reply: FastifyReply): void {
  const { raw, statusCode } = reply
  const head: NodeJS.Dict<OutgoingHttpHeader> = Object.assign(reply.getHeaders(), headers)
  raw.writeHead(statusCode, statusCode === 304 ? head : Object.assign(head, bodyHeaders))
  // From here on it is too late for an error.
  reply.hijack()
  if (statusCode === 304) raw.end()
  else raw.end(body, 'latin1')
}
