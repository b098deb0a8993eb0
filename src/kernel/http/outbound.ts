import type { Socket } from 'node:net'
import { getCACertificates } from 'node:tls'
import type { Dispatcher } from 'undici'
import type { Log } from '../log.ts'
import { createBody, readWhole } from './outbound/body.ts'
import { createCheckedResolve, type Resolve, resolveBySystem } from './outbound/connect.ts'
import { createDeadline } from './outbound/deadline.ts'
import { createDispatcher } from './outbound/dispatcher.ts'
import { OutboundFailure, toFailure } from './outbound/failure.ts'
import { type AddressRule, bareHost } from './outbound/private-addresses.ts'
import { type Hop, nextHop, redirectLocation, resolveLocation } from './outbound/redirect.ts'
import { telling } from './outbound/telling.ts'
import { openSocket, openTunnel } from './outbound/tunnel.ts'
import type {
  OutboundAnswer,
  OutboundConnection,
  OutboundRefusal,
  OutboundRequest,
  OutboundStream,
  OutboundTarget,
} from './outbound/types.ts'
import { exchangeWhole } from './outbound/whole.ts'

export interface OutboundDeps {
  readonly rule: AddressRule
  readonly log: Pick<Log, 'info'>
  readonly resolve?: Resolve
  /**
   * All requests go through this proxy. Names are still resolved and checked here first, but the
   * proxy connects (webhooks contract §10). The proxy's own address is not checked.
   */
  readonly proxyUrl?: string
  /** Certificates to trust beside the well-known ones, PEM. */
  readonly ca?: string
}

type Answer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>

interface Dispatched {
  readonly onSend?: OutboundRequest['onSend']
  readonly signal: AbortSignal
}

/** Where a request has been so far. */
interface Trail {
  readonly startedMs: number
  readonly redirects: string[]
  url: string
  /** When the last of its hops began. */
  hopAtMs: number
}

const BODY_TIMEOUT_MS = 30_000
/** What is read of a redirect's own body, so that its connection can be used again. */
const REDIRECT_LIMITS = { maxBodyBytes: 16_384, bodyTimeoutMs: 1_000 }

/**
 * The client for requests made for users: webhooks, scrapers, probes. It reaches only addresses the
 * rule allows, checked when a connection is made and for every redirect; a pooled connection was
 * checked when it was made. What goes wrong on the network is a value, never an exception. Proxies
 * named in the environment are not used.
 */
