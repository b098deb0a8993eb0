// The least a proxy from HTTP/2 must do on this platform: pass method, path, headers and bodies through.
import { Agent, request } from 'node:http'
import {
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Stream,
} from 'node:http2'
import { createServer } from 'node:net'

const [, , port, origin = ''] = process.argv
const { hostname, port: backend } = new URL(origin)
const agent = new Agent({ keepAlive: true, maxSockets: 256 })

createServer((socket) => {
  socket.once('data', (first: Buffer) => {
    // Whoever asks whether the proxy is there speaks HTTP/1.
    if (!first.toString('latin1').startsWith('PRI ')) {
      return void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    }
    socket.pause()
    socket.unshift(first)
    performServerHandshake(socket)
      .on('stream', (stream, headers) => pass(stream, headers))
      .on('error', () => {})
  })
}).listen(Number(port), '127.0.0.1')

function pass(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
  const { ':method': method, ':path': path, ':authority': host, ':scheme': _, ...rest } = headers
  const asked = { hostname, port: backend, method: String(method), path: String(path), agent }
  const forwarded = request({ ...asked, headers: { ...rest, host: String(host) } }, (answer) => {
    const { connection: _hop, 'keep-alive': _keep, ...kept } = answer.headers
    if (stream.destroyed) return void answer.resume()
    stream.respond({ ':status': answer.statusCode, ...kept })
    answer.pipe(stream)
  })
  forwarded.on('error', () => stream.destroy())
  stream.on('error', () => {})
  if (method === 'GET') forwarded.end()
  else stream.pipe(forwarded)
}
