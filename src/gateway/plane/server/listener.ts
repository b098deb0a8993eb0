import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { drainConnections } from '#kernel-thread'
import type { ClientConnection, ConnectionOwner, Limits, Service } from './client.ts'
import { serveConnection } from './connection.ts'
import { awaitHello, type ChooseServer } from './tls-entry.ts'

interface Deps<T> {
  readonly service: Service<T>
  /** Null: without TLS. The servers it names hand their connections to `serve`. */
  readonly chooseServer: ChooseServer | null
  /** A fault of our own, outside of any exchange. */
  report(error: unknown): void
  now?(): number
  readonly limits?: Limits
  readonly tickMs?: number
}

const TICK_MS = 1_000
const LIMITS: Limits = { headTicks: 60, idleTicks: 75, lingerTicks: 2 }
const OPTIONS = { allowHalfOpen: true, noDelay: true, keepAlive: true }

/** A port of the data plane: takes connections, watches their time and ends them in order. */
export function createListener<T>(deps: Deps<T>) {
  const { service, chooseServer, report, limits = LIMITS, tickMs = TICK_MS, now = Date.now } = deps
  const connections = new Set<ClientConnection>()
  const server: Server = createServer(OPTIONS)
  const sockets = new Set<Socket>()
  let tick = 0
  let timer: NodeJS.Timeout | undefined
  let date = ''
  let dateSecond = -1
  let isDraining = false
  const owner: ConnectionOwner = {
    limits,
    isTls: chooseServer !== null,
    tick: () => tick,
    date: today,
    isDraining: () => isDraining,
    closed: (connection) => void connections.delete(connection),
    report,
  }
  server.on('connection', (socket: Socket) => {
    watch(socket)
    if (chooseServer) connections.add(awaitHello(socket, chooseServer, owner))
    else serve(socket)
  })
  return { listen, serve, drain, open, port }

  /** From here on the bytes of the socket are HTTP. */
  function serve(socket: Socket) {
    connections.add(serveConnection(socket, service, owner))
  }

  async function listen(host: string, on: number) {
    server.listen({ host, port: on, reusePort: process.platform === 'linux' })
    await once(server, 'listening')
    // A connection that could not be accepted, because the system has no descriptor left.
    server.on('error', report)
  }

  function port(): number {
    const address = server.address()
    return address !== null && typeof address === 'object' ? address.port : 0
  }

  function watch(socket: Socket) {
    sockets.add(socket)
    timer ??= setInterval(check, tickMs).unref()
    socket.once('close', () => {
      sockets.delete(socket)
      if (sockets.size > 0) return
      clearInterval(timer)
      timer = undefined
    })
  }

  function check() {
    tick++
    for (const connection of connections) {
      try {
        connection.check(tick)
      } catch (error) {
        report(error)
        connection.destroy()
      }
    }
  }

  /** RFC 9110 §6.6.1, to the second. Ticks are no measure: there are none without connections. */
  function today(): string {
    const second = Math.floor(now() / 1000)
    if (second !== dateSecond) {
      dateSecond = second
      date = new Date(second * 1000).toUTCString()
    }
    return date
  }

  /** Answers what is under way and says how many connections had to be cut. */
  function drain(withinMs: number): Promise<number> {
    isDraining = true
    return drainConnections({ server, open, closeIdle, closeAll }, withinMs)
  }

  function open(): number {
    return sockets.size
  }

  function closeIdle() {
    for (const connection of connections) if (connection.isIdle()) connection.destroy()
  }

  function closeAll() {
    for (const socket of sockets) socket.destroy()
  }
}
