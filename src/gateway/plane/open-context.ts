import { performance } from 'node:perf_hooks'
import type { Networks } from '../expression/networks.ts'
import { parseClientAddress } from './address.ts'
import { parseAuthority } from './authority.ts'
import { NO_CHAIN } from './chain.ts'
import { NO_CONSUMERS } from './consumers.ts'
import type { Context } from './context.ts'
import { type RequestHead, wantsSwitch } from './http1/parse-request.ts'
import { NO_TRAILERS } from './http1/trailers.ts'
import { normalisePath } from './normalise.ts'
import type { Client } from './server/client.ts'
import { headersOf } from './server/headers-of.ts'

interface Deps {
  readonly trusted: Networks | null
  newId(): string
  readonly crash: Context['crash']
}

const REQUEST_ID = /^[A-Za-z0-9._:/+=-]{1,128}$/

/** Reads what everything later goes by. The path is empty when the target is not a correct one. */
export function createOpener({ trusted, newId, crash }: Deps) {
  const hostOf = rememberLast(parseAuthority)
  return function open(request: RequestHead, client: Client): Context {
    const { target, method } = request
    const { path, query, authority } = splitTarget(target)
    const sentHost = authority ?? request.host
    const host = sentHost === undefined ? '' : hostOf(sentHost)
    const peer = client.peer.address
    const isTrusted = trusted?.has(peer) ?? false
    return {
      request,
      client,
      wantsSwitch: wantsSwitch(request),
      startedAt: performance.now(),
      isTls: client.isTls,
      method,
      target,
      path,
      query,
      host: host ?? '',
      fault: hostFault(request, host, authority !== undefined),
      sentHost,
      peer,
      isTrusted,
      remoteAddr: isTrusted && trusted ? originOf(request, peer, trusted) : peer,
      requestId: requestIdOf(request) ?? newId(),
      isPreflight: false,
      hidesQuery: false,
      resolved: null,
      lacksPlugins: false,
      pattern: null,
      matchedHost: '',
      globalChain: NO_CHAIN,
      chain: NO_CHAIN,
      consumer: null,
      consumers: NO_CONSUMERS,
      params: null,
      args: null,
      extra: null,
      verdicts: null,
      wanted: null,
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
      isCountedBusy: false,
      isBodyTaken: false,
      newBody: null,
      readBody: null,
      isBodyChunked: false,
      bodyLeft: 0,
      crash,
      answers: 0,
      heldBack: null,
      tap: null,
      hints: 0,
      trailers: NO_TRAILERS,
      status: 0,
      headers: [],
      replacedBody: null,
      rewriteBody: null,
      held: null,
      heldBytes: 0,
      isDiscarding: false,
      isFailed: false,
      isOver: false,
      isAnswered: false,
      answeredAt: 0,
      isEnded: false,
      isFlushed: false,
      meter: null,
      isRefused: false,
      sale: null,
      upstreamStatus: 0,
      upstreamMs: 0,
      bytesIn: 0,
      bytesOut: 0,
      errorCode: '',
      scriptLines: null,
      prefersNames: false,
    }
  }
}

/** RFC 9112 §3.2: exactly one, or two servers could take the request for different ones. */
function hostFault(
  { hosts, isOld, host: sent }: RequestHead,
  host: string | undefined,
  isAbsolute: boolean,
): string | null {
  if (hosts !== 1 && (hosts > 1 || !isOld)) return 'a request has exactly one Host header'
  // Beside an absolute target the header does not count, and has to be correct all the same.
  const isBad = isAbsolute && sent !== undefined && parseAuthority(sent) === undefined
  return host === undefined || isBad ? 'the host is not correct' : null
}

interface Target {
  readonly path: string
  readonly query: string
  /** Of the absolute form (RFC 9112 §3.2.2), where it counts instead of the Host header. */
  readonly authority: string | undefined
}

function splitTarget(target: string): Target {
  if (target.charCodeAt(0) === 47) return split(target, undefined)
  const [, authority, rest] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target) ?? []
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

/** A client mostly asks for the same host again. */
function rememberLast<T>(find: (text: string) => T): (text: string) => T {
  let last = ''
  let found = find(last)
  return (text) => {
    if (text !== last) {
      found = find(text)
      last = text
    }
    return found
  }
}

/** Contract §5.2: the right-most address of the chain that is no trusted proxy. */
function originOf(request: RequestHead, peer: string, trusted: Networks): string {
  const chain = (headersOf(request)['x-forwarded-for'] ?? '').split(',')
  let origin = peer
  for (const each of chain.reverse()) {
    const found = parseClientAddress(each)
    if (!found) break
    origin = found.address
    if (!trusted.has(origin)) break
  }
  return origin
}

function requestIdOf({ requestId: given }: RequestHead): string | undefined {
  return given !== undefined && REQUEST_ID.test(given) ? given : undefined
}
