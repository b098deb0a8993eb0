import { once } from 'node:events'
import { createServer, request as forward } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** A forward proxy that finds every name on 127.0.0.1 and notes what it was asked for. */
export async function startProxy(t: TestContext) {
  const seen: string[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  let authorization: string | undefined
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    const { 'proxy-authorization': given, ...headers } = request.headers
    authorization = given
    const url = new URL(request.url ?? '')
    const { method } = request
    const path = url.pathname + url.search
    const onward = forward(
      { host: '127.0.0.1', port: url.port, path, method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    request.pipe(onward)
  })
  server.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url}`)
    const onward = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    for (const end of [onward, socket]) end.on('error', () => {})
  })
  server.on('connection', (socket) => {
    connections++
    sockets.add(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://user:secret@127.0.0.1:${address.port}`,
    seen,
    get connections() {
      return connections
    },
    get authorization() {
      return authorization
    },
  }
}
