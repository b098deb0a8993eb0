import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { drainConnections } from '#http-text'
import type { Networks } from '../../expression/networks.ts'
import { plainAddress } from '../address.ts'
import type { Entrance } from '../certificates.ts'
import type { ClientConnection, ConnectionOwner, Limits, Peer, Service } from './client.ts'
import { serveConnection } from './connection.ts'
import { awaitFirstBytes, type Look } from './first-bytes.ts'
import { lookAtPreface, serveSession } from './http2/session.ts'
import { readProxyHeader } from './proxy-header.ts'
import { type ChooseServer, lookAtHello } from './tls-entry.ts'

interface Deps<T> {
  readonly service: Service<T>
  /** Null: without TLS. The servers it names hand their connections to `serve`. */
  readonly chooseServer: ChooseServer | null
  /** Who says with the PROXY protocol for whom a connection is, and has to. */
  readonly proxies: Networks | null
  /** Without TLS, for clients that know it beforehand (RFC 9113 §3.3). */
  readonly hasH2c: boolean
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
  const { service, chooseServer, proxies, hasH2c, report } = deps
  const { limits = LIMITS, tickMs = TICK_MS, now = Date.now } = deps
  const connections = new Set<ClientConnection>()
  const server: Server = createServer(OPTIONS)
  const sockets = new Set<Socket>()
  /** What proxies have said, by the ends of the connection: TLS puts another socket around it. */
  const announced = new Map<string, Peer>()
  let tick = 0
  let timer: NodeJS.Timeout | undefined
  let date = ''
  let dateSecond = -1
  let isDraining = false
  const owner: ConnectionOwner = {
    limits,
    isTls: chooseServer !== null,
    stuckMs: limits.idleTicks * tickMs,
    tick: () => tick,
    date: today,
    isDraining: () => isDraining,
    closed: (connection) => void connections.delete(connection),
    report,
  }
  server.on('connection', (socket: Socket) => {
    watch(socket)
    if (proxies?.has(plainAddress(socket.remoteAddress ?? ''))) wait(socket, lookAtProxy(socket))
    else enter(socket)
  })
  return { listen, serve, drain, open, port }

  function wait(socket: Socket, look: Look) {
    connections.add(awaitFirstBytes(socket, owner, look))
  }

  /** The protocol's §2: a connection that does not begin with the header is dropped. */
  function lookAtProxy(socket: Socket): Look {
    return (bytes) => {
      const header = readProxyHeader(bytes)
      if (header === undefined) return undefined
      if (header === null) return { refuse: '' }
      return { used: header.bytes, go: () => enter(socket, header.peer) }
    }
  }

  function enter(socket: Socket, peer: Peer | null = null) {
    if (peer) announce(socket, peer)
    if (chooseServer) return wait(socket, lookAtHello(socket, chooseServer))
    if (hasH2c)
      return wait(
        socket,
        lookAtPreface(() => serve(socket, null, true), go),
      )
    go()

    function go() {
      serve(socket)
      socket.resume()
    }
  }

  function announce(socket: Socket, peer: Peer) {
    const ends = endsOf(socket)
    announced.set(ends, peer)
    socket.once('close', () => void announced.delete(ends))
  }

  /** From here on the bytes of the socket are HTTP. */
  function serve(socket: Socket, entrance: Entrance | null = null, isHttp2 = false) {
    const peer = announced.get(endsOf(socket)) ?? peerOf(socket)
    const serveIt = isHttp2 ? serveSession : serveConnection
    connections.add(serveIt({ socket, peer, entrance }, service, owner))
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
    for (const connection of connections) connection.retire()
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

function peerOf({ remoteAddress, remotePort, localPort }: Socket): Peer {
  const address = plainAddress(remoteAddress ?? '')
  return { address, port: remotePort ?? 0, localPort: localPort ?? 0, lines: '' }
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}
