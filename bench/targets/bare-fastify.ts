// What the framework costs: the same answer through a route without anything else.
import fastify from 'fastify'

const app = fastify()
app.get('/', async () => ({ status: 'ok' }))
await app.listen({ port: Number(process.argv[2]), host: '127.0.0.1' })
