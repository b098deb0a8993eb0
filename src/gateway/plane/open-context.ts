import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Networks } from '../expression/networks.ts'
import { NO_CHAIN } from './chain.ts'
import { HOST, kindOf } from './client/header-kinds.ts'
import { NO_CONSUMERS } from './consumers.ts'
import type { Context } from './context.ts'
import { normalisePath } from './normalise.ts'

export interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly upgrade: { readonly socket: Socket; readonly head: Buffer } | null
  readonly expectsContinue: boolean
  readonly isTls: boolean
}

interface Deps {
  readonly trusted: Networks | null
  newId(): string
}

const REQUEST_ID = /^[A-Za-z0-9._:/+=-]{1,128}$/

/** Reads what everything later goes by. The path is empty when the target is not a correct one. */
export function createOpener({ trusted, newId }: Deps) {
  return function open(arrival: Arrival): Context {
    const { request, response, upgrade, expectsContinue, isTls } = arrival
    const target = request.url ?? '/'
    const method = request.method ?? 'GET'
    const { path, query, authority } = splitTarget(target)
    const host = hostOf(authority ?? request.headers.host ?? '')
    const peer = plainAddress(request.socket.remoteAddress ?? '')
    const isTrusted = trusted?.has(peer) ?? false
    return {
      request,
      response,
      upgrade,
      startedAt: performance.now(),
      isTls,
      method,
      target,
      path,
      query,
      host,
      peer,
      isTrusted,
      remoteAddr: isTrusted && trusted ? originOf(request, peer, trusted) : peer,
      requestId: requestIdOf(request) ?? newId(),
      expectsContinue,
      resolved: null,
      pattern: null,
      matchedHost: '',
      globalChain: NO_CHAIN,
      chain: NO_CHAIN,
      consumer: null,
      consumers: NO_CONSUMERS,
      params: null,
      args: null,
      extra: null,
      forwardMethod: method,
      forwardPath: path,
      forwardQuery: query,
      forwardHost: null,
      forwardHeaders: null,
      upstream: null,
      node: null,
      tried: null,
      attempts: null,
      connection: null,
      sentAt: 0,
      isBusy: false,
      isBodyTaken: false,
      isBodyChunked: false,
      bodyLeft: 0,
      status: 0,
      headers: [],
      replacedBody: null,
      isDiscarding: false,
      isIdHidden: false,
      isOver: false,
      isAnswered: false,
      isFlushed: false,
      record: null,
      sale: null,
      held: null,
      upstreamStatus: 0,
      upstreamMs: 0,
      bytesIn: 0,
      bytesOut: 0,
      errorCode: '',
    }
  }
}

/** RFC 9112 §3.2: exactly one, or two servers could take the request for different ones. */
export function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && kindOf(name) === HOST) count++
  }
  return count === 1 || (count === 0 && httpVersion === '1.0')
}

interface Target {
  readonly path: string
  readonly query: string
  /** Of the absolute form (RFC 9112 §3.2.2), where it counts instead of the Host header. */
  readonly authority: string | undefined
}

function splitTarget(target: string): Target {
  if (target.charCodeAt(0) === 47) return split(target, undefined)
  const [, authority, rest] = /^https?:\/\/([^/?#@\s]+)(.*)$/i.exec(target) ?? []
  if (authority === undefined) return { path: '', query: '', authority: undefined }
  return split(rest?.startsWith('/') ? rest : `/${rest ?? ''}`, authority)
}

function split(target: string, authority: string | undefined): Target {
  const mark = target.indexOf('?')
  const path = normalisePath(mark === -1 ? target : target.slice(0, mark)) ?? ''
  const query = mark === -1 ? '' : target.slice(mark)
  // A fragment or a control character has no business here and other servers read it differently.
  return query !== '' && /[\0-\x20\x7f#]/.test(query)
    ? { path: '', query: '', authority }
    : { path, query, authority }
}

/** Lower case and without the port. */
function hostOf(authority: string): string {
  const host = authority.replace(/:\d*$/, '')
  return host === host.toLowerCase() ? host : host.toLowerCase()
}

function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}

/** Contract §5.2: the right-most address of the chain that is no trusted proxy. */
function originOf(request: IncomingMessage, peer: string, trusted: Networks): string {
  const given = request.headers['x-forwarded-for']
  const chain = (Array.isArray(given) ? given.join(',') : (given ?? '')).split(',')
  let origin = peer
  for (const each of chain.reverse()) {
    const address = plainAddress(each.trim())
    if (!/^[0-9a-fA-F:.]+$/.test(address)) break
    origin = address
    if (!trusted.has(address)) break
  }
  return origin
}

function requestIdOf(request: IncomingMessage): string | undefined {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : undefined
}
