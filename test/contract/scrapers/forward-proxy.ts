import { once } from 'node:events'
import { request as ask, createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after } from 'node:test'

export interface ForwardProxy {
  readonly port: number
  /** Hosts that were asked for through it, with the credentials that came along. */
  readonly asked: { readonly target: string; readonly credentials: string | undefined }[]
  close(): Promise<void>
}

/** A forward proxy as others are: whole URLs, or tunnels. */
export async function startProxy(onRequest: () => void = () => {}): Promise<ForwardProxy> {
  const asked: ForwardProxy['asked'] = []
  const open = new Set<Socket>()
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '')
    if (!url) return void response.writeHead(400).end()
    const { 'proxy-authorization': credentials, ...headers } = request.headers
    asked.push({ target: url.host, credentials })
    onRequest()
    const upstream = ask(url, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    upstream.on('error', () => response.destroy())
    request.pipe(upstream)
  })
  server.on('connect', (request, client: Socket) => {
    const target = request.url ?? ''
    asked.push({ target, credentials: request.headers['proxy-authorization'] })
    const [host = '', port] = target.split(':')
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
      // Whoever crawls over http can be read along in the tunnel.
      client.on(
        'data',
        (chunk: Buffer) => chunk.toString('latin1').startsWith('GET ') && onRequest(),
      )
    })
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => open.delete(socket))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const proxy = { port, asked, close }
  after(close)
  return proxy

  async function close() {
    for (const socket of open) socket.destroy()
    server.closeAllConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
}
