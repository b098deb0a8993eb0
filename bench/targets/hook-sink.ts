// A receiver that answers 200 to everything and tells how many deliveries arrived: GET /count.
import { createServer } from 'node:http'

let count = 0
createServer((request, response) => {
  if (request.method === 'POST') count++
  request.resume()
  request.on('end', () => {
    if (request.method === 'GET') response.end(String(count))
    else response.writeHead(200, { 'content-length': '2' }).end('ok')
  })
}).listen(Number(process.argv[2]), '127.0.0.1')
