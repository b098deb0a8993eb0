import { performance } from 'node:perf_hooks'
import type { Networks } from '../expression/networks.ts'
import { NO_CHAIN } from './chain.ts'
import { NO_CONSUMERS } from './consumers.ts'
import type { Context } from './context.ts'
import { normalisePath } from './normalise.ts'
import type { Client } from './server/client.ts'
import { headersOf } from './server/headers-of.ts'
import { type RequestHead, wantsSwitch } from './server/parse-request.ts'

interface Deps {
  readonly trusted: Networks | null
  newId(): string
}

const REQUEST_ID = /^[A-Za-z0-9._:/+=-]{1,128}$/

/** Reads what everything later goes by. The path is empty when the target is not a correct one. */
export function createOpener({ trusted, newId }: Deps) {
  const hostOf = rememberLast(plainHost)
  return function open(request: RequestHead, client: Client): Context {
    const { target, method } = request
    const { path, query, authority } = splitTarget(target)
    const sentHost = authority ?? request.host
    const peer = client.address
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
      host: hostOf(sentHost ?? ''),
      sentHost,
      peer,
      isTrusted,
      remoteAddr: isTrusted && trusted ? originOf(request, peer, trusted) : peer,
      requestId: requestIdOf(request) ?? newId(),
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
      isBusy: false,
      isBodyTaken: false,
      isBodyChunked: false,
      bodyLeft: 0,
      status: 0,
      headers: [],
      replacedBody: null,
      rewriteBody: null,
      held: null,
      heldBytes: 0,
      isDiscarding: false,
      isOver: false,
      isAnswered: false,
      isEnded: false,
      isFlushed: false,
      record: null,
      sale: null,
      upstreamStatus: 0,
      upstreamMs: 0,
      bytesIn: 0,
      bytesOut: 0,
      errorCode: '',
    }
  }
}

/** RFC 9112 §3.2: exactly one, or two servers could take the request for different ones. */
export function hasOneHost({ hosts, isOld }: RequestHead): boolean {
  return hosts === 1 || (hosts === 0 && isOld)
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

/** A client mostly asks for the same host again. */
function rememberLast(find: (text: string) => string): (text: string) => string {
  let last = ''
  let found = ''
  return (text) => {
    if (text !== last) {
      found = find(text)
      last = text
    }
    return found
  }
}

/** Lower case and without the port. */
function plainHost(authority: string): string {
  const colon = authority.lastIndexOf(':')
  const hasPort = colon !== -1 && /^\d*$/.test(authority.slice(colon + 1))
  return (hasPort ? authority.slice(0, colon) : authority).toLowerCase()
}

function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}

/** Contract §5.2: the right-most address of the chain that is no trusted proxy. */
function originOf(request: RequestHead, peer: string, trusted: Networks): string {
  const chain = (headersOf(request)['x-forwarded-for'] ?? '').split(',')
  let origin = peer
  for (const each of chain.reverse()) {
    const address = plainAddress(each.trim())
    if (!/^[0-9a-fA-F:.]+$/.test(address)) break
    origin = address
    if (!trusted.has(address)) break
  }
  return origin
}

function requestIdOf({ requestId: given }: RequestHead): string | undefined {
  return given !== undefined && REQUEST_ID.test(given) ? given : undefined
}
