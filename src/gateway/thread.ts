// A gateway thread: the data plane. It holds a compiled configuration and touches no database.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { parentPort, workerData } from 'node:worker_threads'
import {
  CLIENT_GONE,
  createClock,
  createLocalBus,
  drainServer,
  nodeHttp,
  openLog,
  READY,
  REOPEN_LOG,
  STOP,
  settleThread,
} from '#kernel-thread'
import { createNetworks } from './expression/networks.ts'
import { openMemory } from './memory.ts'
import { createAccessLog } from './plane/access-log.ts'
import { sendFailure } from './plane/answer.ts'
import { type Chain, isWanted } from './plane/chain.ts'
import { refuseMalformed, renderRefusal } from './plane/client-error.ts'
import type { Context } from './plane/context.ts'
import { createExplain } from './plane/explain.ts'
import { createForwarder } from './plane/forward.ts'
import { createThreadMetrics } from './plane/metrics.ts'
import { createOpener, hasOneHost } from './plane/open-context.ts'
import { createPipeline } from './plane/pipeline.ts'
import { openSelling } from './plane/selling.ts'
import { createState } from './plane/state.ts'
import { lookUp } from './plane/variables.ts'
import { loadPlugins } from './plugins/load.ts'
import type { FromThread, ThreadData, ToThread } from './protocol.ts'

const HEADERS_TIMEOUT_MS = 60_000

const data: ThreadData = workerData
const control = parentPort
if (!control) throw new Error('a gateway thread needs a parent')

const { log, close: closeLog, reopen, writeLines } = openLog(data.log, data.name)
const bus = createLocalBus({ channel: data.channel, log })
bus.subscribe(REOPEN_LOG, reopen)
const clock = createClock(data.clock)
const memory = openMemory(data.memory)
const plugins = loadPlugins()
const selling = await openSelling({
  ...{ data, clock, log, bus },
  send: (ask, question) => send({ type: 'question', ask, question }),
})
const forwarder = createForwarder({ memory, lane: data.lane, log, maxBody: data.maxBody })
const state = createState({
  log,
  clock,
  memory,
  pools: forwarder.pools,
  verifyTls: data.upstreamTlsVerify,
  findPlugin: plugins.find,
  access: selling.access,
  api: data.api,
})
const pipeline = createPipeline({ state, log, forward: forwarder.forward })
const metrics = createThreadMetrics()
const accessLog = createAccessLog({ write: writeLines, name: data.name, now: clock.now })
const trusted = data.trustedProxies.length > 0 ? createNetworks(data.trustedProxies) : null
// Random, not by time: made for every request, and this one costs a tenth.
const open = createOpener({ trusted, newId: randomUUID })

const explain = createExplain({ state, open, match: pipeline.match })

let revision = 0
let isListening = false
let underWay = 0
let connections = 0

const OPTIONS: ServerOptions = {
  maxHeaderSize: 64 * 1024,
  keepAliveTimeout: 75_000,
  headersTimeout: HEADERS_TIMEOUT_MS,
  // A body may take as long as it takes; the upstream's time limits hold.
  requestTimeout: 0,
  // Checked here, because what follows on such a connection must not be looked at either.
  requireHostHeader: false,
  shouldUpgradeCallback: (request) => mayUpgrade(request),
}
const servers = [equip(nodeHttp.createServer(OPTIONS), data.port, false)]
if (data.tlsPort !== null) {
  servers.push(
    equip(createTlsServer({ ...OPTIONS, SNICallback: chooseCertificate }), data.tlsPort, true),
  )
}

control.on('message', (message: ToThread | typeof STOP) => {
  if (message === STOP) void stop()
  else void receive(message)
})
// The data plane listens only after its configuration is loaded (gateway contract §10).
send({ type: 'gap', revision: 0 })

async function receive(message: ToThread) {
  if (message.type === 'answer' || message.type === 'limits') return selling.receive(message)
  if (message.type === 'forget') {
    selling.receive(message)
    return send({ type: 'forgotten', ask: message.ask })
  }
  if (message.type === 'metrics') {
    const counts = {
      active: connections,
      waiting: Math.max(0, connections - underWay),
      handling: underWay,
    }
    return send({ type: 'metrics', ask: message.ask, metrics: metrics.collect(counts) })
  }
  if (message.type === 'explain') {
    const explanation = explain(message.request)
    return send({ type: 'explained', ask: message.ask, explanation })
  }
  if (message.type === 'full') {
    state.reset(message.objects)
    revision = message.revision
  } else if (message.to <= revision) return
  else if (message.from === revision) {
    state.apply(message.changes)
    revision = message.to
  } else return send({ type: 'gap', revision })

  if (!isListening) await listen()
  send({ type: 'ack', revision })
}

