import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError, invalid } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Cors } from './cors.ts'
import { completeHost, createHeadCheck } from './head.ts'
import { hasForwardingHeaders } from './peer.ts'
import { parseQuery, pathOf, queryTextOf } from './query.ts'
import { type RequestObserver, watchRequest } from './request-log.ts'

export interface OnRequestDeps {
  readonly log: Pick<Log, 'warn'>
  readonly cors: Cors
  readonly observers: readonly RequestObserver[]
  /** Takes over what a gateway of ours says of the request; true when it is one. */
  readonly trustGateway?: ((request: FastifyRequest) => boolean) | undefined
  /** In development nobody should stand between us and the client. */
  readonly expectsNoProxy: boolean
  /** Of request line and headers together. */
  readonly maxHeadBytes: number
}

const VISIBLE = /^[\x21-\x7e]{1,128}$/

/** The caller's `X-Request-Id` when it is 1 to 128 visible characters, else one of ours. */
export function createRequestIds(ids: Pick<Ids, 'uuid'>): (raw: IncomingMessage) => string {
  return (raw) => {
    const given = raw.headers['x-request-id']
    return typeof given === 'string' && VISIBLE.test(given) ? given : ids.uuid()
  }
}

/** What happens first, to every request; one hook, because each hook costs every request. */
export function createOnRequest(deps: OnRequestDeps) {
  const { log, cors, observers, trustGateway, expectsNoProxy, maxHeadBytes } = deps
  const findHeadFault = createHeadCheck(maxHeadBytes)
  let isWatchingForProxy = expectsNoProxy
  return { begin, onRequest }

  function onRequest(
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): void {
    begin(request, reply)
    const fault = findHeadFault(request)
    if (fault) {
      done(fault)
      return
    }
    if (request.method === 'OPTIONS' && cors.answerPreflight(request, reply)) return
    const url = request.raw.url ?? ''
    if (url.includes('%00')) {
      done(nulRefusal(url))
      return
    }
    // Routes whose responses are given again have a grammar of their own.
    if (!request.routeOptions.config.cache) request.query = parseQuery(queryTextOf(request))
    done()
  }

  function begin(request: FastifyRequest, reply: FastifyReply): void {
    completeHost(request.raw)
    const isOurs = trustGateway?.(request) ?? false
    watchRequest(request, reply, observers)
    reply.header('x-request-id', request.id)
    cors.allow(request, reply)
    if (isWatchingForProxy && !isOurs && hasForwardingHeaders(request.headers)) {
      warnOfProxy(request)
    }
  }

  function warnOfProxy(request: FastifyRequest): void {
    isWatchingForProxy = false
    log.warn(
      { remote_addr: request.raw.socket.remoteAddress },
      'requests come through a proxy while the environment is development; set ENTREPOT_ENV=production',
    )
  }
}

/** No database keeps U+0000 in text, and no honest client sends it. */
function nulRefusal(url: string): DomainError {
  const message = 'The URL must not contain U+0000'
  if (pathOf(url).includes('%00')) return new DomainError('invalid', 'invalid_url', message)
  return invalid([{ path: ['query'], rule: 'text', message }], 'invalid_parameter')
}
