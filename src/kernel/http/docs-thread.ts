// Runs as a short-lived thread: the reference is a 4 MB text inside a module, and a module is never
// given back. Here its memory and the third of a second it takes to load end with the thread.

import { promisify } from 'node:util'
import { parentPort } from 'node:worker_threads'
import { gzip } from 'node:zlib'
import reference from '@scalar/fastify-api-reference'
import { fastify } from 'fastify'

const app = fastify()
await app.register(reference, {
  routePrefix: '/docs',
  configuration: { url: '/api/v1/openapi.json' },
})
const answer = await app.inject('/docs/js/scalar.js')
if (answer.statusCode !== 200) throw new Error(`no reference bundle: ${answer.statusCode}`)
const compressed = await promisify(gzip)(answer.rawPayload, { level: 9 })
parentPort?.postMessage(new Uint8Array(compressed))
await app.close()
