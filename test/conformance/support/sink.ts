import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import type { Certificate } from './certificate.ts'

export interface Sink {
  readonly port: number
  /** `http://<address>:<port>`, or https with a certificate. */
  readonly origin: string
  /** Connections made so far: what the address rule must keep at zero. */
  readonly connections: number
  readonly requests: readonly IncomingMessage[]
}

export interface SinkOptions {
  readonly host?: string
  readonly port?: number
  readonly certificate?: Certificate
}

/** A web server on a loopback address that counts who connects; ends with the test. */
export async function startSink(
  t: TestContext,
  handler: RequestListener,
  { host = '127.0.0.1', port = 0, certificate }: SinkOptions = {},
): Promise<Sink> {
  const requests: IncomingMessage[] = []
  const listener: RequestListener = (request, response) => {
    requests.push(request)
    handler(request, response)
  }
  const server = certificate
    ? createSecureServer({ ...certificate }, listener)
    : createServer(listener)
  const counted = await listen(t, server, host, port)
  return {
    port: counted.port,
    get connections() {
      return counted.connections
    },
    origin: `${certificate ? 'https' : 'http'}://${host}:${counted.port}`,
    requests,
  }
}

/** A bare TCP server, for answers that no web server would give. */
export async function startTcp(t: TestContext, onConnection: (socket: Socket) => void) {
  const server = createTcpServer(onConnection)
  return listen(t, server, '127.0.0.1', 0)
}

async function listen(t: TestContext, server: Server, host: string, port: number) {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(port, host)
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    origin: `http://${host}:${address.port}`,
    get connections() {
      return connections
    },
  }
}
