import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { before, test } from 'node:test'
import { freePort, promptly, until } from '#test-kit'
import { gatewaySuite, named, startUpstream, tally, type Upstream } from './support.ts'

export const balancing = gatewaySuite('gateway balancing', ({ server, admin, put, send }) => {
  let nodes: Upstream[]
  before(async () => {
    nodes = await Promise.all(['a', 'b', 'c'].map((name) => startUpstream(named(name))))
  })

  const weights = (...list: number[]) =>
    Object.fromEntries(list.map((weight, index) => [nodes[index]?.node ?? '', weight]))
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await send(path, init)
    return answer.status === 200 ? answer.text() : String(answer.status)
  }
  const many = async (path: string, count: number) =>
    tally(await Promise.all(Array.from({ length: count }, () => ask(path))))

  test('gateway 19: weights are exact over all threads, hashes stick, the idle node is preferred', async () => {
    await put('/routes/rr', { uri: '/rr', upstream: { nodes: weights(3, 0, 1) } })
    assert.deepEqual(await many('/rr', 12), { a: 9, c: 3 })
    const order = []
    for (let n = 0; n < 8; n++) order.push(await ask('/rr'))
    assert.deepEqual(tally(order), { a: 6, c: 2 })
    assert.equal(/aaaa/.test(order.join('')), false, 'interleaved')
    await put('/routes/zero', { uri: '/zero', upstream: { nodes: weights(0, 0, 0) } })
    const none = await send('/zero')
    assert.equal(none.status, 503)
    assert.match(await none.text(), /"code":"no_upstream"/)
    await put('/routes/none', { uri: '/none', upstream: { nodes: {} } })
    assert.equal((await send('/none')).status, 503)

    const hash = { type: 'chash', key: 'arg_k', nodes: weights(1, 1, 1) }
    await put('/routes/hash', { uri: '/hash', upstream: hash })
    const keys = Array.from({ length: 90 }, (_, n) => `key-${n}`)
    const place = async () =>
      new Map(await Promise.all(keys.map(async (k) => [k, await ask(`/hash?k=${k}`)] as const)))
    const first = await place()
    assert.deepEqual(await place(), first)
    assert.deepEqual(Object.keys(tally([...first.values()])).sort(), ['a', 'b', 'c'])
    await put('/routes/hash', { uri: '/hash', upstream: { ...hash, nodes: weights(1, 1) } })
    const second = await place()
    for (const [key, name] of first) if (name !== 'c') assert.equal(second.get(key), name, key)
    await put('/routes/hash', { uri: '/hash', upstream: hash })
    assert.deepEqual(await place(), first)
    const perHeader = { ...hash, hash_on: 'header', key: 'X-User' }
    await put('/routes/hash', { uri: '/hash', upstream: perHeader })
    const same = await Promise.all(
      Array.from({ length: 10 }, () => ask('/hash', { headers: { 'x-user': 'u' } })),
    )
    assert.equal(new Set(same).size, 1)

    const held: (() => void)[] = []
    const [a] = nodes
    if (a) a.handle = (_request, response) => void held.push(() => response.end('a'))
    await put('/routes/lc', { uri: '/lc', upstream: { type: 'least_conn', nodes: weights(1, 1) } })
    const pending: Promise<string>[] = []
    let answered = 0
    // Nothing else may be under way when the idle node is asked for: it would not be idle.
    while (held.length === 0) {
      pending.push(ask('/lc').finally(() => answered++))
      await until(() => held.length + answered === pending.length)
    }
    for (let n = 0; n < 6; n++) assert.equal(await ask('/lc'), 'b')
    assert.equal(held.length, 1)
    for (const release of held) release()
    await Promise.all(pending)
    if (a) a.handle = named('a')

    // Of two nodes the one that answers faster is asked, once both were.
    if (a) a.handle = (_request, response) => void setTimeout(() => response.end('a'), 150)
    await put('/routes/ew', { uri: '/ew', upstream: { type: 'ewma', nodes: weights(1, 1) } })
    const faster: string[] = []
    for (let n = 0; n < 12; n++) faster.push(await ask('/ew'))
    assert.ok(faster.filter((name) => name === 'b').length >= 10, faster.join())
    if (a) a.handle = named('a')
    const tiers = [
      { host: '127.0.0.1', port: nodes[0]?.port, weight: 1, priority: 1 },
      { host: '127.0.0.1', port: nodes[1]?.port, weight: 1 },
    ]
    await put('/routes/tier', { uri: '/tier', upstream: { nodes: tiers } })
    assert.deepEqual(await many('/tier', 6), { a: 6 })
  })

  test('gateway 19: a request that is sent again on a new connection counts as under way', async () => {
    const [a] = nodes
    if (!a) throw new Error('no node')
    await put('/routes/again', {
      uri: '/again',
      upstream: { type: 'least_conn', nodes: weights(1, 1) },
    })
    // One connection, so that all of its requests meet the same thread.
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    const askOnce = () =>
      new Promise<string>((resolve, reject) => {
        const url = `${server().gatewayUrl}/again`
        const request = http.get(url, { agent }, (answer) => {
          answer.setEncoding('utf8').on('data', resolve)
        })
        request.on('error', reject)
      })
    const used = new Set<unknown>()
    a.handle = (request, response) => {
      used.add(request.socket)
      response.end('a')
    }
    while ((await askOnce()) !== 'a');
    const reached = Promise.withResolvers<string>()
    let release = () => {}
    a.handle = (request, response) => {
      if (used.has(request.socket)) return void request.socket.destroy()
      release = () => response.end('a')
      reached.resolve('held')
    }
    let last = askOnce()
    let seen = await Promise.race([last, reached.promise])
    while (seen === 'b') {
      last = askOnce()
      seen = await Promise.race([last, reached.promise])
    }
    assert.equal(seen, 'held')
    for (let n = 0; n < 6; n++) assert.equal(await ask('/again'), 'b')
    release()
    assert.equal(await last, 'a')
    agent.destroy()
    a.handle = named('a')
  })

  test('gateway 19: an open WebSocket counts as under way until it is closed', async () => {
    const joined: string[] = []
    let closed = 0
    const both = await Promise.all(['a', 'b'].map((name) => startUpstream(named(name))))
    for (const [index, { server: node }] of both.entries()) {
      node.on('upgrade', (_request, socket) => {
        joined.push(index === 0 ? 'a' : 'b')
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
        )
        socket.on('error', () => {}).on('end', () => socket.end())
        socket.on('close', () => closed++)
      })
    }
    const join = async () => {
      const headers = { connection: 'Upgrade', upgrade: 'websocket' }
      const request = http.get(`${server().gatewayUrl}/joined`, { headers })
      const [, socket] = await once(request, 'upgrade')
      return socket
    }
    const six = async () => {
      const names = []
      for (let n = 0; n < 6; n++) names.push(await ask('/joined'))
      return tally(names)
    }
    const ends = Object.fromEntries(both.map(({ node }) => [node, 1]))
    const upstream = { type: 'least_conn', nodes: ends }
    await put('/routes/joined', { uri: '/joined', enable_websocket: true, upstream })
    const first = await join()
    const idle = joined[0] === 'a' ? 'b' : 'a'
    assert.deepEqual(await six(), { [idle]: 6 })
    first.destroy()
    await until(async () => (await ask('/joined')) !== idle, { what: 'a node that is free again' })

    // A node that gets the slot of another does not get what is still open to that one.
    const second = await join()
    await admin('DELETE', '/routes/joined')
    await put('/routes/anew', { uri: '/joined', upstream })
    assert.deepEqual(await six(), { a: 3, b: 3 })
    second.destroy()
    await until(() => closed === 2)
    assert.deepEqual(await six(), { a: 3, b: 3 })
  })

  test('gateway 20: failing nodes get no traffic until they answer again', async () => {
    const health = new Map([
      ['a', 200],
      ['b', 200],
    ])
    let probed = 0
    for (const [index, name] of ['a', 'b'].entries()) {
      const node = nodes[index]
      if (!node) continue
      node.handle = (request, response) => {
        if (request.url === '/status') {
          probed++
          response.writeHead(health.get(name) ?? 200).end()
        } else response.end(name)
      }
    }
    const active = {
      http_path: '/status',
      interval: 0.1,
      healthy: { successes: 2 },
      unhealthy: { http_failures: 3 },
    }
    await put('/upstreams/checked', { nodes: weights(1, 1), checks: { active } })
    await put('/routes/checked', { uri: '/checked', upstream_id: 'checked' })
    await until(() => probed > 0, { what: 'a probe without any traffic' })
    const statuses = async () => {
      const { body } = await admin('GET', '/gateway/control/v1/healthcheck/upstreams/checked')
      return body.nodes.map(({ status }: { status: string }) => status)
    }
    health.set('a', 500)
    await promptly(100 * 3 + 1_000 + 2_000, async () => (await statuses())[0] === 'unhealthy')
    assert.deepEqual(await many('/checked', 6), { b: 6 })
    const { body: metrics } = await admin('GET', '/gateway/prometheus/metrics')
    assert.match(metrics, /gateway_upstream_status\{name="\/gateway\/upstreams\/checked".* 0/)
    await put('/upstreams/checked', { nodes: weights(1, 1, 1), checks: { active } })
    assert.equal((await statuses())[0], 'unhealthy', 'an edit keeps the state of a node that stays')
    await put('/upstreams/checked', { nodes: weights(1, 1), checks: { active } })
    health.set('b', 500)
    await until(async () => (await statuses()).join() === 'unhealthy,unhealthy')
    assert.deepEqual(await many('/checked', 4), { a: 2, b: 2 }, 'all unhealthy: all are used')
    const failing = { active, when_all_unhealthy: 'fail' }
    await put('/upstreams/checked', { nodes: weights(1, 1), checks: failing })
    assert.deepEqual(await many('/checked', 2), { '503': 2 })
    health.set('a', 200)
    await until(async () => (await statuses())[0] === 'healthy')
    assert.deepEqual(await many('/checked', 4), { a: 4 })

    // Balancers by load keep their figures of a node, and with them what the checks said of it.
    const byLoad = { type: 'least_conn', nodes: weights(1, 1) }
    await put('/upstreams/checked', { ...byLoad, checks: { active } })
    await until(async () => (await statuses()).join() === 'healthy,unhealthy')
    assert.deepEqual(await many('/checked', 4), { a: 4 })
    await put('/upstreams/checked', byLoad)
    assert.ok((await many('/checked', 12))['b'], 'without checks every node is used')
    await admin('DELETE', '/routes/checked')
    await admin('DELETE', '/upstreams/checked')
    const seen = probed
    await until(
      async () => (await admin('GET', '/gateway/control/v1/healthcheck')).body.length === 0,
    )
    assert.ok(probed <= seen + 2)

    let broken = true
    const [a] = nodes
    if (a) {
      a.handle = (request, response) => {
        if (request.url === '/status') response.writeHead(404).end()
        else response.writeHead(broken ? 500 : 200).end('a')
      }
    }
    const passive = { unhealthy: { http_failures: 3 } }
    const slowly = { ...active, interval: 60, unhealthy: { http_statuses: [599] } }
    const checks = { active: slowly, passive }
    await put('/routes/passive', { uri: '/passive', upstream: { nodes: weights(1, 1), checks } })
    const answers = []
    for (let n = 0; n < 12; n++) answers.push(await ask('/passive'))
    assert.deepEqual(tally(answers), { '500': 3, b: 9 })
    const without = await admin('PUT', '/routes/passive', {
      body: { uri: '/passive', upstream: { nodes: {}, checks: { passive } } },
    })
    assert.equal(without.status, 400)
    broken = false
    for (const [index, name] of ['a', 'b'].entries()) {
      const node = nodes[index]
      if (node) node.handle = named(name)
    }
  })

  test('gateway 20: a node that failed stays out of use while the change that removes it is compiled', async () => {
    const dead = `127.0.0.1:${await freePort()}`
    const checks = {
      active: { http_path: '/status', interval: 0.1, unhealthy: { tcp_failures: 1 } },
    }
    const going = (nodes: object) => ({ nodes, checks, retries: 0 })
    await put('/upstreams/going', going({ ...weights(1), [dead]: 1 }))
    await put('/routes/going', { uri: '/going', upstream_id: 'going' })
    await until(async () => {
      const { body } = await admin('GET', '/gateway/control/v1/healthcheck/upstreams/going')
      return body.nodes.some(({ status }: { status: string }) => status === 'unhealthy')
    })
    const pattern = ['^/(\\p{L}+)/([a-z0-9-]{1,40})$', '/$1/$2']
    const plugins = { 'proxy-rewrite': { regex_uri: pattern } }
    const body = {
      upstreams: [
        { id: 'going', ...going(weights(1)) },
        { id: 'coming', ...going(weights(0, 1)) },
      ],
      routes: [
        { id: 'going', uri: '/going', upstream_id: 'going' },
        ...Array.from({ length: 500 }, (_, n) => ({ id: `dear-${n}`, uri: `/dear/${n}`, plugins })),
      ],
    }
    let isOver = false
    const seen: Record<string, number> = {}
    const traffic = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const name = await ask('/going')
        seen[name] = (seen[name] ?? 0) + 1
      }
    })
    const { status } = await admin('PUT', '/configs', { body })
    isOver = true
    await Promise.all(traffic)
    assert.equal(status, 202)
    assert.deepEqual(Object.keys(seen), ['a'], JSON.stringify(seen))
    await admin('PUT', '/configs', { body: {} })
  })

  /** Nobody is probed while the test runs. */
  const UNPROBED = { http_path: '/status', interval: 3600, healthy: { http_statuses: [299] } }

  test('gateway 20: a failure counts for the node that was asked, not for the next one in its slot', async () => {
    const reached = Promise.withResolvers<() => void>()
    const leaving = await startUpstream((request, response) => {
      if (request.url === '/status') response.end()
      else reached.resolve(() => request.socket.destroy())
    })
    const checks = { active: UNPROBED, passive: { unhealthy: { tcp_failures: 1 } } }
    await put('/upstreams/leaving', { nodes: { [leaving.node]: 1 }, checks })
    await put('/routes/leaving', { uri: '/leaving', upstream_id: 'leaving' })
    const under = send('/leaving')
    const breakOff = await reached.promise
    await put('/upstreams/leaving', { nodes: {}, checks })
    await put('/upstreams/coming', { nodes: weights(1), checks })
    breakOff()
    assert.equal((await under).status, 502)
    const { body } = await admin('GET', '/gateway/control/v1/healthcheck/upstreams/coming')
    assert.deepEqual([body.nodes[0].status, body.nodes[0].counter.tcp_failure], ['healthy', 0])
  })

  test('gateway 20: a node that closes idle connections just as they are used has not failed', async () => {
    const waiting: http.ServerResponse[] = []
    const idle = new Set<net.Socket>()
    const node = await startUpstream((request, response) => {
      if (request.url === '/status' || idle.size > 0) {
        if (idle.has(request.socket)) request.socket.destroy()
        else response.end('a')
      } else waiting.push(response)
    })
    // No success takes a failure back.
    const passive = { healthy: { http_statuses: [299] }, unhealthy: { tcp_failures: 2 } }
    const checks = { active: UNPROBED, passive }
    const upstream = { nodes: { [node.node]: 1 }, checks }
    await put('/routes/idle', { uri: '/idle', upstream })
    // Through connections that stay, so that the threads are those that have the idle ones.
    const agent = new http.Agent({ keepAlive: true, maxSockets: 8 })
    const eight = () =>
      Promise.all(
        Array.from({ length: 8 }, async () => {
          const [answer] = await once(
            http.get(`${server().gatewayUrl}/idle`, { agent }),
            'response',
          )
          answer.resume()
          await once(answer, 'end')
          return answer.statusCode
        }),
      )
    const first = eight()
    await until(() => waiting.length === 8)
    for (const response of waiting) response.end('a')
    await first
    for (const { req } of waiting) idle.add(req.socket)
    assert.deepEqual(new Set(await eight()), new Set([200]))
    agent.destroy()
    const { body } = await admin('GET', '/gateway/control/v1/healthcheck')
    const found = body.find(({ name }: { name: string }) => name === '/gateway/routes/idle')
    assert.deepEqual([found.nodes[0].status, found.nodes[0].counter.tcp_failure], ['healthy', 0])
  })

  test('gateway 21: what cannot be reached is tried elsewhere, what was sent is not sent twice', async () => {
    const closed = await freePort()
    const dead = { host: '127.0.0.1', port: closed, weight: 1, priority: 1 }
    const alive = { host: '127.0.0.1', port: nodes[0]?.port, weight: 1 }
    await put('/routes/retry', { uri: '/retry', upstream: { nodes: [dead, alive] } })
    for (const init of [{}, { method: 'POST', body: 'x'.repeat(100_000) }]) {
      const answer = await send('/retry', init)
      assert.equal(answer.status, 200)
      assert.equal(await answer.text(), 'a')
      assert.equal(answer.headers.get('x-gateway-upstream-status'), '502, 200')
    }
    await put('/routes/retry', { uri: '/retry', upstream: { nodes: [dead, alive], retries: 0 } })
    const refused = await send('/retry')
    assert.equal(refused.status, 502)
    const body = JSON.parse(await refused.text())
    assert.equal(body.code, 'upstream_error')
    assert.equal(body.request_id, refused.headers.get('x-request-id'))

    let connections = 0
    const cutting = net.createServer((socket) => {
      connections++
      socket.on('error', () => {})
      socket.once('data', () => socket.destroy())
    })
    cutting.listen(0, '127.0.0.1')
    await once(cutting, 'listening')
    const address = cutting.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const first = { host: '127.0.0.1', port, weight: 1, priority: 1 }
    await put('/routes/cut', { uri: '/cut', upstream: { nodes: [first, alive] } })
    const posted = await send('/cut', { method: 'POST', body: 'x' })
    assert.equal(posted.status, 502)
    assert.equal(connections, 1)
    assert.equal(await ask('/cut'), 'a', 'a GET is repeated elsewhere')
    cutting.close()

    const silent = await startUpstream(() => {})
    const timeout = { connect: 0.3, send: 0.3, read: 0.3 }
    await put('/routes/late', {
      uri: '/late',
      timeout,
      upstream: { nodes: { [silent.node]: 1 } },
    })
    const late = await send('/late')
    assert.equal(late.status, 504)
    assert.match(await late.text(), /"code":"upstream_timeout"/)
    const garbage = net.createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end('nonsense\r\n\r\n'))
    })
    garbage.listen(0, '127.0.0.1')
    await once(garbage, 'listening')
    const at = garbage.address()
    const garbagePort = typeof at === 'object' ? (at?.port ?? 0) : 0
    await put('/routes/garbage', {
      uri: '/garbage',
      upstream: { nodes: { [`127.0.0.1:${garbagePort}`]: 1 } },
    })
    assert.equal((await send('/garbage')).status, 502)
    garbage.close()
    await put('/routes/nowhere', {
      uri: '/nowhere',
      upstream: { nodes: { 'no.such.invalid:80': 1 } },
    })
    assert.equal((await send('/nowhere')).status, 502)
  })

  test('gateway 20, 21: a request is not sent again to a node that the checks know as unhealthy', async () => {
    const dead = { host: '127.0.0.1', port: await freePort(), weight: 1, priority: 1 }
    const asked: string[] = []
    const sick = await startUpstream((request, response) => {
      asked.push(request.url ?? '')
      response.writeHead(request.url === '/status' ? 500 : 200).end('sick')
    })
    const checks = {
      // Nobody ever connects to the node that is away: for the checks it is healthy.
      active: {
        http_path: '/status',
        interval: 0.1,
        unhealthy: { http_failures: 1, tcp_failures: 254 },
      },
    }
    const unhealthy = { host: '127.0.0.1', port: sick.port, weight: 1 }
    const upstream = { nodes: [dead, unhealthy], checks }
    await put('/upstreams/sick', upstream)
    await put('/routes/sick', { uri: '/sick', upstream_id: 'sick' })
    await until(async () => {
      const { body } = await admin('GET', '/gateway/control/v1/healthcheck/upstreams/sick')
      return body.nodes.some(({ status }: { status: string }) => status === 'unhealthy')
    })
    const answer = await send('/sick')
    assert.equal(answer.status, 502)
    assert.equal(answer.headers.get('x-gateway-upstream-status'), '502')
    assert.deepEqual(tally(asked)['/sick'], undefined)
    const healthy = { host: '127.0.0.1', port: nodes[1]?.port, weight: 1 }
    await put('/upstreams/sick', { nodes: [dead, unhealthy, { ...healthy, priority: -1 }], checks })
    const { body } = await admin('GET', '/gateway/control/v1/healthcheck/upstreams/sick')
    assert.equal(body.nodes[1].status, 'unhealthy')
    assert.equal(await ask('/sick'), 'b', 'the next one that is healthy, whatever its priority')
    await admin('DELETE', '/routes/sick')
    await admin('DELETE', '/upstreams/sick')
  })

  test('discovery: nodes are found by name', async () => {
    const service = { service_name: `localhost:${nodes[1]?.port}`, discovery_type: 'dns' }
    await put('/upstreams/found', service)
    await put('/routes/found', { uri: '/found', upstream_id: 'found' })
    await until(async () => (await ask('/found')) === 'b')
    const both = await admin('PUT', '/upstreams/both', { body: { ...service, nodes: {} } })
    assert.equal(both.status, 400)
  })
})
