import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import type { RequestListener } from 'node:http'
import { describe, type TestContext, test } from 'node:test'
import { assertPrompt, freePort, silentLog, until } from '#test-kit'
import { resolveBySystem } from '../../src/kernel/http/outbound/connect.ts'
import { createAddressRule } from '../../src/kernel/http/outbound/private-addresses.ts'
import type { OutboundRequest } from '../../src/kernel/http/outbound/types.ts'
import { createOutbound, type OutboundDeps } from '../../src/kernel/http/outbound.ts'
import { createCertificate } from './support/certificate.ts'
import { startProxy } from './support/proxy.ts'
import { startSink, startTcp } from './support/sink.ts'

// 127.0.0.1 stands for a public address here, the rest of 127.0.0.0/8 for internal ones.
const rule = createAddressRule({ allowLoopback: false, allowNets: ['127.0.0.1/32'] })
const ok: RequestListener = (_request, response) => response.end('ok')

describe('addresses', () => {
  test('a refused address is never connected to, in any spelling', async (t) => {
    const sink = await internalSink(t)
    const outbound = client(t)
    const spellings = ['127.0.0.2', '127.2', '0x7f.2', '2130706434', '0177.0.0.2', '127.0.0.2.']
    for (const host of [...spellings, '[::ffff:127.0.0.2]', '[::ffff:7f00:2]']) {
      assertRefused(await outbound.send(get(`http://${host}:${sink.port}/`)), 'address_not_allowed')
    }
    assert.equal(sink.connections, 0)
  })

  test('a name is refused when any one of its addresses is', async (t) => {
    const open = await startSink(t, ok)
    const internal = await startSink(t, ok, { host: '127.0.0.2', port: open.port })
    for (const addresses of [
      ['127.0.0.2'],
      ['127.0.0.1', '127.0.0.2'],
      ['127.0.0.2', '127.0.0.1'],
    ]) {
      const outbound = client(t, { resolve: async () => addresses })
      const answer = await outbound.send(get(`http://name.test:${open.port}/`))
      assertRefused(answer, 'address_not_allowed')
      assert.doesNotMatch(answer.message, /127/)
    }
    assert.equal(open.connections, 0)
    assert.equal(internal.connections, 0)
  })

  test('a name that changes its answer is resolved once per connection', async (t) => {
    const open = await startSink(t, (_request, response) => {
      response.setHeader('connection', 'close')
      response.end('ok')
    })
    const internal = await startSink(t, ok, { host: '127.0.0.2', port: open.port })
    let lookups = 0
    const resolve = async () => [++lookups % 2 === 1 ? '127.0.0.1' : '127.0.0.2']
    const outbound = client(t, { resolve })
    const url = `http://rebinding.test:${open.port}/`

    assertStatus(await outbound.send(get(url)), 200)
    assert.equal(lookups, 1)
    await until(() => open.connections === 1)
    assertRefused(await outbound.send(get(url)), 'address_not_allowed')
    assertStatus(await outbound.send(get(url)), 200)
    assert.equal(lookups, 3)
    assert.equal(internal.connections, 0)
  })

  test('a pooled connection is used again without another lookup', async (t) => {
    const sink = await startSink(t, ok)
    let lookups = 0
    const outbound = client(t, {
      resolve: async () => {
        lookups++
        return ['127.0.0.1']
      },
    })
    for (let n = 0; n < 20; n++) {
      assertStatus(await outbound.send(get(`http://name.test:${sink.port}/${n}`)), 200)
    }
    assert.ok(sink.connections < 5, `${sink.connections} connections for 20 requests`)
    assert.equal(lookups, sink.connections)
  })

  test('allow-nets opens exactly the address it names', async (t) => {
    const opened = await startSink(t, ok, { host: '127.0.0.5' })
    const closed = await startSink(t, ok, { host: '127.0.0.6', port: opened.port })
    const outbound = client(t, {
      rule: createAddressRule({ allowLoopback: false, allowNets: ['127.0.0.5/32'] }),
      resolve: async (name) => [name === 'five.test' ? '127.0.0.5' : '127.0.0.6'],
    })
    assertStatus(await outbound.send(get(`http://127.0.0.5:${opened.port}/`)), 200)
    assertStatus(await outbound.send(get(`http://five.test:${opened.port}/`)), 200)
    for (const host of ['127.0.0.6', '127.0.0.1', 'six.test', 'localhost']) {
      assertRefused(
        await outbound.send(get(`http://${host}:${opened.port}/`)),
        'address_not_allowed',
      )
    }
    assert.equal(closed.connections, 0)
  })

  test('the system resolver finds localhost when loopback is allowed', async (t) => {
    const sink = await startSink(t, ok)
    const development = client(t, {
      rule: createAddressRule({ allowLoopback: true, allowNets: [] }),
      resolve: resolveBySystem,
    })
    assertStatus(await development.send(get(`http://localhost:${sink.port}/`)), 200)
    const production = client(t, {
      rule: createAddressRule({ allowLoopback: false, allowNets: [] }),
      resolve: resolveBySystem,
    })
    assertRefused(
      await production.send(get(`http://localhost:${sink.port}/`)),
      'address_not_allowed',
    )
    assert.equal(sink.connections, 1)
  })

  test('names of metadata services and other schemes are refused without a lookup', async (t) => {
    const outbound = client(t, { resolve: () => assert.fail('resolved') })
    for (const url of ['http://metadata.google.internal/', 'ftp://name.test/', 'file:///x', 'x']) {
      assertRefused(await outbound.send(get(url)), 'address_not_allowed')
    }
  })

  test('a proxy of the environment is not used', async (t) => {
    const [sink, proxy] = [await startSink(t, ok), await startSink(t, ok)]
    const before = { ...process.env }
    t.after(() => {
      process.env = before
    })
    Object.assign(process.env, { HTTP_PROXY: proxy.origin, http_proxy: proxy.origin, NO_PROXY: '' })
    assertStatus(await client(t).send(get(sink.origin)), 200)
    assert.equal(proxy.connections, 0)
  })
})

