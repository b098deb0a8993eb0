import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import https from 'node:https'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { assertPrompt, until } from '#test-kit'
import { createCertificate } from '../../conformance/support/certificate.ts'
import { gatewayServer, named, startUpstream, type Upstream } from './support.ts'

describe('gateway loggers and who receives', () => {
  const { server, admin, put, send } = gatewayServer('sqlite', { ENTREPOT_GATEWAY_THREADS: '2' })
  let upstream: Upstream
  before(async () => {
    upstream = await startUpstream(named('ok'))
    await put('/upstreams/up', { nodes: { [upstream.node]: 1 } })
  })

  const route = (id: string, plugins: object) =>
    put(`/routes/${id}`, { uri: `/${id}/*`, upstream_id: 'up', plugins })
  const ask = async (path: string) => {
    const answer = await send(path)
    await answer.text()
    return answer.headers.get('x-request-id') ?? ''
  }
  const dropped = async () => {
    const { body } = await admin('GET', '/gateway/prometheus/metrics')
    const found = /log_entries_dropped_total\{plugin="http-logger"\} (\d+)/.exec(String(body))
    return Number(found?.[1] ?? 0)
  }
  /** Takes batches; the entries that it has answered for with 200. */
  function receiving(answer: (attempt: number) => number | null) {
    const ids: unknown[] = []
    let attempts = 0
    const handle: RequestListener = (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('error', () => {})
      request.on('end', () => {
        const status = answer(++attempts)
        if (status === null) return
        if (status === 200) {
          const batch: { request_id: string }[] = JSON.parse(Buffer.concat(chunks).toString())
          ids.push(...batch.map(({ request_id }) => request_id))
        }
        response.writeHead(status).end()
      })
    }
    return { ids, handle, attempts: () => attempts }
  }

  test('gateway 35: http-logger ssl_verify: a certificate that nobody vouches for is taken or refused', async () => {
    const { cert, key } = createCertificate(['127.0.0.1'])
    const { ids, handle } = receiving(() => 200)
    const secure = https.createServer({ cert, key }, handle)
    secure.listen(0, '127.0.0.1')
    await once(secure, 'listening')
    const address = secure.address()
    const uri = `https://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`
    const before = await dropped()
    await route('strict', { 'http-logger': { uri, ssl_verify: true } })
    await route('lax', { 'http-logger': { uri, ssl_verify: false } })
    const refused = await ask('/strict/x')
    const taken = await ask('/lax/x')
    await until(() => ids.includes(taken))
    await until(async () => (await dropped()) === before + 1, { what: 'the loss of the other' })
    assert.ok(!ids.includes(refused))
    secure.closeAllConnections()
    secure.close()
  })

  test('gateway 35: http-logger timeout: who does not answer is asked again, and the entries arrive', async () => {
    const { ids, handle, attempts } = receiving((attempt) => (attempt <= 2 ? null : 200))
    const silent = await startUpstream(handle)
    await route('slow', { 'http-logger': { uri: `http://${silent.node}/`, timeout: 1 } })
    const startedAt = performance.now()
    const id = await ask('/slow/x')
    await until(() => ids.includes(id))
    const tookMs = performance.now() - startedAt
    assert.equal(attempts(), 3)
    // Two attempts of a second, and 0.2 s and 1 s between them.
    assert.ok(tookMs >= 3_000 && tookMs < 15_000, `${tookMs} ms`)
    await route('slow', { 'http-logger': { uri: `http://${silent.node}/`, timeout: 60 } })
    const { status } = await admin('PUT', '/routes/bad', {
      body: { uri: '/bad', plugins: { 'http-logger': { uri: 'http://x/', timeout: 61 } } },
    })
    assert.equal(status, 400)
  })

  test('gateway 35: a logger whose receiver hangs, and a greedy route, hold up no other', async () => {
    const hung = await startUpstream(() => {})
    const good = receiving(() => 200)
    const receiver = await startUpstream(good.handle)
    const before = await dropped()
    const long = 'x'.repeat(20_000)
    await route('greedy', {
      'http-logger': { uri: `http://${hung.node}/`, timeout: 60, log_format: { long } },
    })
    await route('quiet', { 'http-logger': { uri: `http://${receiver.node}/` } })
    let isOver = false
    const greedy = Array.from({ length: 8 }, async () => {
      while (!isOver) await ask('/greedy/x')
    })
    // More than the memory of its queue has been made, so that some of it is lost.
    await until(async () => (await dropped()) > before + 10, { withinMs: 60_000 })
    const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(`/quiet/${n}`)))
    const sentAt = performance.now()
    await until(() => ids.every((id) => good.ids.includes(id)))
    const tookMs = performance.now() - sentAt
    isOver = true
    await Promise.all(greedy)
    assertPrompt(tookMs, 5_000, 'half a second for a batch')
    assert.equal(new Set(good.ids).size, good.ids.length, 'each once')
    const lines = server().log().split('\n')
    const told = lines.filter((line) => line.includes('entries of a log were dropped'))
    const lost = (await dropped()) - before
    assert.ok(told.length < Math.max(10, lost / 2), `${told.length} lines for ${lost} entries`)
    await put('/routes/greedy', { uri: '/greedy/*', upstream_id: 'up' })
  })

  test('gateway 34: SIGTERM: what loggers have queued arrives before the process ends', async () => {
    const { ids, handle } = receiving((attempt) => (attempt === 1 ? 500 : 200))
    const receiver = await startUpstream(handle)
    const both = {
      'http-logger': { uri: `http://${receiver.node}/` },
      'file-logger': { path: 'last.log' },
    }
    await route('last', both)
    const sent = await Promise.all(Array.from({ length: 300 }, (_, n) => ask(`/last/${n}`)))
    server().signal('SIGTERM')
    assert.equal(await server().exited(), 0)
    assert.deepEqual([...new Set(ids)].sort(), [...sent].sort())
    const file = readFileSync(join(server().dataDir, 'logs', 'gateway', 'last.log'), 'utf8')
    const written = file
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).request_id)
    assert.deepEqual(written.sort(), [...sent].sort())
  })

  test('gateway 34: SIGTERM: a receiver that does not answer delays the end by its bound, and the loss is logged', async () => {
    await server().restart()
    const hung = await startUpstream(() => {})
    await route('never', { 'http-logger': { uri: `http://${hung.node}/`, timeout: 60 } })
    for (let n = 0; n < 5; n++) await ask(`/never/${n}`)
    const before = server().log().length
    const startedAt = performance.now()
    server().signal('SIGTERM')
    assert.equal(await server().exited(), 0)
    const tookMs = performance.now() - startedAt
    assertPrompt(tookMs, 25_000)
    const lines = server()
      .log()
      .slice(before)
      .split('\n')
      .filter((line) => line.includes('the server stops'))
    const lost = lines.reduce((sum, line) => sum + Number(JSON.parse(line).entries), 0)
    assert.equal(lost, 5)
    await server().restart()
  })
})
