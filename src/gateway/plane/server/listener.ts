import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type SecureContext } from 'node:tls'
import { drainConnections } from '#kernel-thread'
import type { ClientConnection, Limits, Service } from './client.ts'
import { serveConnection } from './connection.ts'

type ChooseCertificate = (
  servername: string,
  done: (error: Error | null, context?: SecureContext) => void,
) => void

interface Deps<T> {
  readonly service: Service<T>
  /** Null: without TLS. */
  readonly chooseCertificate: ChooseCertificate | null
  readonly limits?: Limits
  readonly tickMs?: number
}

const TICK_MS = 1_000
const LIMITS: Limits = { headTicks: 60, idleTicks: 75, lingerTicks: 2 }
const OPTIONS = { allowHalfOpen: true, noDelay: true, keepAlive: true }

/** A port of the data plane: takes connections, watches their time and ends them in order. */
export function createListener<T>(deps: Deps<T>) {
  const { service, chooseCertificate: choose, limits = LIMITS, tickMs = TICK_MS } = deps
  const connections = new Set<ClientConnection>()
  const server: Server = choose
    ? createTlsServer({ ...OPTIONS, SNICallback: choose, ALPNProtocols: ['http/1.1'] })
    : createServer(OPTIONS)
  const sockets = new Set<Socket>()
  let tick = 0
  let timer: NodeJS.Timeout | undefined
  let date = ''
  let dateTick = -1
  let isDraining = false
  const owner = {
    limits,
    isTls: choose !== null,
    tick: () => tick,
    date: today,
    isDraining: () => isDraining,
    closed: (connection: ClientConnection) => void connections.delete(connection),
  }
  server.on('connection', watch)
  server.on(choose ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.add(serveConnection(socket, service, owner))
  })
  return { listen, drain, open, port }

  async function listen(host: string, on: number) {
    server.listen({ host, port: on, reusePort: process.platform === 'linux' })
    await once(server, 'listening')
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
    for (const connection of connections) connection.check(tick)
  }

  /** RFC 9110 §6.6.1, to the second. */
  function today(): string {
    if (dateTick !== tick || date === '') {
      dateTick = tick
      date = new Date().toUTCString()
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
