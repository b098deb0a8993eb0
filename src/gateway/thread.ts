// A gateway thread: the data plane. It holds an immutable configuration and touches no database.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { createLocalBus, drainServer, openLog, READY, REOPEN_LOG, STOP } from '#kernel-thread'
import type { FromThread, ThreadData, ToThread } from './protocol.ts'
import { applyDelta, emptySnapshot, fullSnapshot } from './snapshot.ts'

const data: ThreadData = workerData
const control = parentPort
if (!control) throw new Error('a gateway thread needs a parent')

const { log, close: closeLog, reopen } = openLog(data.log, data.name)
const bus = createLocalBus({ channel: data.channel, log })
bus.subscribe(REOPEN_LOG, reopen)
const NOT_FOUND = Buffer.from('{"error_msg":"404 Route Not Found"}')
let snapshot = emptySnapshot
let listening = false

const server = createServer({ maxHeaderSize: 64 * 1024, keepAliveTimeout: 75_000 }, handle)
const drain = drainServer(server)

control.on('message', (message: ToThread | typeof STOP) => {
  if (message === STOP) void stop()
  else void receive(message)
})
// The data plane listens only after its configuration is loaded (gateway contract §10).
send({ type: 'gap', revision: 0 })

async function receive(message: ToThread) {
  if (message.type === 'full') snapshot = fullSnapshot(message.revision, message.objects)
  else if (message.to <= snapshot.revision) return
  else if (message.from === snapshot.revision) {
    snapshot = applyDelta(snapshot, message.to, message.changes)
  } else return send({ type: 'gap', revision: snapshot.revision })

  if (!listening) await listen()
  send({ type: 'ack', revision: snapshot.revision })
}

async function listen() {
  listening = true
  server.listen({ host: data.host, port: data.port, reusePort: process.platform === 'linux' })
  await once(server, 'listening')
  control?.postMessage(READY)
}

function handle(request: IncomingMessage, response: ServerResponse) {
  if (data.underTest && request.headers['x-test-block'])
    block(Number(request.headers['x-test-block']))
  if (data.underTest && request.headers['x-test-die']) die()
  const config = snapshot
  response.writeHead(404, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': NOT_FOUND.length,
    ...(data.underTest ? { 'x-test-revision': config.revision, 'x-test-thread': data.name } : {}),
  })
  response.end(request.method === 'HEAD' ? undefined : NOT_FOUND)
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
  const left = await drain(data.drainMs)
  if (left > 0) log.warn({ connections: left }, 'connections were cut at the drain limit')
  await bus.close()
  await closeLog()
  process.exit(0)
}
