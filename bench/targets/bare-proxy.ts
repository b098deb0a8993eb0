// The least a proxy on this platform must do: pass method, path, headers and bodies through.
import { createServer } from 'node:http'
import { Pool } from 'undici'

const [, , port, origin = ''] = process.argv
const upstream = new Pool(origin, { connections: 64, pipelining: 1 })

createServer((request, response) => {
  const { method = 'GET', url = '/', headers } = request
  const { connection: _connection, host: _host, ...passed } = headers
  const hasBody = method !== 'GET' && method !== 'HEAD'
  upstream.stream(
    { method, path: url, headers: passed, body: hasBody ? request : null },
    ({ statusCode, headers: answered }) => {
      const { connection: _hop, 'transfer-encoding': _coding, ...kept } = answered
      return response.writeHead(statusCode, kept)
    },
    (error) => {
      if (!error) return
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    },
  )
}).listen(Number(port), '127.0.0.1')
