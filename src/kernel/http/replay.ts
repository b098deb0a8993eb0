import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ids } from '../ids.ts'
import { type RequestObserver, watchResponse } from './outcome.ts'

/** A whole answer with everything but what belongs to one exchange. */
export interface Replay {
  /** Its bytes as characters: head and body then leave in one piece, which halves the write. */
  readonly body: string
  /** Names and values in turn, as they are written. */
  readonly headers: readonly string[]
  readonly route: string
}

/** Where answers wait to be given again. */
export interface ReplayMemory {
  /** Only while the answer is still true. A question is the URL and all headers with an effect, byte for byte. */
  find(question: string): Replay | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by who knows how long the answer stays true; asked for none but public answers. */
    remember: ((question: string, replay: Replay) => void) | null
  }
}

export interface ReplayDeps {
  readonly memory: ReplayMemory
  readonly ids: Pick<Ids, 'uuid'>
  readonly observers: readonly RequestObserver[]
  /** False while each request has to be looked at, for example counted. */
  isOpen(): boolean
}

/** Nothing in an answer depends on these. */
const WITHOUT_EFFECT = new Set([
  ...['user-agent', 'connection', 'keep-alive', 'referer', 'dnt', 'priority', 'cache-control'],
  ...['pragma', 'traceparent', 'tracestate', 'upgrade-insecure-requests', 'save-data'],
])

/** Who sends one of these is somebody, comes from elsewhere, or asks for more than the answer. */
const PERSONAL = new Set([
  ...['authorization', 'proxy-authorization', 'x-api-key', 'api-key', 'cookie', 'preview'],
  ...['x-request-id', 'forwarded', 'x-real-ip', 'expect', 'upgrade', 'range', 'if-range'],
  ...['if-none-match', 'if-match', 'if-modified-since', 'if-unmodified-since'],
  ...['content-length', 'content-type', 'transfer-encoding', 'prefer', 'idempotency-key'],
])

/** Other proxies and our own gateway, which may speak for somebody. */
const FROM_PROXIES = /^x-(?:forwarded|entrepot)-/

/** These are of one exchange; the server writes them anew. */
const OF_EXCHANGE = new Set(['x-request-id', 'content-length', 'date', 'connection'])

/**
 * Answers the same question, byte for byte, from memory before the framework begins, which costs two
 * thirds of a small answer. Only for requests without any credential, so that nobody can be given what
 * another may see; whatever is unusual takes the ordinary way.
 */
export function createReplays({ memory, ids, observers, isOpen }: ReplayDeps) {
  let waiting: (() => void)[] = []
  return { answer }

  /**
   * All answers of a turn leave after all its requests were read: the same work in a row finds its
   * code and data in the processor's caches, which takes a third off an answer.
   */
  function together(send: () => void): void {
    if (waiting.push(send) === 1) setImmediate(sendAll)
  }

  function sendAll(): void {
    const all = waiting
    waiting = []
    for (const each of all) each()
  }

  /** `otherwise` answers by the ordinary way. */
  function answer(request: IncomingMessage, response: ServerResponse, otherwise: () => void): void {
    const isPlain = request.method === 'GET' && isOpen()
    const headers = isPlain ? effectiveHeaders(request.rawHeaders) : undefined
    const known = headers === undefined ? undefined : memory.find(`${request.url}${headers}`)
    if (known) together(() => send(request, response, known))
    else otherwise()
  }

  function send(request: IncomingMessage, response: ServerResponse, known: Replay): void {
    const id = ids.uuid()
    const exchange = {
      id,
      url: request.url ?? '',
      route: known.route,
      address: request.socket.remoteAddress ?? '',
      apiKeyId: undefined,
      error: undefined,
    }
    watchResponse(request, response, observers, () => exchange)
    response.writeHead(200, [...known.headers, 'x-request-id', id])
    response.end(known.body, 'latin1')
  }
}

/** Called with the answer as it leaves: compressed, tagged, with all its headers. */
export function offerReplay(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string | Buffer,
): void {
  const { remember, raw, routeOptions } = request
  if (!remember || request.actor !== null || request.method !== 'GET') return
  const effective = effectiveHeaders(raw.rawHeaders)
  if (effective === undefined) return
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  remember(request.originalUrl + effective, {
    body: bytes.toString('latin1'),
    headers: headersOf(reply, bytes.length),
    route: routeOptions.url ?? '',
  })
}

/** Every header that may have an effect; undefined: the request is somebody's or unusual. */
function effectiveHeaders(headers: readonly string[]): string | undefined {
  let effective = ''
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]?.toLowerCase() ?? ''
    if (WITHOUT_EFFECT.has(name) || name.startsWith('sec-')) continue
    if (PERSONAL.has(name) || FROM_PROXIES.test(name)) return undefined
    effective += `\n${name}: ${headers[at + 1]}`
  }
  return effective
}

function headersOf(reply: FastifyReply, length: number): string[] {
  const kept = Object.entries(reply.getHeaders()).filter(([name]) => !OF_EXCHANGE.has(name))
  const flat = kept.flatMap(([name, value]) => [name, String(value)])
  return [...flat, 'content-length', String(length)]
}
