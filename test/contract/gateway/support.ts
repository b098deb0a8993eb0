import { once } from 'node:events'
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import net from 'node:net'
import { after, describe } from 'node:test'
import {
  ADMIN_KEY,
  type Answer,
  createCalls,
  type DatabaseKind,
  installation,
  type Sent,
  shareServer,
  startServer,
} from '#test-kit'

export const GATEWAY_KEY = 'gateway-admin-key-of-the-tests'

/** With known keys and nothing in the content store, which no test here needs. */
export const INSTALLATION = {
  ENTREPOT_ADMIN_KEY: ADMIN_KEY,
  ENTREPOT_GATEWAY_ADMIN_KEY: GATEWAY_KEY,
  ENTREPOT_GATEWAY_THREADS: '3',
  ENTREPOT_STARTER: 'none',
}

/** One server for all tests of a `describe`; ready when its tests run. */
export function gatewayServer(kind: DatabaseKind, extra: Record<string, string> = {}) {
  const server = shareServer(async () =>
    startServer(await installation(kind, { ...INSTALLATION, ...extra })),
  )
  const { admin, put } = administration(() => server().url)
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`${server().gatewayUrl}${path}`, { redirect: 'manual', ...init })
  return { kind, server, admin, put, send }
}

export type GatewayServer = ReturnType<typeof gatewayServer>

/** Tests on a server they share with others: they begin without any configuration. */
export function gatewaySuite(name: string, define: (gateway: GatewayServer) => void) {
  return (gateway: GatewayServer) =>
    describe(name, () => {
      after(async () => {
        const { status, body } = await gateway.admin('PUT', '/configs', { body: {} })
        if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`)
      })
      define(gateway)
    })
}

export function administration(url: () => string) {
  const { call } = createCalls(url, { key: GATEWAY_KEY, contentType: null })
  return { admin, put }

  function admin(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    return call(method, `${path.startsWith('/gateway') ? '' : '/gateway/admin'}${path}`, sent)
  }

  /** Must succeed. */
  async function put(path: string, body: unknown): Promise<Answer> {
    const answer = await admin('PUT', path, { body })
    if (answer.status >= 300)
      throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer
  }
}

export interface Upstream {
  readonly port: number
  readonly node: string
  /** Requests seen so far. */
  readonly seen: IncomingMessage[]
  readonly server: http.Server
  handle: RequestListener
  close(): Promise<void>
}

/** A hook of a test would end them with the test; these live as long as the file. */
const started: (() => Promise<void>)[] = []
after(() => Promise.all(started.map((close) => close())))

/** A node that answers with what it was sent, unless `handle` says otherwise. */
export async function startUpstream(handle: RequestListener = echo, port = 0): Promise<Upstream> {
  const seen: IncomingMessage[] = []
  const upstream = { handle }
  const server = http.createServer((request, response) => {
    seen.push(request)
    upstream.handle(request, response)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const close = async () => {
    server.closeAllConnections()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }
  started.push(close)
  return Object.assign(upstream, {
    port: address.port,
    node: `127.0.0.1:${address.port}`,
    seen,
    server,
    close,
  })
}

/** Answers with the request as JSON. */
export function echo(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const { method, url, headers, rawHeaders } = request
    const body = Buffer.concat(chunks).toString('latin1')
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ method, url, headers, rawHeaders, body }))
  })
}

/** Says which node answered. */
export function named(name: string): RequestListener {
  return (request, response) => {
    request.resume()
    response.end(name)
  }
}

/** Sends these bytes and returns all that comes back until the other side closes or is silent. */
export async function sendRaw(url: string, text: string | Buffer, silentMs = 600): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(text)
  let seen = ''
  return new Promise((resolve) => {
    const done = () => {
      socket.destroy()
      resolve(seen)
    }
    let timer = setTimeout(done, silentMs)
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1')
      clearTimeout(timer)
      timer = setTimeout(done, silentMs)
    })
    socket.on('close', () => {
      clearTimeout(timer)
      done()
    })
    socket.on('error', () => {})
  })
}

/** A request whose target is sent exactly as written; `fetch` would tidy it up. */
export function rawTarget(
  base: string,
  target: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; headers: http.IncomingHttpHeaders; body: string }> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const options = { hostname, port, method, path: target, headers, agent: false }
    const request = http.request(options, (answer) => {
      let body = ''
      answer.on('data', (chunk) => {
        body += chunk
      })
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }),
      )
      answer.on('error', reject)
    })
    request.on('error', reject)
    request.end()
  })
}

/** How often each text came. */
export function tally(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1
  return counts
}