describe('TLS', () => {
  test('Host header and TLS name are the original host', async (t) => {
    const certificate = createCertificate(['shop.test'])
    const sink = await startSink(
      t,
      (request, response) => {
        const name = 'servername' in request.socket ? request.socket.servername : ''
        response.end(`${request.headers.host} ${name}`)
      },
      { certificate },
    )
    const outbound = client(t, { ca: certificate.cert })
    const answer = await outbound.send({
      ...get(`https://shop.test:${sink.port}/`),
      headers: { Host: 'other.test' },
    })
    assertStatus(answer, 200)
    assert.equal(answer.body.toString(), `shop.test:${sink.port} shop.test`)
  })

  test('a certificate nobody vouches for, or for another name, is a tls_error', async (t) => {
    const certificate = createCertificate(['shop.test'])
    const sink = await startSink(t, ok, { certificate })
    const url = `https://shop.test:${sink.port}/`
    assertRefused(await client(t).send(get(url)), 'tls_error')
    const other = get(`https://other.test:${sink.port}/`)
    assertRefused(await client(t, { ca: certificate.cert }).send(other), 'tls_error')
    assert.equal(sink.requests.length, 0)
  })

  test('a server without TLS is a tls_error', async (t) => {
    const sink = await startSink(t, ok)
    assertRefused(await client(t).send(get(`https://127.0.0.1:${sink.port}/`)), 'tls_error')
  })
})

