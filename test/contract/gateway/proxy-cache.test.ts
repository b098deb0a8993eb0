import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { type IncomingMessage, type RequestListener } from 'node:http'
import net from 'node:net'
import { before, describe, test } from 'node:test'
import { until } from '#test-kit'
import { caller } from '../access/support.ts'
import { gatewayServer, rawTarget, startUpstream, type Upstream } from './support.ts'

describe('gateway proxy-cache', () => {
  // One thread has one cache, so that a test knows what is in it; threads are shown further below.
  const { server, admin, put, send } = gatewayServer('sqlite', {
    ENTREPOT_GATEWAY_THREADS: '1',
    ENTREPOT_GATEWAY_CACHE_BYTES: String(2 ** 20),
  })
  let upstream: Upstream
  let count = 0
  before(async () => {
    upstream = await startUpstream()
  })

  const route = (id: string, settings: object = {}, plugins: object = {}) =>
    put(`/routes/${id}`, {
      uri: `/${id}/*`,
      upstream: { nodes: { [upstream.node]: 1 } },
      plugins: { 'proxy-cache': settings, ...plugins },
    })
  /** Every answer differs, so that one from the cache is known. */
  const answering =
    (headers: Record<string, string | string[]> = {}, status = 200): RequestListener =>
    (_request, response) => {
      response.writeHead(status, headers)
      response.end(`answer ${++count}`)
    }
  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await send(path, { headers, method })
    const text = await answer.text()
    return { status: answer.status, cache: answer.headers.get('x-cache-status'), text, answer }
  }
  const statuses = async (path: string, headers: Record<string, string> = {}) => [
    (await get(path, headers)).cache,
    (await get(path, headers)).cache,
  ]
  const control = (query: string, key?: string) =>
    admin('DELETE', `/gateway/control/v1/cache${query}`, key === undefined ? {} : { key })

  test('proxy-cache: the second answer is the first, headers in order and repeated, with its age', async () => {
    await route('eq')
    upstream.handle = (_request, response) => {
      const headers = ['X-B', '1', 'Link', '<a>', 'X-A', '2', 'Link', '<b>', 'Content-Length', '4']
      response.writeHead(200, headers).end('body')
    }
    const raw = () => rawLines(server().gatewayUrl, '/eq/x')
    const first = await raw()
    // An answer may arrive a moment before it is kept.
    await until(async () => (await raw()).includes('X-Cache-Status: HIT'))
    await server().setClockOffset(7_000)
    const second = await raw()
    await server().setClockOffset(0)
    assert.ok(first.includes('X-Cache-Status: MISS'))
    assert.ok(second.includes('X-Cache-Status: HIT'))
    const age = Number(/Age: (\d+)/.exec(second.join('\n'))?.[1])
    assert.ok(age >= 7 && age < 60, `${age}`)
    const own = /^(x-request-id|x-cache-status|age|x-test-)/i
    const kept = (lines: string[]) => lines.filter((line) => !own.test(line))
    assert.deepEqual(kept(second), kept(first))
    assert.equal(upstream.seen.filter(({ url }) => url === '/eq/x').length, 1)
  })

  test('proxy-cache: freshness is what the upstream says, else cache_ttl', async () => {
    await route('ttl', { cache_ttl: 60 })
    for (const [name, headers, freshSeconds] of [
      ['ttl', {}, 60],
      ['max-age', { 'Cache-Control': 'public, max-age=10' }, 10],
      ['s-maxage', { 'Cache-Control': 'max-age=1, s-maxage="20"' }, 20],
      ['age', { 'Cache-Control': 'max-age=30', Age: '25' }, 5],
      ['expires', { Date: new Date(0).toUTCString(), Expires: new Date(15_000).toUTCString() }, 15],
    ] as const) {
      upstream.handle = answering(headers)
      const first = await get(`/ttl/${name}`)
      assert.equal(first.cache, 'MISS', name)
      await server().setClockOffset(freshSeconds * 1000 - 4_000)
      const fresh = await get(`/ttl/${name}`)
      assert.deepEqual([fresh.cache, fresh.text], ['HIT', first.text], name)
      await server().setClockOffset(freshSeconds * 1000 + 100)
      const later = await get(`/ttl/${name}`)
      assert.equal(later.cache, 'EXPIRED', name)
      assert.notEqual(later.text, first.text, name)
      assert.equal((await get(`/ttl/${name}`)).cache, 'HIT', name)
      await server().setClockOffset(0)
    }
  })

  test('proxy-cache: what is private, unwanted, unsafe or not whole is never kept', async () => {
    await route('no')
    for (const [name, headers, status = 200] of [
      ['no-store', { 'Cache-Control': 'no-store' }],
      ['private', { 'Cache-Control': 'private, max-age=60' }],
      ['no-cache', { 'Cache-Control': 'no-cache' }],
      ['zero', { 'Cache-Control': 'max-age=0' }],
      ['expired', { Expires: '0' }],
      ['cookie', { 'Set-Cookie': 'a=1' }],
      ['star', { Vary: '*' }],
      ['events', { 'Content-Type': 'text/event-stream' }],
      ['failed', {}, 500],
    ] as const) {
      upstream.handle = answering(headers, status)
      assert.deepEqual(await statuses(`/no/${name}`), ['MISS', 'MISS'], name)
    }
    upstream.handle = (request, response) => {
      request.socket.on('error', () => {})
      response.writeHead(200, { 'content-length': '100' })
      response.write('half')
      setImmediate(() => request.socket.destroy())
    }
    await assert.rejects(get('/no/broken'))
    upstream.handle = (request, response) => {
      response.writeHead(200)
      response.write('half')
      setImmediate(() => request.socket.destroy())
    }
    await assert.rejects(get('/no/broken'))
    const endless = net.createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nX: 1\r\n\r\nuntil the end'))
    })
    endless.listen(0, '127.0.0.1')
    await new Promise((resolve) => endless.once('listening', resolve))
    const address = endless.address()
    const port = typeof address === 'object' && address ? address.port : 0
    await put('/routes/endless', {
      uri: '/endless',
      upstream: { nodes: { [`127.0.0.1:${port}`]: 1 } },
      plugins: { 'proxy-cache': {} },
    })
    assert.deepEqual(await statuses('/endless'), ['MISS', 'MISS'])
    endless.close()
    upstream.handle = answering()
    assert.deepEqual(await statuses('/no/broken'), ['MISS', 'HIT'], 'nothing was poisoned')
  })

  test('proxy-cache: what a client keeps from the upstream by Connection does not become the answer of others', async () => {
    upstream.handle = ({ headers }, response) => {
      response.writeHead(200, { Vary: 'Accept-Language' })
      response.end(headers['accept-language'] ?? 'none')
    }
    const german = { 'accept-language': 'de' }
    for (const settings of [{}, { cache_key: ['$uri', '$http_accept_language'] }]) {
      await route('withheld', settings)
      // Once more for the variant, which is known by the first answer.
      for (const connection of ['Accept-Language', 'keep-alive, accept-language']) {
        const path = '/withheld/x'
        const { body, headers } = await rawTarget(server().gatewayUrl, path, {
          ...german,
          connection,
        })
        assert.deepEqual([body, headers['x-cache-status']], ['none', 'BYPASS'])
      }
      assert.equal((await get('/withheld/x', german)).text, 'de')
      const { cache, text } = await get('/withheld/x', german)
      assert.deepEqual([cache, text], ['HIT', 'de'])
    }
  })

  test('proxy-cache: Vary keeps answers apart by what the upstream was sent', async () => {
    await route('vary')
    upstream.handle = (request, response) => {
      response.writeHead(200, { Vary: 'Accept-Language, X-Kind' })
      response.end(`${request.headers['accept-language']} ${++count}`)
    }
    const german = await get('/vary/x', { 'accept-language': 'de' })
    const english = await get('/vary/x', { 'accept-language': 'en' })
    assert.deepEqual([german.cache, english.cache], ['MISS', 'MISS'])
    const again = await get('/vary/x', { 'accept-language': 'de' })
    assert.deepEqual([again.cache, again.text], ['HIT', german.text])
    assert.equal((await get('/vary/x', { 'accept-language': 'en' })).text, english.text)
    const other = await get('/vary/x', { 'accept-language': 'de', 'x-kind': 'b' })
    assert.equal(other.cache, 'MISS')
  })

  test('proxy-cache: conditions, ranges and HEAD are answered from the whole answer', async () => {
    await route('part')
    const modified = new Date(1_700_000_000_000).toUTCString()
    upstream.handle = (_request, response) => {
      response.writeHead(200, { ETag: '"v1"', 'Last-Modified': modified, 'Content-Length': '10' })
      response.end('0123456789')
    }
    // The first one asks for a part; what is kept is the whole.
    const first = await get('/part/x', { range: 'bytes=0-3', 'if-none-match': '"old"' })
    assert.deepEqual([first.status, first.cache, first.text], [200, 'MISS', '0123456789'])
    const seen = upstream.seen.at(-1)?.headers
    assert.deepEqual([seen?.range, seen?.['if-none-match']], [undefined, undefined])
    for (const [headers, status, text] of [
      [{ 'if-none-match': 'W/"v1", "v2"' }, 304, ''],
      [{ 'if-none-match': '"v2"' }, 200, '0123456789'],
      [{ 'if-modified-since': modified }, 304, ''],
      [{ 'if-modified-since': new Date(1_600_000_000_000).toUTCString() }, 200, '0123456789'],
      [{ range: 'bytes=2-4' }, 206, '234'],
      [{ range: 'bytes=-3' }, 206, '789'],
      [{ range: 'bytes=8-' }, 206, '89'],
      [{ range: 'bytes=20-' }, 416, ''],
      [{ range: 'bytes=0-1,3-4' }, 200, '0123456789'],
      [{ range: 'bytes=2-4', 'if-range': '"v2"' }, 200, '0123456789'],
      [{ range: 'bytes=2-4', 'if-range': '"v1"' }, 206, '234'],
    ] as const) {
      const found = await get('/part/x', { ...headers })
      assert.deepEqual([found.status, found.cache, found.text], [status, 'HIT', text])
      if (status === 304) assert.equal(found.answer.headers.get('etag'), '"v1"')
    }
    const range = await get('/part/x', { range: 'bytes=2-4' })
    assert.equal(range.answer.headers.get('content-range'), 'bytes 2-4/10')
    const head = await get('/part/x', {}, 'HEAD')
    assert.deepEqual(
      [head.status, head.cache, head.text, head.answer.headers.get('content-length')],
      [200, 'HIT', '', '10'],
    )
    assert.equal(upstream.seen.filter(({ url }) => url === '/part/x').length, 1)
  })

  test('proxy-cache: a hundred requests that wait cause one to the upstream', async () => {
    await route('wait')
    const waiting: (() => void)[] = []
    upstream.handle = (_request, response) => {
      waiting.push(() => response.end(`one ${++count}`))
    }
    const seen = upstream.seen.length
    const answers = Array.from({ length: 100 }, () => get('/wait/x'))
    await until(() => waiting.length > 0)
    // All others have arrived by the time a request sent after them is answered.
    await Promise.all([send('/none'), send('/none')])
    for (const answer of waiting) answer()
    const texts = (await Promise.all(answers)).map(({ text }) => text)
    assert.equal(new Set(texts).size, 1)
    assert.equal(upstream.seen.length - seen, 1)
  })

  test('proxy-cache: answers that cannot be kept are not waited for one after the other', async () => {
    await route('own')
    const held: (() => void)[] = []
    upstream.handle = (_request, response) => {
      held.push(() =>
        response.writeHead(200, { 'Cache-Control': 'no-store' }).end(`own ${++count}`),
      )
    }
    const release = () => {
      for (const answer of held.splice(0)) answer()
    }
    const first = Array.from({ length: 30 }, () => get('/own/x'))
    await until(() => held.length > 0)
    release()
    // One after the other they would never all be there at once.
    await until(() => held.length >= 29)
    release()
    assert.equal(new Set((await Promise.all(first)).map(({ text }) => text)).size, 30)
    const second = Array.from({ length: 30 }, () => get('/own/x'))
    await until(() => held.length === 30)
    release()
    await Promise.all(second)
  })

  test('proxy-cache: a client that goes away while it fills harms nobody', async () => {
    await route('gone')
    let asked = 0
    upstream.handle = (request, response) => {
      asked++
      response.writeHead(200, { 'content-length': '8' })
      response.write('half')
      if (asked > 1) response.end('half')
      else request.socket.on('error', () => {})
    }
    const abort = new AbortController()
    const first = send('/gone/x', { signal: abort.signal })
    await first
    const others = Array.from({ length: 5 }, () => get('/gone/x'))
    await send('/none')
    abort.abort()
    for (const { status, text } of await Promise.all(others)) {
      assert.deepEqual([status, text], [200, 'halfhalf'])
    }
    assert.equal(asked, 2)
  })

  test('proxy-cache: answers to somebody are kept only when the key names the consumer', async () => {
    for (const username of ['ann', 'bob']) {
      await put(`/consumers/${username}`, { username, plugins: { 'key-auth': { key: username } } })
    }
    upstream.handle = answering()
    const auth = { 'key-auth': {} }
    await route('mine', {}, auth)
    assert.deepEqual(await statuses('/mine/x', { apikey: 'ann' }), ['BYPASS', 'BYPASS'])
    await route('mine', { cache_key: ['$uri', '$consumer_name'] }, auth)
    assert.deepEqual(await statuses('/mine/x', { apikey: 'ann' }), ['MISS', 'HIT'])
    assert.deepEqual(await statuses('/mine/x', { apikey: 'bob' }), ['MISS', 'HIT'])
    assert.equal((await get('/mine/x')).status, 401, 'what is kept opens no door')
    await route('open')
    for (const headers of [
      { authorization: 'Basic eA==' },
      { 'x-api-key': 'a' },
      { apikey: 'a' },
    ]) {
      assert.deepEqual(await statuses('/open/x', headers), ['BYPASS', 'BYPASS'])
    }
    assert.deepEqual(await statuses('/open/x', { cookie: 'a=1' }), ['BYPASS', 'BYPASS'])
    assert.deepEqual(await statuses('/open/x'), ['MISS', 'HIT'])
    await route('open', { cache_key: ['$uri', '$cookie_a'] })
    assert.deepEqual(await statuses('/open/x', { cookie: 'a=1' }), ['MISS', 'HIT'])
    assert.deepEqual(await statuses('/open/x', { cookie: 'a=2' }), ['MISS', 'HIT'])
  })

  test('proxy-cache: keys, statuses, methods, bypass and no_cache follow the settings', async () => {
    upstream.handle = answering()
    await route('key', { cache_key: ['$uri', '$arg_a'], cache_method: ['GET'] })
    assert.deepEqual(
      [(await get('/key/x?a=1&b=1')).cache, (await get('/key/x?a=1&b=2')).cache],
      ['MISS', 'HIT'],
    )
    assert.equal((await get('/key/x?a=2')).cache, 'MISS')
    assert.equal((await get('/key/x?a=1', {}, 'HEAD')).cache, 'BYPASS')
    await route('set', { cache_bypass: ['$arg_bypass'], no_cache: ['$arg_no'], cache_zone: 'z' })
    assert.deepEqual(await statuses('/set/x?bypass=1'), ['BYPASS', 'BYPASS'])
    assert.deepEqual(await statuses('/set/x?bypass=0'), ['MISS', 'HIT'])
    assert.deepEqual(await statuses('/set/x?no=1'), ['MISS', 'MISS'])
    await route('st', { cache_http_status: [200, 418] })
    upstream.handle = answering({}, 418)
    assert.deepEqual(await statuses('/st/x'), ['MISS', 'HIT'])
    upstream.handle = answering({}, 404)
    assert.deepEqual(await statuses('/st/y'), ['MISS', 'MISS'])
    await route('hide', { hide_cache_headers: true })
    upstream.handle = answering({ 'Cache-Control': 'max-age=60', Expires: 'x' })
    for (const expected of ['MISS', 'HIT']) {
      const { cache, answer } = await get('/hide/x')
      assert.equal(cache, expected)
      assert.equal(answer.headers.get('cache-control'), null)
      assert.equal(answer.headers.get('expires'), null)
    }
  })

  test('proxy-cache: with cache_control the client decides how fresh an answer must be', async () => {
    upstream.handle = answering()
    await route('cc', { cache_control: true, cache_ttl: 60 })
    const wants = async (value: string) => {
      const { cache, status } = await get('/cc/x', { 'cache-control': value })
      return [status, cache]
    }
    assert.deepEqual(await wants('only-if-cached'), [504, 'MISS'])
    assert.equal((await get('/cc/x')).cache, 'MISS')
    await server().setClockOffset(30_000)
    assert.deepEqual(await wants('max-age=40'), [200, 'HIT'])
    assert.deepEqual(await wants('min-fresh=20, only-if-cached'), [200, 'HIT'])
    assert.deepEqual(await wants('only-if-cached, min-fresh=40'), [504, 'MISS'])
    assert.deepEqual(await wants('no-store'), [200, 'MISS'])
    assert.deepEqual(await wants('max-age=20'), [200, 'MISS'])
    assert.deepEqual(await wants('max-age=20'), [200, 'HIT'], 'the new one is kept')
    assert.deepEqual(await wants('no-cache'), [200, 'MISS'])
    await server().setClockOffset(0)
    await route('cc', {})
    assert.equal((await get('/cc/x')).cache, 'MISS')
    assert.deepEqual(await wants('no-cache'), [200, 'HIT'], 'not without cache_control')
  })

  test('proxy-cache: operators purge by tag, prefix or all, viewers do not', async () => {
    await route('purge')
    const fill = async () => {
      upstream.handle = answering({ 'Surrogate-Key': 'red green' })
      await get('/purge/a/1')
      upstream.handle = answering({ 'Cache-Tag': 'blue, green' })
      await get('/purge/a/2')
      upstream.handle = answering()
      await get('/purge/b/1')
    }
    const kept = async () => {
      const all = await Promise.all(['a/1', 'a/2', 'b/1'].map((path) => get(`/purge/${path}`)))
      return all.map(({ cache }) => cache).join()
    }
    for (const [query, purged, left] of [
      ['tag=red', 1, 'MISS,HIT,HIT'],
      ['tag=green', 2, 'MISS,MISS,HIT'],
      ['tag=none', 0, 'HIT,HIT,HIT'],
      ['prefix=/purge/a', 2, 'MISS,MISS,HIT'],
      ['prefix=127.0.0.1/purge/b', 1, 'HIT,HIT,MISS'],
      ['all=true', 3, 'MISS,MISS,MISS'],
    ] as const) {
      await control('?all=true')
      await fill()
      assert.deepEqual(await control(`?${query}`).then(({ body }) => body), { purged }, query)
      assert.equal(await kept(), left, query)
    }
    for (const query of ['', '?all=false', '?tag=', '?tag=a&prefix=b', '?other=1']) {
      assert.equal((await control(query)).status, 400, query)
    }
    const viewer = await caller(() => server().url).issueKey({ access: 'read' })
    assert.equal((await control('?all=true', viewer.key)).status, 403)
    assert.equal((await control('?all=true', 'wrong')).status, 401)
  })

  test('proxy-cache: a purge also catches what is on its way', async () => {
    await route('late')
    let release = () => {}
    upstream.handle = (_request, response) => {
      release = () => response.end(`late ${++count}`)
    }
    const seen = upstream.seen.length
    const first = get('/late/x')
    await until(() => upstream.seen.length > seen)
    await control('?prefix=/late')
    release()
    await first
    upstream.handle = answering()
    assert.equal((await get('/late/x')).cache, 'MISS')
  })

  test('proxy-cache: a change through the gateway drops what was kept of the resource', async () => {
    await route('edit')
    upstream.handle = answering()
    assert.deepEqual(await statuses('/edit/x?a=1'), ['MISS', 'HIT'])
    assert.equal((await get('/edit/x', {}, 'PUT')).cache, 'BYPASS')
    assert.equal((await get('/edit/x?a=1')).cache, 'MISS')
    upstream.handle = answering({}, 409)
    await get('/edit/x', {}, 'DELETE')
    assert.equal((await get('/edit/x?a=1')).cache, 'HIT', 'a refused change is none')
  })

  test('proxy-cache: memory is bounded; what was used last stays', async () => {
    await route('big')
    upstream.handle = (_request, response) => response.end('x'.repeat(200_000))
    await get('/big/0')
    for (let n = 1; n < 8; n++) {
      await get(`/big/${n}`)
      assert.equal((await get('/big/0')).cache, 'HIT')
    }
    assert.equal((await get('/big/7')).cache, 'HIT')
    assert.equal((await get('/big/1')).cache, 'MISS')
    upstream.handle = (_request, response) => response.end('x'.repeat(300_000))
    assert.deepEqual(await statuses('/big/huge'), ['MISS', 'MISS'], 'more than a quarter of it all')
  })

  test('proxy-cache: plugins see answers from the cache as any other', async () => {
    upstream.handle = answering()
    const rewrite = {
      'response-rewrite': { headers: { set: { 'X-Seen': '$arg_who' } } },
      'proxy-rewrite': { uri: '/inner' },
    }
    await route('plug', { cache_key: ['$uri'] }, rewrite)
    const first = await get('/plug/x?who=ann')
    assert.deepEqual([first.cache, first.answer.headers.get('x-seen')], ['MISS', 'ann'])
    const second = await get('/plug/x?who=bob')
    assert.deepEqual([second.cache, second.answer.headers.get('x-seen')], ['HIT', 'bob'])
    const { data, issueKey } = caller(() => server().url)
    const key = await issueKey()
    await route('sold', { cache_key: ['$uri', '$consumer_name'] }, { 'plan-access': {} })
    const buyer = { 'x-api-key': key.key }
    assert.deepEqual(await statuses('/sold/x', buyer), ['MISS', 'HIT'])
    await until(async () => (await data('GET', `/usage?key_id=${key.id}`)).month === 2)
  })

  test('proxy-cache: cors overwrites what the upstream has said, also from the cache', async () => {
    upstream.handle = answering({ 'access-control-allow-origin': 'https://evil.org' })
    await route('crossed', {}, { cors: { allow_origins: 'https://a.org' } })
    for (const cache of ['MISS', 'HIT']) {
      const { answer } = await get('/crossed/x', { origin: 'https://a.org' })
      assert.equal(answer.headers.get('x-cache-status'), cache)
      assert.equal(answer.headers.get('access-control-allow-origin'), 'https://a.org')
    }
    const { answer } = await get('/crossed/x', { origin: 'https://b.org' })
    assert.equal(answer.headers.get('x-cache-status'), 'HIT')
    assert.equal(answer.headers.get('access-control-allow-origin'), null)
  })

  test('proxy-cache: settings that cannot work are refused by name', async () => {
    for (const [settings, path] of [
      [{ cache_strategy: 'disk' }, '/cache_strategy'],
      [{ cache_method: ['POST'] }, '/cache_method/0'],
      [{ cache_key: ['$nope'] }, '/cache_key/0'],
      [{ cache_key: [] }, '/cache_key'],
      [{ cache_http_status: [206] }, '/cache_http_status/0'],
      [{ cache_ttl: 0 }, '/cache_ttl'],
      [{ cache_set_cookie: true }, '/cache_set_cookie'],
      [{ consumer_isolation: false }, '/consumer_isolation'],
    ] as const) {
      const body = { uri: '/x', plugins: { 'proxy-cache': settings } }
      const { status, body: answer } = await admin('PUT', '/routes/x', { body })
      assert.equal(status, 400, JSON.stringify(settings))
      assert.match(answer.error_msg, new RegExp(`proxy-cache${path}`))
    }
    assert.equal((await rawTarget(server().gatewayUrl, '/none')).status, 404)
  })
})

/** The headers of an answer line by line, without what concerns the connection. */
async function rawLines(base: string, path: string): Promise<string[]> {
  const request = http.get(`${base}${path}`, { agent: false })
  const [answer]: IncomingMessage[] = await once(request, 'response')
  if (!answer) return []
  answer.resume()
  await once(answer, 'end')
  const { rawHeaders } = answer
  const lines = rawHeaders.flatMap((name, at) => {
    return at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []
  })
  return lines.filter((line) => !/^(date|connection|keep-alive):/i.test(line))
}
