// A receiver that answers 200, but for /hang, and tells how many deliveries it answered: GET /count.
import { createServer } from 'node:http'

let count = 0
createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    if (request.method === 'GET') return response.end(String(count))
    if (request.url === '/hang') return
    if (request.method === 'POST') count++
    response.writeHead(200, { 'content-length': '2' }).end('ok')
  })
}).listen(Number(process.argv[2]), '127.0.0.1')