export function createOutbound(deps: OutboundDeps) {
  const { rule, log, resolve = resolveBySystem, proxyUrl, ca } = deps
  const checkedResolve = createCheckedResolve({ rule, resolve, log })
  let dispatcher: ReturnType<typeof createDispatcher> | undefined
  let closed = false
  return { send, open, connect, close }

  /** The whole answer, with its body up to `maxBodyBytes`. */
  async function send(request: OutboundRequest): Promise<OutboundAnswer | OutboundRefusal> {
    if (!request.maxRedirects && proxyUrl === undefined) return sendDirectly(request)
    const startedMs = performance.now()
    const answer = await open(request)
    if (!answer.ok) return answer
    try {
      const body = await readWhole(answer.body)
      const bodyEnd = answer.body.end ?? 'complete'
      return { ...answer, body, bodyEnd, truncated: bodyEnd !== 'complete' }
    } catch (error) {
      const { url, redirects } = answer
      return toRefusal(error, { url, redirects: [...redirects], startedMs, hopAtMs: startedMs })
    }
  }

  /** The common case: one hop, and nobody needs the body as a stream. */
  async function sendDirectly(request: OutboundRequest): Promise<OutboundAnswer | OutboundRefusal> {
    const trail = beginTrail(request.url)
    try {
      const hop = firstHop(request)
      trail.url = hop.url.href
      if (rule.checkUrl(hop.url) !== null) throw new OutboundFailure('address_not_allowed')
      const { client } = await getDispatcher()
      const { timeoutMs, bodyTimeoutMs = BODY_TIMEOUT_MS, maxBodyBytes, onSend, signal } = request
      const limits = { timeoutMs, bodyTimeoutMs, maxBodyBytes, onSend, signal }
      const whole = await exchangeWhole(client, toOptions(hop), limits)
      const { statusCode: status, headers, body, bodyEnd, headersAtMs } = whole
      const { url, redirects } = trail
      const durationMs = Math.round(headersAtMs - trail.startedMs)
      const truncated = bodyEnd !== 'complete'
      return { ok: true, status, headers, body, bodyEnd, truncated, url, redirects, durationMs }
    } catch (error) {
      return toRefusal(error, trail)
    }
  }

  /** Answers at the headers; the caller reads the body or cancels it. */
  async function open(request: OutboundRequest): Promise<OutboundStream | OutboundRefusal> {
    const trail = beginTrail(request.url)
    try {
      let hop = firstHop(request)
      for (;;) {
        trail.url = hop.url.href
        trail.hopAtMs = performance.now()
        const answer = await exchange(hop, request)
        const location = request.maxRedirects
          ? redirectLocation(answer.statusCode, answer.headers)
          : null
        if (location === null) return toStream(answer, request, trail)
        hop = await follow(hop, answer, location, request, trail)
      }
    } catch (error) {
      return toRefusal(error, trail)
    }
  }

  /** A connection that is nothing but bytes to us, to an address that the rule allows. */
  async function connect(target: OutboundTarget): Promise<OutboundConnection | OutboundRefusal> {
    const { host, port, timeoutMs } = target
    const trail = beginTrail(`${host}:${port}`)
    const deadline = createDeadline(timeoutMs, target.signal)
    try {
      if (closed) throw new OutboundFailure('aborted')
      const socket = await deadline.race(openChecked(target, deadline.signal))
      return { ok: true, socket }
    } catch (error) {
      return toRefusal(toFailure(error), trail)
    } finally {
      deadline.stopTimer()
      deadline.release()
    }
  }

  async function openChecked(target: OutboundTarget, signal: AbortSignal): Promise<Socket> {
    const addresses = await checkedResolve(target.host)
    signal.throwIfAborted()
    if (proxyUrl === undefined) return openSocket(target, addresses, signal)
    const trusted = ca === undefined ? undefined : [...getCACertificates('default'), ca]
    return openTunnel(target, proxyUrl, { ca: trusted, signal })
  }

  /** One request and the headers of its answer, within the time limit. */
  async function exchange(hop: Hop, request: OutboundRequest): Promise<Answer> {
    if (rule.checkUrl(hop.url) !== null) throw new OutboundFailure('address_not_allowed')
    const { client } = await getDispatcher()
    const deadline = createDeadline(request.timeoutMs, request.signal)
    try {
      const answer = await deadline.race(
        dispatch(client, hop, { ...request, signal: deadline.signal }),
      )
      answer.body.once('close', deadline.release)
      return answer
    } catch (error) {
      deadline.release()
      throw toFailure(error)
    } finally {
      deadline.stopTimer()
    }
  }

  async function dispatch(client: Dispatcher, hop: Hop, { onSend, signal }: Dispatched) {
    if (proxyUrl !== undefined) await checkedResolve(bareHost(hop.url))
    signal.throwIfAborted()
    const told = onSend ? client.compose(telling(onSend)) : client
    return told.request({ ...toOptions(hop), signal })
  }

  async function follow(
    hop: Hop,
    answer: Answer,
    location: string,
    request: OutboundRequest,
    trail: Trail,
  ): Promise<Hop> {
    readWhole(createBody(answer.body, REDIRECT_LIMITS)).catch(() => {})
    trail.redirects.push(hop.url.href)
    if (trail.redirects.length > (request.maxRedirects ?? 0)) {
      throw new OutboundFailure('too_many_redirects')
    }
    const url = resolveLocation(location, hop.url)
    if (!url) throw new OutboundFailure('redirect')
    trail.url = url.href
    if (rule.checkUrl(url) !== null) throw new OutboundFailure('address_not_allowed')
    const { statusCode: status, headers } = answer
    const step = { from: hop.url.href, to: url.href, status, headers }
    if (request.onRedirect && !(await request.onRedirect(step))) {
      throw new OutboundFailure('redirect')
    }
    return nextHop(hop, status, url)
  }

  function getDispatcher() {
    if (closed) throw new OutboundFailure('aborted')
    dispatcher ??= createDispatcher({ resolve: checkedResolve, proxyUrl, ca })
    return dispatcher
  }

  /** Ends all connections; requests under way and later ones end with the code `aborted`. */
  async function close() {
    closed = true
    await (await dispatcher)?.close()
  }
}

export type Outbound = ReturnType<typeof createOutbound>

function beginTrail(url: string): Trail {
  const startedMs = performance.now()
  return { startedMs, hopAtMs: startedMs, redirects: [], url }
}

function firstHop({ method, url: text, headers = {}, body }: OutboundRequest): Hop {
  const url = URL.parse(text)
  if (!url) throw new OutboundFailure('address_not_allowed')
  const own: Record<string, string> = Object.create(null)
  for (const name of Object.keys(headers)) own[name.toLowerCase()] = headers[name] ?? ''
  delete own['host']
  return { method: method.toUpperCase(), url, headers: own, body: body ?? null }
}

function toOptions({ url, method, headers, body }: Hop) {
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers,
    body,
    // The deadline and the body's limit are exact; these timers are not.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
}

function toStream(answer: Answer, request: OutboundRequest, trail: Trail): OutboundStream {
  const { statusCode: status, headers } = answer
  const { maxBodyBytes, timeoutMs, bodyTimeoutMs = BODY_TIMEOUT_MS } = request
  const restMs = Math.max(0, timeoutMs - (performance.now() - trail.hopAtMs))
  const body = createBody(answer.body, {
    maxBodyBytes,
    bodyTimeoutMs: bodyTimeoutMs === 'rest' ? restMs : bodyTimeoutMs,
  })
  return { ok: true, status, headers, body, ...toEnd(trail) }
}

/** Everything else flies: also what `onRedirect` threw, whatever code it carries. */
function toRefusal(error: unknown, trail: Trail): OutboundRefusal {
  if (!(error instanceof OutboundFailure)) throw error
  const { code, message, isOfProxy } = error
  return { ok: false, code, message, isOfProxy, ...toEnd(trail) }
}

function toEnd({ url, redirects, startedMs }: Trail) {
  return { url, redirects, durationMs: Math.round(performance.now() - startedMs) }
}
