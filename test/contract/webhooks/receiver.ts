import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { after } from 'node:test'
import { until } from '#test-kit'

export interface Received {
  readonly path: string
  readonly headers: Record<string, string>
  /** As it came over the line. */
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  readonly body: any
  readonly atMs: number
}

type Answer = (request: Received, response: http.ServerResponse, raw: http.IncomingMessage) => void

/** Answers every delivery as the test says, by path; 200 unless told otherwise. */
export async function startReceiver() {
  const received: Received[] = []
  const answers = new Map<string, Answer>()
  let connections = 0
  let probes = 0
  const server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? '/'
      if (request.method === 'HEAD') {
        probes++
        response.writeHead(405).end()
        return
      }
      const one = toReceived(path, request, Buffer.concat(chunks).toString())
      received.push(one)
      const answer = answers.get(path)
      if (answer) answer(one, response, request)
      else response.writeHead(200).end('ok')
    })
  })
  server.on('connection', () => {
    connections++
  })
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = `http://127.0.0.1:${address.port}`
  return {
    url,
    port: address.port,
    received,
    get connections() {
      return connections
    },
    get probes() {
      return probes
    },
    answer(path: string, given: Answer) {
      answers.set(path, given)
    },
    /** What arrived on a path, tests left out unless they are asked for. */
    on: (path: string, type?: string) =>
      received.filter((one) => {
        if (one.path !== path) return false
        return type ? one.headers['webhook-event'] === type : one.body?.type !== 'webhook.test'
      }),
    /** Waits until so many deliveries arrived on a path. */
    waitFor(path: string, count: number, type?: string) {
      return until(
        () => {
          const found = this.on(path, type)
          return found.length >= count && found
        },
        { what: `${count} deliveries on ${path}` },
      )
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Accepts connections and does with them what the test says. */
export async function startTcp(onConnection: (socket: net.Socket) => void) {
  let connections = 0
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
  })
  after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    get connections() {
      return connections
    },
  }
}

function toReceived(path: string, request: http.IncomingMessage, text: string): Received {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value)
  return { path, headers, text, body: parse(text), atMs: Date.now() }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