async function listen() {
  isListening = true
  for (const { server, port } of servers) {
    server.listen({ host: data.host, port, reusePort: process.platform === 'linux' })
    await once(server, 'listening')
  }
  control?.postMessage(READY)
  settleThread()
}

function equip(server: Server, port: number, isTls: boolean) {
  const drain = drainServer(server)
  server.on('connection', (socket: Socket) => {
    connections++
    socket.once('close', () => connections--)
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response, { isTls })
  })
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response, { isTls, expectsContinue: true })
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    handleUpgrade(request, socket, head, isTls)
  })
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.end(renderRefusal(405, 'CONNECT is not served'))
  })
  server.on('clientError', refuseMalformed)
  return { server, port, drain }
}

interface Circumstances {
  readonly isTls: boolean
  readonly expectsContinue?: boolean
  readonly upgrade?: { readonly socket: Socket; readonly head: Buffer }
}

/** Connections on which something was wrong: whatever else they have sent is not looked at. */
const distrusted = new WeakSet<Socket>()

function handle(request: IncomingMessage, response: ServerResponse, how: Circumstances) {
  if (distrusted.has(request.socket)) return
  if (data.underTest) obeyTest(request, response)
  const { isTls, expectsContinue = false, upgrade = null } = how
  const ctx = open({ request, response, upgrade, expectsContinue, isTls })
  underWay++
  const over = () => finish(ctx)
  if (upgrade) upgrade.socket.once('close', over)
  else response.once('close', over)
  if (hasOneHost(ctx)) return pipeline.run(ctx)
  distrusted.add(request.socket)
  response.shouldKeepAlive = false
  sendFailure(ctx, 400, 'bad_request', 'a request has exactly one Host header')
}

function finish(ctx: Context) {
  if (ctx.isOver) return
  ctx.isOver = true
  underWay--
  const isWhole = ctx.response.writableFinished || (ctx.upgrade !== null && ctx.status === 101)
  const isGone = !isWhole && ctx.errorCode === ''
  if (!isWhole) forwarder.abandon(ctx)
  const status = isGone ? CLIENT_GONE : ctx.status
  ctx.record?.(status)
  if (ctx.globalChain.log.length > 0) runLog(ctx, ctx.globalChain)
  if (ctx.chain.log.length > 0) runLog(ctx, ctx.chain)
  const durationMs = performance.now() - ctx.startedAt
  metrics.note(ctx, status, durationMs)
  accessLog.note(ctx, status, durationMs)
}

function runLog(ctx: Context, { log }: Chain) {
  const get = (name: string) => lookUp(ctx, name)
  for (const instance of log) if (isWanted(instance, get)) instance.phases.log?.(ctx)
}

/** Contract §5.3: other requests to switch are ordinary ones, whose upgrade is dropped. */
function mayUpgrade(request: IncomingMessage): boolean {
  if (request.headers.upgrade?.toLowerCase() !== 'websocket') return false
  const response = new nodeHttp.ServerResponse(request)
  const ctx = open({ request, response, upgrade: null, expectsContinue: false, isTls: false })
  return ctx.path !== '' && pipeline.match(ctx) && ctx.resolved?.hasWebSocket === true
}

/** Until the upstream agrees, whatever is answered goes through an ordinary response. */
function handleUpgrade(request: IncomingMessage, stream: Duplex, head: Buffer, isTls: boolean) {
  const socket = request.socket
  if (stream !== socket) return void stream.destroy()
  const response = new nodeHttp.ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  response.once('finish', () => {
    response.detachSocket(socket)
    socket.end()
  })
  socket.on('error', () => {})
  handle(request, response, { isTls, upgrade: { socket, head } })
}

function chooseCertificate(
  servername: string,
  done: (error: Error | null, context?: ReturnType<typeof state.findCertificate>) => void,
) {
  const context = state.findCertificate(servername)
  if (context) done(null, context)
  else done(new Error(`there is no certificate for ${servername}`))
}

function obeyTest(request: IncomingMessage, response: ServerResponse) {
  const { headers } = request
  if (headers['x-test-block']) block(Number(headers['x-test-block']))
  if (headers['x-test-die']) die()
  response.setHeader('x-test-revision', revision)
  response.setHeader('x-test-thread', data.name)
}

/** Keeps the thread from doing anything else, as an endless loop in a plugin would. */
function block(ms: number) {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}

/** Outside of the request, where nothing can catch it. */
function die() {
  setImmediate(() => {
    throw new Error('told to die')
  })
}

function send(message: FromThread) {
  control?.postMessage(message)
}

async function stop() {
  const cut = await Promise.all(servers.map(({ drain }) => drain(data.drainMs)))
  const left = cut.reduce((sum, count) => sum + count, 0)
  if (left > 0) log.warn({ connections: left }, 'connections were cut at the drain limit')
  forwarder.pools.close()
  accessLog.flush()
  await selling.close()
  await bus.close()
  await closeLog()
  process.exit(0)
}
