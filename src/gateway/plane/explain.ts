/** What would become of a request: nothing is sent and nothing counted (contract §3.4). */
import { Socket } from 'node:net'
import { FORWARDED_HEADER } from '#access-thread'
import type { ExplainRequest, Explanation } from '../protocol.ts'
import type { RouteValue } from '../resources/values.ts'
import type { Chain } from './chain.ts'
import type { Context } from './context.ts'
import { NO_LENGTH } from './http1/head-text.ts'
import { kindOf } from './http1/header-kinds.ts'
import type { RequestHead } from './http1/parse-request.ts'
import { captureParameters } from './path-index.ts'
import { renderRequestHead } from './request-head.ts'
import { type Candidate, createAccepts } from './resolve.ts'
import type { Client } from './server/client.ts'
import type { State } from './state.ts'
import type { UpstreamNode } from './upstream.ts'

interface Deps {
  readonly state: State
  toContext(asked: ExplainRequest): Context
  match(ctx: Context): boolean
}

const PHASES = ['rewrite', 'access', 'beforeProxy', 'headerFilter', 'log'] as const
const WIRE_PHASES: Readonly<Record<(typeof PHASES)[number], string>> = {
  rewrite: 'rewrite',
  access: 'access',
  beforeProxy: 'before_proxy',
  headerFilter: 'header_filter',
  log: 'log',
}
/** Plugins whose rewrite phase only changes the request, so that running it leaves no trace. */
const HARMLESS = ['proxy-rewrite', 'request-id']

export function createExplain({ state, toContext, match }: Deps) {
  return function explain(asked: ExplainRequest): Explanation {
    const ctx = toContext(asked)
    const isMatched = ctx.path !== '' && match(ctx)
    const rejected = findRejected(ctx)
    const { resolved, pattern } = ctx
    if (!isMatched || !resolved || !pattern) {
      const plugins = listPlugins({ ...ctx.globalChain, beforeProxy: [] })
      return { matched: null, rejected, plugins, upstream: null, forward: null }
    }
    const { upstream } = resolved
    return {
      matched: {
        route_id: resolved.route.id,
        params: Object.fromEntries(captureParameters(pattern, ctx.path)),
      },
      rejected,
      plugins: [ctx.globalChain, ctx.chain].flatMap(listPlugins),
      upstream: upstream && { id: upstream.key, nodes: upstream.nodes.map(({ name }) => name) },
      forward: forwardOf(ctx, upstream?.nodes[0]),
    }
  }

  /** Routes of this path and host whose other conditions do not hold, best first. */
  function findRejected(ctx: Context) {
    const { method, path, host, remoteAddr } = ctx
    const candidate: Candidate = { method, path, host, remoteAddr, ctx, isPreflight: false }
    const before = { pattern: ctx.pattern, params: ctx.params }
    const rejected = state.candidates(candidate).flatMap(({ route, pattern }) => {
      const because = aspectsOf(route.value).find(
        ({ value }) => !createAccepts(value, route.id)(candidate, pattern),
      )
      return because ? [{ route_id: route.id, because: because.name }] : []
    })
    Object.assign(ctx, before)
    return rejected
  }
}

/** Makes requests that nobody has sent, as if they had come in by this port. */
export function createImagined(
  open: (request: RequestHead, client: Client) => Context,
  localPort: number,
) {
  return (asked: ExplainRequest): Context => {
    const { remote_addr: address } = asked
    const peer = { ...NOBODY.peer, address, localPort }
    const ctx = open(toRequest(asked), { ...NOBODY, peer })
    return { ...ctx, remoteAddr: address }
  }
}

/** A client that sends and takes nothing. */
const NOBODY: Client = {
  peer: { address: '', port: 0, localPort: 0, lines: '' },
  isTls: false,
  entrance: null,
  closes: false,
  ownLines: '',
  hint() {},
  begin() {},
  flush() {},
  write: () => true,
  end() {},
  takeBody() {},
  resumeBody() {},
  destroy() {},
  detach: () => ({ socket: new Socket(), ahead: Buffer.alloc(0) }),
}

function toRequest({ method, uri, host, headers }: ExplainRequest): RequestHead {
  const all = Object.entries({ host, ...headers })
  const find = (wanted: string) => all.find(([name]) => name.toLowerCase() === wanted)?.[1]
  return {
    method,
    target: uri,
    isOld: false,
    rawHeaders: all.flat(),
    kinds: all.map(([name]) => kindOf(name)),
    hosts: 1,
    requestIds: 1,
    host: find('host'),
    requestId: find('x-request-id'),
    length: NO_LENGTH,
    isChunked: find('transfer-encoding') !== undefined,
    connection: find('connection'),
    upgrade: undefined,
    expect: undefined,
  }
}

/** The conditions of a route one by one. */
function aspectsOf(value: RouteValue): { name: string; value: RouteValue }[] {
  const { status, methods, remote_addr: address, remote_addrs: addresses, vars } = value
  return [
    { name: 'status', value: status === undefined ? {} : { status } },
    { name: 'methods', value: methods ? { methods } : {} },
    {
      name: 'remote_addrs',
      value: {
        ...(address === undefined ? {} : { remote_addr: address }),
        ...(addresses ? { remote_addrs: addresses } : {}),
      },
    },
    { name: 'vars', value: vars ? { vars } : {} },
  ]
}

function listPlugins(chain: Chain): Explanation['plugins'] {
  return PHASES.flatMap((phase) =>
    chain[phase].map(({ given, priority, owner }) => ({
      name: given,
      phase: WIRE_PHASES[phase],
      priority,
      from: owner,
    })),
  )
}

function forwardOf(ctx: Context, node: UpstreamNode | undefined): Explanation['forward'] {
  const upstream = ctx.resolved?.upstream
  if (!upstream || !node) return null
  for (const instance of [...ctx.globalChain.rewrite, ...ctx.chain.rewrite]) {
    if (HARMLESS.includes(instance.name)) void instance.phases.rewrite?.(ctx)
  }
  const [line = '', ...lines] = renderRequestHead(ctx, upstream, node).trimEnd().split('\r\n')
  const [method = '', path = ''] = line.split(' ')
  const headers = lines.map((each) => {
    const colon = each.indexOf(':')
    return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()] as const
  })
  // What our own API would be told is signed, and nobody else's to see.
  const shown = headers.filter(([name]) => name !== FORWARDED_HEADER)
  return { method, path, headers: Object.fromEntries(shown) }
}
