import assert from 'node:assert/strict'
import net from 'node:net'
import { before, test } from 'node:test'
import { until } from '#test-kit'
import { gatewaySuite, sendRaw, startUpstream, type Upstream } from './support.ts'

/** Which phase fails when a member of the request's context cannot be read, and what comes of it. */
const TRAPS = {
  match: { member: 'path', status: 500 },
  balancer: { member: 'upstream', status: 500 },
  'the head that is forwarded': { member: 'forwardHeaders', status: 500 },
  'a body on its way': { member: 'bytesIn', status: 500 },
  'a header filter': { member: 'consumer', path: '/filtered', status: 500 },
  'an answer that has begun': { member: 'bytesOut', status: 0 },
  'an answer and the answer to that': { member: 'attempts', status: 0 },
  'the log': { member: 'consumer', path: '/all', status: 200 },
} as const

/** The only correct answer among those of the odd upstream. */
const WHOLE = 5

export const failures = gatewaySuite('failures', ({ server, put, admin, send }) => {
  let upstream: Upstream
  before(async () => {
    upstream = await startUpstream()
    await put('/upstreams/up', { nodes: { [upstream.node]: 1 } })
    await put('/routes/all', { uri: '/all', upstream_id: 'up' })
    await put('/routes/filtered', {
      uri: '/filtered',
      upstream_id: 'up',
      plugins: { 'response-rewrite': { headers: { set: { 'X-Name': '$consumer_name' } } } },
    })
  })

  for (const [phase, trap] of Object.entries(TRAPS)) {
    test(`gateway finding 2: an exception in ${phase} concerns one request`, async () => {
      const { member, status } = trap
      const path = 'path' in trap ? trap.path : '/all'
      const id = `trap-${member}-${status}`
      const headers = { 'x-test-throw': member, 'x-request-id': id }
      const answer = await send(path, { method: 'POST', body: 'abc', headers }).catch(() => null)
      const text = await answer?.text().catch(() => null)
      // Cut: never ended as if it were whole.
      if (status === 0) assert.equal(text ?? null, null)
      else assert.equal(answer?.status, status)
      if (status === 500) {
        assert.deepEqual(JSON.parse(text ?? ''), {
          error_msg: 'the request could not be processed',
          code: 'internal_error',
          request_id: id,
        })
      }
      const line = await logged(id, 'could not be processed')
      assert.equal(line.route_id, phase === 'match' ? null : path.slice(1))
      await assertAlive()
    })
  }

  test('gateway finding 2: what an upstream sends ends nothing', async () => {
    const answers = [
      '',
      '\0',
      'HTTP/1.1 200',
      'HTTP/1.1 999 x\r\n\r\n',
      'HTTP/1.1 200 OK\r\nA\0: b\r\n\r\n',
      'HTTP/1.1 200 OK\r\nconstructor: b\r\n__proto__: c\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na',
      'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\na\r\n0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffff\r\na',
      'HTTP/1.1 101 x\r\n\r\n',
      `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(50_000)}\r\n`,
    ]
    let next = 0
    const odd = net.createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(answers[next] ?? '', 'latin1'))
    })
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve))
    const address = odd.address()
    const port = typeof address === 'object' ? address?.port : 0
    await put('/routes/odd', { uri: '/odd', upstream: { nodes: { [`127.0.0.1:${port}`]: 1 } } })
    for (next = 0; next < answers.length; next++) {
      const answer = await send('/odd').catch(() => null)
      // What is wrong in a body is met when the answer has begun.
      const isBegun = next === WHOLE || /\r\n\r\n./s.test(answers[next] ?? '')
      if (answer && !isBegun) assert.equal(answer.status, 502, answers[next] ?? '')
      if (next === WHOLE) assert.equal(answer?.status, 200)
      await answer?.text().catch(() => null)
    }
    odd.close()
    await assertAlive()
  })

  test('gateway finding 2: a probe that no request can make ends nothing', async () => {
    const checks = { active: { http_path: '/\u00e9 \u{1f600}', interval: 0.1 } }
    const { status } = await admin('PUT', '/upstreams/odd', {
      body: { nodes: { [upstream.node]: 1 }, checks },
    })
    assert.ok(status === 201 || status === 400, String(status))
    if (status === 201) await until(() => server().log().includes('a probe failed'))
    await assertAlive()
  })

  test('gateway finding 13: 204 and 304 carry no length, and Date follows the clock', async () => {
    for (const status of [204, 304]) {
      upstream.handle = (_request, response) => {
        response.socket?.end(`HTTP/1.1 ${status} x\r\nContent-Length: 5\r\nEtag: "1"\r\n\r\n`)
      }
      const answer = await sendRaw(server().gatewayUrl, request('/all'), 5_000)
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `))
      assert.match(answer, /etag: "1"/i)
      assert.doesNotMatch(answer, /content-length/i)
    }
    const dateOf = async () =>
      Date.parse(
        /Date: (.*)\r\n/.exec(await sendRaw(server().gatewayUrl, request('/none')))?.[1] ?? '',
      )
    const before = await dateOf()
    await server().setClockOffset(3_600_000)
    const after = await dateOf()
    await server().setClockOffset(0)
    assert.ok(after - before >= 3_600_000 && after - before < 3_660_000, String(after - before))
  })

  test('gateway finding 5: a Host that is none is 400 and reaches no upstream', async () => {
    await put('/routes/host', { uri: '/host', host: 'a.com', upstream_id: 'up' })
    const { length } = upstream.seen
    for (const host of [
      'x y',
      'x/y',
      'a, b',
      'x:y:z',
      'u@x',
      '',
      'a.com, a.com',
      '[::1',
      '%61.com',
    ]) {
      const text = `GET /all HTTP/1.1\r\nHost: ${host}\r\n\r\n`
      assert.match(await sendRaw(server().gatewayUrl, text, 5_000), /^HTTP\/1\.1 400 /, host)
    }
    for (const target of ['http://x:y:z/', 'http://u@x/all', 'http:///all', 'http://a b/all']) {
      const text = `GET ${target} HTTP/1.1\r\nHost: a.com\r\n\r\n`
      assert.match(await sendRaw(server().gatewayUrl, text, 5_000), /^HTTP\/1\.1 400 /, target)
    }
    const beside = 'GET http://a.com/host HTTP/1.1\r\nHost: x y\r\n\r\n'
    assert.match(await sendRaw(server().gatewayUrl, beside, 5_000), /^HTTP\/1\.1 400 /)
    assert.equal(upstream.seen.length, length)
    upstream.handle = (_request, response) => void response.end('ok')
    for (const host of ['a.com.', 'A.com.:80', 'a.com']) {
      const answer = await sendRaw(server().gatewayUrl, request('/host', host), 5_000)
      assert.match(answer, /^HTTP\/1\.1 200 /, host)
    }
  })

  function request(path: string, host = 'a'): string {
    return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  }

  function logged(id: string, message: string) {
    return until(() => {
      const lines = server().log().split('\n')
      const line = lines.find((each) => each.includes(id) && each.includes(message))
      return line ? JSON.parse(line) : undefined
    })
  }

  /** No thread was lost, and others are served. */
  async function assertAlive() {
    assert.equal((await send('/all')).status, 200)
    assert.doesNotMatch(server().log(), /a thread (died|is replaced)/)
  }
})