describe('failures', () => {
  test('nobody listening is connection_refused', async (t) => {
    const answer = await client(t).send(get(`http://127.0.0.1:${await freePort()}/`))
    assertRefused(answer, 'connection_refused')
    assert.doesNotMatch(answer.message, /127/)
  })

  test('an unknown name is dns_error', async (t) => {
    const failing = async () => {
      throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' })
    }
    assertRefused(await client(t, { resolve: failing }).send(get('http://a.test/')), 'dns_error')
    const empty = async () => []
    assertRefused(await client(t, { resolve: empty }).send(get('http://a.test/')), 'dns_error')
  })

  test('a connection closed or reset before the answer is connection_reset', async (t) => {
    const closing = await startTcp(t, (socket) => socket.once('data', () => socket.end()))
    assertRefused(await client(t).send(get(closing.origin)), 'connection_reset')
    const resetting = await startTcp(t, (socket) =>
      socket.once('data', () => socket.resetAndDestroy()),
    )
    assertRefused(await client(t).send(get(resetting.origin)), 'connection_reset')
  })

  test('what is not HTTP is invalid_response', async (t) => {
    const huge = `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`
    const upgrade = 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'
    for (const text of ['SSH-2.0-x\r\n\r\n', huge, upgrade]) {
      const server = await startTcp(t, (socket) => socket.once('data', () => socket.end(text)))
      assertRefused(await client(t).send(get(server.origin)), 'invalid_response')
    }
  })

  test('a server that never answers is a timeout at the limit', async (t) => {
    const sink = await startSink(t, () => {})
    await assertTimeout(client(t).send({ ...get(sink.origin), timeoutMs: 300 }), 300)
  })

  test('headers that come byte by byte do not extend the limit', async (t) => {
    const server = await startTcp(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('x: y\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    await assertTimeout(client(t).send({ ...get(server.origin), timeoutMs: 300 }), 300)
  })

  test('the limit covers name resolution, and a late answer sends nothing', async (t) => {
    const sink = await startSink(t, ok)
    const { promise, resolve: answer } = Promise.withResolvers<string[]>()
    const outbound = client(t, { resolve: () => promise })
    const url = `http://slow.test:${sink.port}/`
    await assertTimeout(outbound.send({ ...get(url), timeoutMs: 200 }), 200)
    answer(['127.0.0.1'])
    assertStatus(await outbound.send(get(`${url}second`)), 200)
    assert.deepEqual(
      sink.requests.map((request) => request.url),
      ['/second'],
    )
  })

  test('the limit covers the TLS handshake', async (t) => {
    const server = await startTcp(t, () => {})
    const url = `https://127.0.0.1:${server.port}/`
    await assertTimeout(client(t).send({ ...get(url), timeoutMs: 200 }), 200)
  })

  test('a wrong argument is our own fault and thrown', async (t) => {
    const sink = await startSink(t, ok)
    const request = { ...get(sink.origin), headers: { 'x-bad': 'a\r\nb: c' } }
    await assert.rejects(client(t).send(request))
    assert.equal(sink.requests.length, 0)
  })
})

describe('bodies', () => {
  test('request and answer arrive byte for byte', async (t) => {
    const sink = await startSink(t, async (request, response) => {
      const chunks = await request.toArray()
      response.setHeader('x-method', request.method ?? '')
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.end(Buffer.concat(chunks))
    })
    const body = Buffer.from([0, 255, 10, 13, 128])
    const answer = await client(t).send({ ...get(sink.origin), method: 'post', body })
    assertStatus(answer, 200)
    assert.deepEqual(answer.body, body)
    assert.equal(answer.headers['x-method'], 'POST')
    assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2'])
    assert.equal(answer.truncated, false)
    assert.equal(answer.bodyEnd, 'complete')
  })

  test('a body is cut at the limit and not before it', async (t) => {
    const sink = await startSink(t, (_request, response) => response.end('0123456789'))
    for (const [maxBodyBytes, text, truncated] of [
      [0, '', true],
      [9, '012345678', true],
      [10, '0123456789', false],
    ] as const) {
      const answer = await client(t).send({ ...get(sink.origin), maxBodyBytes })
      assertStatus(answer, 200)
      assert.equal(answer.body.toString(), text)
      assert.equal(answer.truncated, truncated)
      assert.equal(answer.bodyEnd, truncated ? 'size' : 'complete')
    }
  })

  test('an endless body is cut and its connection closed', async (t) => {
    const closed = Promise.withResolvers<void>()
    const server = await startTcp(t, (socket) => {
      socket.once('close', () => closed.resolve())
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const more = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 'x')));
      }
      socket.on('drain', more)
      more()
    })
    const answer = await client(t).send({ ...get(server.origin), maxBodyBytes: 100_000 })
    assertStatus(answer, 200)
    assert.equal(answer.body.length, 100_000)
    assert.equal(answer.bodyEnd, 'size')
    await closed.promise
  })

  test('a slow body does not turn an answer into a failure', async (t) => {
    const sink = await startSink(t, (_request, response) => response.write('begun'))
    const startedMs = performance.now()
    const answer = await client(t).send({
      ...get(sink.origin),
      timeoutMs: 5_000,
      bodyTimeoutMs: 1_000,
    })
    const tookMs = performance.now() - startedMs
    assertStatus(answer, 200)
    assert.equal(answer.body.toString(), 'begun')
    assert.equal(answer.bodyEnd, 'time')
    assert.ok(answer.durationMs < tookMs - 900, 'the duration ends with the headers')
  })

  test('a body has what its headers left of the time, where that is asked for', async (t) => {
    const sink = await startSink(t, (_request, response) => {
      setTimeout(() => response.write('begun'), 600)
    })
    const request = { ...get(sink.origin), timeoutMs: 1_000, bodyTimeoutMs: 'rest' as const }
    const whole = async () => {
      const answer = await client(t).send(request)
      assertStatus(answer, 200)
      return [answer.body.toString(), answer.bodyEnd]
    }
    const streamed = async () => {
      const answer = await client(t).open(request)
      assertStatus(answer, 200)
      const text = (await Array.fromAsync(answer.body)).join('')
      return [text, answer.body.end]
    }
    for (const read of [whole, streamed]) {
      const startedMs = performance.now()
      assert.deepEqual(await read(), ['begun', 'time'])
      const tookMs = performance.now() - startedMs
      assert.ok(tookMs >= 990, `${read.name} ended after ${tookMs} ms`)
      assertPrompt(tookMs, 1_500, read.name)
    }
  })

  test('a body broken off is told apart from a whole one', async (t) => {
    const server = await startTcp(t, (socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')),
    )
    const answer = await client(t).send(get(server.origin))
    assertStatus(answer, 200)
    assert.equal(answer.body.toString(), 'half')
    assert.equal(answer.bodyEnd, 'connection')
  })

  test('a stream is read as it arrives and can be cancelled', async (t) => {
    const closed = Promise.withResolvers<void>()
    const sink = await startSink(t, (request, response) => {
      request.socket.once('close', () => closed.resolve())
      response.write('first')
    })
    const answer = await client(t).open(get(sink.origin))
    assertStatus(answer, 200)
    for await (const chunk of answer.body) {
      assert.equal(chunk.toString(), 'first')
      break
    }
    await closed.promise

    const unread = await client(t).open(get(sink.origin))
    assertStatus(unread, 200)
    unread.body.cancel()
  })

  test('an answer nobody reads is released at the time limit', async (t) => {
    const closed = Promise.withResolvers<void>()
    const sink = await startSink(t, (request, response) => {
      request.socket.once('close', () => closed.resolve())
      response.write('first')
    })
    assertStatus(await client(t).open({ ...get(sink.origin), bodyTimeoutMs: 100 }), 200)
    await closed.promise
  })

  test('the answer to HEAD has no body', async (t) => {
    const sink = await startSink(t, (_request, response) => {
      response.setHeader('content-length', '1000')
      response.end()
    })
    const answer = await client(t).send({ ...get(sink.origin), method: 'HEAD' })
    assertStatus(answer, 200)
    assert.equal(answer.body.length, 0)
    assert.equal(answer.truncated, false)
  })
})

