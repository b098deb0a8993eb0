import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { fastify } from 'fastify'
import { until } from '#test-kit'
import { createEventStreams } from '../../src/kernel/http/event-stream.ts'

test('operation: a stream whose client left before it began is over, and its opener hears of that', async () => {
  const streams = createEventStreams()
  const closed: string[] = []
  const app = fastify()
  after(() => app.close())
  app.decorateRequest('isEventStream', false)
  app.get('/left', async (request, reply) => {
    asked()
    await once(reply.raw, 'close')
    const stream = streams.open(request, reply, { onClose: () => closed.push('left') })
    assert.equal(streams.size, 1)
    assert.equal(stream.isOpen, false)
    return reply
  })
  const { promise, resolve: asked } = Promise.withResolvers<void>()
  const { hostname, port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const socket = connect(Number(port), hostname).on('error', () => {})
  socket.write('GET /left HTTP/1.1\r\nhost: x\r\n\r\n')
  await promise
  socket.destroy()
  await until(() => closed.length > 0, { what: 'the end of the stream' })
  assert.equal(streams.size, 0)
})
