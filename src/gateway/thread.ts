// A gateway thread: the data plane. It holds a compiled configuration and touches no database.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { createLocalBus } from '#bus'
import { CLIENT_GONE } from '#journal'
import { createClock, openLog, REOPEN_LOG } from '#kernel'
import { READY, STOP, settleThread } from '#threads'
import { createNetworks } from './expression/networks.ts'
import { createLoggers } from './loggers/index.ts'
import { openMemory } from './memory.ts'
import { createAccessLog } from './plane/access-log.ts'
import { sendFailure } from './plane/answer.ts'
import { createAnswerCache } from './plane/answer-cache.ts'
import type { Instance } from './plane/chain.ts'
import type { Context } from './plane/context.ts'
import { createExplain, createImagined } from './plane/explain.ts'
import { createForwarder } from './plane/forward.ts'
import { guardService } from './plane/guard.ts'
import { createThreadMetrics } from './plane/metrics.ts'
import { createOpener } from './plane/open-context.ts'
import { createPipeline } from './plane/pipeline.ts'
import { openSelling } from './plane/selling.ts'
import type { Service } from './plane/server/client.ts'
import { headersOf } from './plane/server/headers-of.ts'
import { createListener } from './plane/server/listener.ts'
import { createState } from './plane/state.ts'
import { createThreadCalls } from './plane/thread-calls.ts'
import { isWanted } from './plane/wanted.ts'
import { loadPlugins } from './plugins/load.ts'
import { type FromThread, PURGE_TOPIC, type ThreadData, type ToThread } from './protocol.ts'
import { createScripts, mentionsScripts } from './scripts/scripts.ts'
import { createScriptTest } from './scripts/test-script.ts'

const data: ThreadData = workerData
const control = parentPort
if (!control) throw new Error('a gateway thread needs a parent')
if (data.heldBack) Atomics.wait(new Int32Array(data.heldBack), 0, 1)

const { log, close: closeLog, reopen, writeLines } = openLog(data.log, data.name)
const bus = createLocalBus({ port: data.bus, log })
bus.subscribe(REOPEN_LOG, reopen)
const clock = createClock(data.clock)
const memory = openMemory(data.memory)
const plugins = loadPlugins()
const metrics = createThreadMetrics()
const selling = await openSelling({
  ...{ data, clock, log, bus },
  onRefused: (limit, plan) => metrics.count('plan_refusals_total', { limit, plan }),
  send: (ask, question) => send({ type: 'question', ask, question }),
})
const scripts = createScripts({ log, noteTime: metrics.noteScriptTime })
const loggers = createLoggers({ log, directories: data.logDirectories, count: metrics.count })
const forwarder = createForwarder({ memory, threadNo: data.threadNo, log, maxBody: data.maxBody })
const calls = createThreadCalls((ask, request) => send({ type: 'call', ask, request }))
const cache = createAnswerCache(data.cacheBytes)
const threadId = randomUUID()
const state = createState({
  log,
  clock,
  memory,
  pools: forwarder.pools,
  verifyTls: data.upstreamTlsVerify,
  findPlugin: plugins.find,
  access: selling.access,
  counters: selling.counters,
  scripts,
  loggers,
  count: metrics.count,
  api: data.api,
  tlsPort: data.tlsPort,
  defaultCertificate: data.defaultCertificate,
  serveTls: (socket, entrance) =>
    tlsListener?.serve(socket, entrance, socket.alpnProtocol === 'h2'),
  abort: (abort) => send({ type: 'abort', abort }),
  // Who is silent for long is replaced, with all its connections.
  pause() {
    send({ type: 'preparing' })
    return nextTurn()
  },
  call: calls.call,
  sessionKey: data.sessionKey,
  cache,
  // Here at once; the main thread brings it to the threads of all nodes.
  purge(purge) {
    cache.purge(purge)
    void bus.publish(PURGE_TOPIC, { ...purge, from: threadId })
  },
})
const { forward, crash } = forwarder
const pipeline = createPipeline({ state, log, forward, crash })
const accessLog = createAccessLog({ write: writeLines, name: data.name, now: clock.now })
const trusted = data.trustedProxies.length > 0 ? createNetworks(data.trustedProxies) : null
// Random, not by time: made for every request, and this one costs a tenth.
const open = createOpener({ trusted, newId: randomUUID, crash })

