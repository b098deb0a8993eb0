// What the framework costs when the answer is ready: a file's bytes through a route without anything else.
import { readFileSync } from 'node:fs'
import fastify from 'fastify'

const [port = '', file = ''] = process.argv.slice(2)
const body = readFileSync(file, 'utf8')
const app = fastify()
app.get('/', async (_request, reply) => {
  reply.type('application/json; charset=utf-8')
  return body
})
await app.listen({ port: Number(port), host: '127.0.0.1' })
