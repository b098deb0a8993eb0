import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { nodeHttp } from '#http-text'
import type { Random } from '#kernel'
import type { Way } from '../engine/proxies.ts'

interface Deps {
  readonly way: Way
  readonly random: Random
  /** For each connection, and for each body. */
  readonly timeoutMs: number
  /** For everything that the page loads together. */
  readonly maxBytes: number
}

const MAX_REQUEST_BYTES = 10 * 1024 * 1024
const USER = 'page'
/** What concerns one connection only (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * The only way from a rendered page to the network. Each connection is made by the client that also
 * fetches pages: names are resolved once, every address is checked, and the pool's proxies are used
 * where there are any. Others on this machine are kept out by a password.
 */
export async function openPageProxy({ way, random, timeoutMs, maxBytes }: Deps) {
  const ending = new AbortController()
  const { signal } = ending
  const password = random.text(32)
  const expected = `Basic ${Buffer.from(`${USER}:${password}`).toString('base64')}`
  const sockets = new Set<Duplex>()
  let bytes = 0
  let refused = 0
  const server = nodeHttp().createServer((request, response) => {
    forward(request, response).catch(() => response.destroy())
  })
  server.on('connect', (request, socket, head) => {
    tunnel(request, socket, head).catch(() => socket.destroy())
  })
  server.on('connection', track)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    settings: { server: `http://127.0.0.1:${port}`, username: USER, password },
    /** What the log should say. */
    notes,
    close,
  }

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isKnown(request)) {
      response.writeHead(407, { 'proxy-authenticate': 'Basic realm="page"' }).end()
      return
    }
    const url = URL.parse(request.url ?? '')
    if (url?.protocol !== 'http:') return void response.writeHead(400).end()
    const body = await readBody(request)
    if (!body) return void response.writeHead(413, { connection: 'close' }).end()
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const answer = await way.use(url.host, (client) =>
      client.open({
        ...{ method: request.method ?? 'GET', url: url.href, headers: headersOf(request) },
        ...(body.length > 0 ? { body } : {}),
        ...{ timeoutMs, bodyTimeoutMs: 'rest' as const, maxBodyBytes: maxBytes },
        signal: AbortSignal.any([signal, gone.signal]),
      }),
    )
    if (!answer.ok) return void response.writeHead(statusOf(answer.code)).end()
    response.writeHead(answer.status, withoutHops(answer.headers))
    await pipeline(Readable.from(counted(answer.body), { objectMode: false }), response)
  }

  async function tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    if (!isKnown(request)) {
      return void client.end(
        'HTTP/1.1 407 Credentials needed\r\nproxy-authenticate: Basic realm="page"\r\n' +
          'content-length: 0\r\nconnection: close\r\n\r\n',
      )
    }
    const target = URL.parse(`http://${request.url}`)
    if (!target) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    const host = target.hostname.replace(/^\[|\]$/g, '')
    const port = Number(target.port || 80)
    const answer = await way.use(target.host, (outbound) =>
      outbound.connect({ host, port, timeoutMs, signal }),
    )
    if (!answer.ok) {
      return void client.end(`HTTP/1.1 ${statusOf(answer.code)} Not connected\r\n\r\n`)
    }
    const upstream = track(answer.socket)
    if (client.destroyed) return void upstream.destroy()
    client.write('HTTP/1.1 200 Connected\r\n\r\n')
    if (head.length > 0) upstream.write(head)
    upstream.on('data', count)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    client.pipe(upstream).pipe(client)
  }

  function isKnown({ headers }: IncomingMessage): boolean {
    const given = Buffer.from(headers['proxy-authorization'] ?? '')
    const known = Buffer.from(expected)
    return given.length === known.length && timingSafeEqual(given, known)
  }

  function statusOf(code: string): 403 | 502 {
    if (code !== 'address_not_allowed') return 502
    refused++
    return 403
  }

  async function* counted(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      count(chunk)
      yield chunk
    }
  }

  function count({ length }: Buffer) {
    bytes += length
    if (bytes > maxBytes) close()
  }

  function notes(): string[] {
    return [
      ...(refused > 0 ? [`${refused} requests of the page went to addresses not allowed`] : []),
      ...(bytes > maxBytes ? ['The page loaded more than ten times max_body_bytes'] : []),
    ]
  }

  function track<Stream extends Duplex>(socket: Stream): Stream {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
    return socket
  }

  function close() {
    ending.abort()
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}

export type PageProxy = Awaited<ReturnType<typeof openPageProxy>>

/** Undefined when it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const part: Buffer = chunk
    size += part.length
    if (size > MAX_REQUEST_BYTES) return undefined
    chunks.push(part)
  }
  return Buffer.concat(chunks)
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const kept = Object.entries(withoutHops(headers)).flatMap(([name, value]) =>
    name === 'content-length' ? [] : [[name, String(value)] as const],
  )
  return Object.fromEntries(kept)
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

function withoutHops(headers: Headers): Record<string, string | string[]> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || HOP_BY_HOP.has(name) ? [] : [[name, value] as const],
  )
  return Object.fromEntries(kept)
}