describe('redirects', () => {
  test('without leave to follow, a redirect is an answer and its target not contacted', async (t) => {
    const target = await startSink(t, ok)
    const sink = await startSink(t, redirectTo(`${target.origin}/`))
    const answer = await client(t).send(get(sink.origin))
    assertStatus(answer, 301)
    assert.equal(answer.headers['location'], `${target.origin}/`)
    assert.equal(target.connections, 0)
  })

  test('relative and absolute ones are followed, the trail is told', async (t) => {
    const other = await startSink(t, ok)
    const sink = await startSink(t, (request, response) => {
      const to = request.url === '/a/b' ? '../c?d=1' : `http://other.test:${other.port}/end`
      response.writeHead(302, { location: to }).end('moved')
    })
    const start = `http://name.test:${sink.port}/a/b`
    const answer = await client(t).send({ ...get(start), maxRedirects: 2 })
    assertStatus(answer, 200)
    assert.equal(answer.url, `http://other.test:${other.port}/end`)
    assert.deepEqual(answer.redirects, [start, `http://name.test:${sink.port}/c?d=1`])
  })

  test('each hop is checked again: internal targets are not contacted', async (t) => {
    const internal = await internalSink(t)
    const targets = [`http://127.0.0.2:${internal.port}/`, `http://inside.test:${internal.port}/`]
    for (const target of [...targets, `//0x7f.2:${internal.port}`, 'http://metadata.goog/']) {
      const sink = await startSink(t, redirectTo(target))
      const answer = await client(t).send({ ...get(sink.origin), maxRedirects: 10 })
      assertRefused(answer, 'address_not_allowed')
      assert.equal(answer.redirects.length, 1)
    }
    assert.equal(internal.connections, 0)
  })

  test('other schemes are refused, a Location that is no URL cannot be followed', async (t) => {
    for (const target of ['file:///etc/passwd', 'ftp://name.test/', 'data:text/plain,x']) {
      const sink = await startSink(t, redirectTo(target))
      const answer = await client(t).send({ ...get(sink.origin), maxRedirects: 10 })
      assertRefused(answer, 'address_not_allowed')
    }
    const broken = await startSink(t, redirectTo('http://[broken'))
    const answer = await client(t).send({ ...get(broken.origin), maxRedirects: 10 })
    assertRefused(answer, 'redirect')
  })

  test('a loop ends after the given number of redirects', async (t) => {
    const sink = await startSink(t, redirectTo('/again'))
    const answer = await client(t).send({ ...get(sink.origin), maxRedirects: 5 })
    assertRefused(answer, 'too_many_redirects')
    assert.equal(sink.requests.length, 6)
  })

  test('credentials and custom headers stay with their origin', async (t) => {
    const other = await startSink(t, ok)
    const sink = await startSink(t, (request, response) => {
      const to = request.url === '/' ? '/same' : `http://name.test:${other.port}/`
      response.writeHead(302, { location: to }).end()
    })
    const headers = {
      Authorization: 'Bearer s',
      Cookie: 'a=1',
      'X-Token': 's',
      'User-Agent': 'Entrepot/1',
    }
    assertStatus(await client(t).send({ ...get(sink.origin), headers, maxRedirects: 3 }), 200)
    const [first, second] = sink.requests
    for (const seen of [first, second]) {
      assert.equal(seen?.headers.authorization, 'Bearer s')
      assert.equal(seen?.headers['x-token'], 's')
    }
    const [away] = other.requests
    assert.equal(away?.headers['user-agent'], 'Entrepot/1')
    for (const name of ['authorization', 'cookie', 'x-token']) {
      assert.equal(away?.headers[name], undefined, name)
    }
  })

  test('the caller can refuse a hop before it is made', async (t) => {
    const target = await startSink(t, ok)
    const sink = await startSink(t, redirectTo(`${target.origin}/x`))
    const asked: string[] = []
    const answer = await client(t).send({
      ...get(sink.origin),
      maxRedirects: 10,
      onRedirect: async ({ from, to, status }) => {
        asked.push(`${from} ${status} ${to}`)
        return false
      },
    })
    assertRefused(answer, 'redirect')
    assert.deepEqual(asked, [`${sink.origin}/ 301 ${target.origin}/x`])
    assert.equal(target.connections, 0)
  })

  test('an error of the caller is not taken for one of the network', async (t) => {
    const sink = await startSink(t, redirectTo('/x'))
    const error = Object.assign(new Error('our database is away'), { code: 'ECONNREFUSED' })
    const onRedirect = () => Promise.reject(error)
    await assert.rejects(
      client(t).send({ ...get(sink.origin), maxRedirects: 1, onRedirect }),
      (thrown) => thrown === error,
    )
  })

  test('the time limit holds for every hop', async (t) => {
    const hanging = await startSink(t, () => {})
    const sink = await startSink(t, redirectTo(hanging.origin))
    const request = { ...get(sink.origin), maxRedirects: 1, timeoutMs: 300 }
    await assertTimeout(client(t).send(request), 300)
  })
})

