// What the framework costs when the answer is ready: the files of a folder through routes without anything else.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastify from 'fastify'

const [port = '', folder = ''] = process.argv.slice(2)
const app = fastify()
for (const name of readdirSync(folder)) {
  const body = readFileSync(join(folder, name), 'utf8')
  app.get(`/${name}`, async (_request, reply) => {
    reply.type('application/json; charset=utf-8')
    return body
  })
}
await app.listen({ port: Number(port), host: '127.0.0.1' })
