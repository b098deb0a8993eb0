// What Node itself can do: one JSON answer, nothing else.
import { createServer } from 'node:http'

const body = JSON.stringify({ status: 'ok' })
createServer((_request, response) => {
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}).listen(Number(process.argv[2]), '127.0.0.1')