describe('giving up', () => {
  test('a signal ends a request at any stage', async (t) => {
    const hanging = await startSink(t, (request, response) => {
      if (request.url === '/body') response.write('begun')
    })
    const controller = new AbortController()
    const { signal } = controller
    const never = client(t, { resolve: () => new Promise(() => {}) })
    const outbound = client(t)
    const pending = [
      never.send({ ...get('http://a.test/'), signal }),
      outbound.send({ ...get(`${hanging.origin}/headers`), signal }),
      outbound.send({ ...get(`${hanging.origin}/body`), signal }),
    ]
    await until(() => hanging.requests.length === 2)
    controller.abort()
    for (const answer of await Promise.all(pending)) assertRefused(answer, 'aborted')

    const late = await outbound.send({ ...get(`${hanging.origin}/late`), signal })
    assertRefused(late, 'aborted')
    assert.equal(hanging.requests.length, 2)
  })

  test('a finished request leaves nothing on the signal of its caller', async (t) => {
    const sink = await startSink(t, ok)
    const { signal } = new AbortController()
    const outbound = client(t)
    const urls = Array.from({ length: 30 }, () => sink.origin)
    await Promise.all(urls.map((url) => outbound.send({ ...get(url), signal })))
    await outbound.send({ ...get(`http://127.0.0.1:${await freePort()}`), signal })
    await until(() => getEventListeners(signal, 'abort').length === 0)
  })

  test('closing ends what is under way and refuses what comes later', async (t) => {
    const sink = await startSink(t, () => {})
    const { promise, resolve: answer } = Promise.withResolvers<string[]>()
    const outbound = client(t, { resolve: () => promise })
    const pending = [
      outbound.send(get(sink.origin)),
      outbound.send(get(`http://slow.test:${sink.port}/`)),
    ]
    await until(() => sink.requests.length === 1)
    await outbound.close()
    for (const ended of await Promise.all(pending)) assertRefused(ended, 'aborted')
    answer(['127.0.0.1'])
    assertRefused(await outbound.send(get(sink.origin)), 'aborted')
    assert.equal(sink.connections, 1)
  })
})