const toContext = createImagined(open, data.port)
const explain = createExplain({ state, toContext, match: pipeline.match })
const { hasUpstream } = state
const testScript = createScriptTest({ scripts, toContext, now: clock.now, hasUpstream })

/** How long entries of loggers may take to leave when the server stops. */
const LOGS_WITHIN_MS = 5_000

let revision = 0
let configuring: Promise<void> = Promise.resolve()
let isListening = false
let isServing = false
let underWay = 0
/** Requests that are over and whose lines wait for a script. */
const lateLogs = new Set<Promise<void>>()

const { body, bodyEnd, drained } = forwarder
const service: Service<Context> = guardService(
  { open, run, body, bodyEnd, bodyFault, drained, over },
  crash,
)
const report = (error: unknown) => log.error({ err: error }, 'a connection could not be served')
const proxies = data.proxyProtocol.length > 0 ? createNetworks(data.proxyProtocol) : null
const shared = { service, report, proxies, hasH2c: data.h2c, now: clock.now }
const listener = createListener({ ...shared, chooseServer: null })
const tlsListener =
  data.tlsPort === null
    ? null
    : createListener({ ...shared, chooseServer: ({ name }) => state.findTlsServer(name) })
const listeners = [
  { ...listener, on: data.port },
  ...(tlsListener && data.tlsPort !== null ? [{ ...tlsListener, on: data.tlsPort }] : []),
]

control.on('message', (message: ToThread | typeof STOP) => {
  if (message === STOP) void stop()
  else receive(message).catch(misunderstood)
})
// The data plane listens only after its configuration is loaded (gateway contract §10).
send({ type: 'gap', revision: 0 })

