// The proxy that Fastify users take; what our gateway must beat on one thread.
import httpProxy from '@fastify/http-proxy'
import fastify from 'fastify'

const [, , port, origin] = process.argv
const app = fastify()
app.register(httpProxy, { upstream: origin })
await app.listen({ port: Number(port), host: '127.0.0.1' })