describe('a given proxy', () => {
  test('connects by name, after the name was checked here', async (t) => {
    const certificate = createCertificate(['name.test'])
    const plain = await startSink(t, ok)
    const secure = await startSink(t, ok, { certificate })
    const proxy = await startProxy(t)
    const outbound = client(t, { proxyUrl: proxy.url, ca: certificate.cert })

    assertStatus(await outbound.send(get(`http://name.test:${plain.port}/x`)), 200)
    assertStatus(await outbound.send(get(`https://name.test:${secure.port}/x`)), 200)
    assert.deepEqual(proxy.seen, [
      `GET http://name.test:${plain.port}/x`,
      `CONNECT name.test:${secure.port}`,
    ])
    assert.equal(proxy.authorization, `Basic ${Buffer.from('user:secret').toString('base64')}`)
    assert.equal(plain.requests[0]?.headers['proxy-authorization'], undefined)
  })

  test('does not see a request whose name or address is refused', async (t) => {
    const proxy = await startProxy(t)
    const outbound = client(t, { proxyUrl: proxy.url })
    for (const host of ['inside.test', '127.0.0.2', 'metadata.goog']) {
      for (const scheme of ['http', 'https']) {
        assertRefused(await outbound.send(get(`${scheme}://${host}/`)), 'address_not_allowed')
      }
    }
    assert.equal(proxy.connections, 0)
  })

  test('that is away or refuses is connection_refused, never a direct request', async (t) => {
    const sink = await startSink(t, ok)
    const dead = client(t, { proxyUrl: `http://127.0.0.1:${await freePort()}` })
    const refusing = await startTcp(t, (socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')),
    )
    const refused = client(t, { proxyUrl: refusing.origin })
    assertRefused(await dead.send(get(`http://name.test:${sink.port}/`)), 'connection_refused')
    assertRefused(await dead.send(get(`https://name.test:${sink.port}/`)), 'connection_refused')
    assertRefused(await refused.send(get(`https://name.test:${sink.port}/`)), 'connection_refused')
    assert.equal(sink.connections, 0)
  })

  test('scrapers 14: that speaks no HTTP fails what was asked of it, and nothing else', async (t) => {
    const other = await startTcp(t, (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'))
    const outbound = client(t, { proxyUrl: other.origin })
    for (const scheme of ['http', 'https']) {
      assertRefused(await outbound.send(get(`${scheme}://name.test/`)), 'invalid_response')
    }
    const tunnel = await outbound.connect({ host: 'name.test', port: 443, timeoutMs: 5_000 })
    assertRefused(tunnel, 'invalid_response')
    assert.equal(tunnel.isOfProxy, true)
  })
})

function client(t: TestContext, deps: Partial<OutboundDeps> = {}) {
  const resolve = async (name: string) => [name === 'inside.test' ? '127.0.0.2' : '127.0.0.1']
  const outbound = createOutbound({ rule, log: silentLog, resolve, ...deps })
  t.after(outbound.close)
  return outbound
}

function get(url: string): OutboundRequest {
  return { method: 'GET', url, timeoutMs: 5_000, maxBodyBytes: 1_000_000 }
}

function internalSink(t: TestContext) {
  return startSink(t, ok, { host: '127.0.0.2' })
}

function redirectTo(location: string): RequestListener {
  return (_request, response) => response.writeHead(301, { location }).end()
}

function assertStatus<T extends { ok: boolean }>(
  answer: T,
  status: number,
): asserts answer is Extract<T, { ok: true }> {
  assert.partialDeepStrictEqual(answer, { ok: true, status })
}

function assertRefused<T extends { ok: boolean }>(
  answer: T,
  code: string,
): asserts answer is Extract<T, { ok: false }> {
  assert.partialDeepStrictEqual(answer, { ok: false, code })
}

async function assertTimeout<T extends { ok: boolean; durationMs: number }>(
  pending: Promise<T>,
  limitMs: number,
) {
  const answer = await pending
  assert.partialDeepStrictEqual(answer, { ok: false, code: 'timeout' })
  assert.ok(answer.durationMs >= limitMs - 5, `too early: ${answer.durationMs} ms`)
  assertPrompt(answer.durationMs, limitMs + 2_000)
}