async function receive(message: ToThread) {
  if (message.type === 'answer' || message.type === 'limits') return selling.receive(message)
  if (message.type === 'forget') {
    selling.receive(message)
    return send({ type: 'forgotten', ask: message.ask })
  }
  if (message.type === 'called') return calls.settle(message.ask, message.answer)
  if (message.type === 'purge') {
    const isOwn = message.purge.from === threadId
    return send({
      ...{ type: 'purged', ask: message.ask },
      count: isOwn ? 0 : cache.purge(message.purge),
    })
  }
  if (message.type === 'metrics') {
    const connections = listeners.reduce((sum, { open }) => sum + open(), 0)
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
  if (message.type === 'script') {
    const outcome = await testScript(message.test)
    return send({ type: 'scripted', ask: message.ask, outcome })
  }
  // One after the other: each goes by the revision before it.
  const turn = configuring.then(() => configure(message))
  configuring = turn.catch(() => {})
  return turn
}

async function configure(message: Extract<ToThread, { type: 'full' | 'delta' }>) {
  if (!scripts.isOpen() && mentionsScripts(message)) await openScripts()
  // Of those that were asked for while the first one was on its way; each would compile everything again.
  if (isListening && message.type === 'full' && message.revision <= revision) return
  if (message.type === 'full') {
    await state.reset(message.objects)
    revision = message.revision
  } else if (message.to <= revision) return
  else if (message.from === revision) {
    await state.apply(message.changes)
    revision = message.to
  } else return send({ type: 'gap', revision })

  if (!isListening) await listen()
  send({ type: 'ack', revision })
}

/** On a busy machine it takes seconds, and who is silent for as long is replaced, with all its connections. */
function openScripts(): Promise<void> {
  send({ type: 'preparing' })
  return scripts.open()
}

/** A thread that serves goes on; one that cannot begin, because its port is taken, has to end. */
function misunderstood(error: unknown) {
  if (!isServing) throw error
  log.error({ err: error }, 'a message was not understood')
}

async function listen() {
  isListening = true
  for (const { listen, on } of listeners) await listen(data.host, on)
  isServing = true
  control?.postMessage(READY)
  settleThread()
}

function run(ctx: Context) {
  const { request, client } = ctx
  if (data.underTest) obeyTest(ctx)
  underWay++
  if (ctx.fault !== null) {
    client.closes = true
    return sendFailure(ctx, 400, 'bad_request', ctx.fault)
  }
  if (request.expect !== undefined && request.expect.toLowerCase() !== '100-continue') {
    client.closes = true
    return sendFailure(ctx, 417, 'expectation_failed', 'only 100-continue can be expected')
  }
  if (ctx.isTls && state.isMisdirected(ctx)) {
    client.closes = true
    const message = 'clients of this host are verified: connect to it by its own name'
    return sendFailure(ctx, 421, 'misdirected_request', message)
  }
  pipeline.run(ctx)
}

/** Nothing that follows such a body can be trusted. */
function bodyFault(ctx: Context, status: number, message: string) {
  forwarder.abandon(ctx)
  if (ctx.isAnswered) return ctx.client.destroy()
  sendFailure(ctx, status, 'bad_request', message)
}

function over(ctx: Context, isWhole: boolean) {
  if (ctx.isOver) return
  ctx.isOver = true
  underWay--
  const isGone = !isWhole && ctx.errorCode === ''
  if (!isWhole) forwarder.abandon(ctx)
  const status = isGone ? CLIENT_GONE : ctx.status
  record(ctx, status)
  const durationMs = performance.now() - ctx.startedAt
  const { log: global } = ctx.globalChain
  const { log: own } = ctx.chain
  const waits = runLog(ctx, global.length === 0 ? own : [...global, ...own])
  if (!waits) return note(ctx, status, durationMs)
  const noted = waits.then(() => note(ctx, status, durationMs))
  lateLogs.add(noted)
  void noted.then(() => lateLogs.delete(noted))
}

function note(ctx: Context, status: number, durationMs: number) {
  metrics.note(ctx, status, durationMs)
  accessLog.note(ctx, status, durationMs)
}

/** Whatever fails after the answer keeps none of the rest from being noted. */
function record(ctx: Context, status: number) {
  try {
    ctx.meter?.record(status)
  } catch (error) {
    crash(ctx, error)
  }
}

/** In their order: what a script finds out is there for the loggers after it. */
function runLog(ctx: Context, instances: readonly Instance[]): Promise<void> | undefined {
  for (const [at, instance] of instances.entries()) {
    const waits = runLogger(ctx, instance)
    if (waits) return waits.then(() => runLog(ctx, instances.slice(at + 1)))
  }
  return undefined
}

function runLogger(ctx: Context, instance: Instance): Promise<void> | undefined {
  try {
    const waits = isWanted(ctx, instance) ? instance.phases.log?.(ctx) : undefined
    return waits ? waits.catch((error: unknown) => crash(ctx, error)) : undefined
  } catch (error) {
    crash(ctx, error)
    return undefined
  }
}

function obeyTest(ctx: Context) {
  const { request, client } = ctx
  const headers = headersOf(request)
  if (headers['x-test-throw']) setTrap(ctx, headers['x-test-throw'])
  if (headers['x-test-block']) block(Number(headers['x-test-block']))
  if (headers['x-test-die']) die()
  client.ownLines = `x-test-revision: ${revision}\r\nx-test-thread: ${data.name}\r\n`
}

/** Whoever reads this member fails, as it would by a fault in the program. */
function setTrap(ctx: Context, member: string) {
  Object.defineProperty(ctx, member, {
    set() {},
    get() {
      throw new Error(`${member} is a trap`)
    },
  })
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

async function within(ms: number, work: Promise<unknown>) {
  const late = new AbortController()
  await Promise.race([work, delay(ms, undefined, { signal: late.signal }).catch(() => {})])
  late.abort()
}

async function stop() {
  const cut = await Promise.all(listeners.map(({ drain }) => drain(data.drainMs)))
  const left = cut.reduce((sum, count) => sum + count, 0)
  if (left > 0) log.warn({ connections: left }, 'connections were cut at the drain limit')
  forwarder.pools.close()
  await within(LOGS_WITHIN_MS, Promise.all(lateLogs))
  accessLog.flush()
  await loggers.close(LOGS_WITHIN_MS)
  await scripts.close()
  await selling.close()
  await bus.close()
  await closeLog()
  process.exit(0)
}
