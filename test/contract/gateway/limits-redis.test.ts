import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { Redis } from 'ioredis'
import {
  assertPrompt,
  freePort,
  installation,
  needPrograms,
  startRedis,
  startServer,
  temporaryDirectory,
  until,
} from '#test-kit'
import { createCertificate } from '../../conformance/support/certificate.ts'
import { administration, INSTALLATION, startUpstream, tally } from './support.ts'

const TWO_THREADS = {
  ...INSTALLATION,
  ENTREPOT_GATEWAY_THREADS: '2',
  ENTREPOT_GATEWAY_TRUSTED_PROXIES: '127.0.0.1',
}

const redis = await startRedis()
after(() => redis.stop())
const port = Number(new URL(redis.url).port)
const upstream = await startUpstream()
/** Two machines that know nothing of each other but the Redis. */
const nodes = await Promise.all([
  startServer(await installation('sqlite', TWO_THREADS)),
  startServer(await installation('postgres', TWO_THREADS)),
])

describe('limits in redis', () => {
  const route = async (id: string, plugins: unknown) => {
    const value = { uri: `/${id}/*`, upstream: { nodes: { [upstream.node]: 1 } }, plugins }
    for (const node of nodes) await administration(() => node.url).put(`/routes/${id}`, value)
  }
  const ask = (path: string, address: string, at = 0) =>
    fetch(`${nodes[at % 2]?.gatewayUrl}${path}`, {
      headers: { 'x-forwarded-for': address, connection: 'close' },
    })
  const many = async (count: number, path: string, address: string) => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, n) => ask(path, address, n)),
    )
    return tally(answers.map(({ status }) => String(status)))
  }
  const store = () => ({ policy: 'redis', redis_host: '127.0.0.1', redis_port: port })
  /** How many connections the server has, this test's own not counted. */
  const connections = async () => {
    const client = new Redis(redis.url)
    const list = String(await client.call('CLIENT', 'LIST'))
      .trim()
      .split('\n')
    client.disconnect()
    return list.length - 1
  }

  test('gateway 23: two machines with one Redis never admit more than count', async () => {
    await route('two', { 'rate-limiting': { count: 50, time_window: 600, ...store() } })
    assert.deepEqual(await many(200, '/two/x', '9.1.1.1'), { 200: 50, 429: 150 })
    const answer = await ask('/two/x', '9.1.1.2', 1)
    assert.equal(answer.headers.get('x-ratelimit-remaining'), '49')
    const next = await ask('/two/x', '9.1.1.2', 0)
    assert.equal(next.headers.get('x-ratelimit-remaining'), '48')
    assert.ok(Number(next.headers.get('x-ratelimit-reset')) <= 600)
    await route('slide', {
      'rate-limiting': { count: 20, time_window: 600, window_type: 'sliding', ...store() },
    })
    assert.deepEqual(await many(100, '/slide/x', '9.1.1.1'), { 200: 20, 429: 80 })
    const calendar = { window_type: 'calendar', calendar_unit: 'month' }
    await route('cal', { 'rate-limiting': { count: 20, ...calendar, ...store() } })
    assert.deepEqual(await many(60, '/cal/x', '9.1.1.1'), { 200: 20, 429: 40 })
    const rules = [
      { count: 30, time_window: 600, key: '$remote_addr' },
      { count: 20, time_window: 600, key: '$uri' },
    ]
    await route('rules', { 'rate-limiting': { rules, ...store() } })
    assert.deepEqual(await many(60, '/rules/x', '9.1.1.1'), { 200: 20, 429: 40 })
    const undone = await ask('/rules/y', '9.1.1.1')
    assert.equal(undone.headers.get('x-1-ratelimit-remaining'), '9', 'refused adds are undone')
    await route('slides', { 'rate-limiting': { rules, window_type: 'sliding', ...store() } })
    assert.deepEqual(await many(60, '/slides/x', '9.1.1.1'), { 200: 20, 429: 40 })
    const kept = await ask('/slides/y', '9.1.1.1')
    assert.equal(kept.headers.get('x-1-ratelimit-remaining'), '9')
  })

  test('gateway 23: all routes and requests share one connection per thread and server', async () => {
    for (let n = 0; n < 10; n++) {
      await route(`many-${n}`, {
        'rate-limiting': { count: 100 + n, time_window: 600, ...store() },
      })
      await many(20, `/many-${n}/x`, '9.2.1.1')
    }
    assert.ok((await connections()) <= 4, 'two machines with two threads')
  })

  test('gateway 23: database, account and time limit are obeyed', async () => {
    const client = new Redis(redis.url)
    try {
      await client.call('ACL', 'SETUSER', 'limiter', 'on', '>secret', '~*', '+@all')
      const account = { redis_username: 'limiter', redis_password: 'secret', redis_database: 3 }
      const limit = { count: 2, time_window: 600 }
      await route('account', { 'rate-limiting': { ...limit, ...store(), ...account } })
      assert.deepEqual(await many(5, '/account/x', '9.3.1.1'), { 200: 2, 429: 3 })
      await client.select(3)
      assert.equal(await client.dbsize(), 1, 'counted in the database of the settings')
      const wrong = { ...account, redis_password: 'wrong' }
      await route('account', { 'rate-limiting': { ...limit, ...store(), ...wrong } })
      assert.equal((await ask('/account/x', '9.3.1.1')).status, 500)
      const admin = administration(() => String(nodes[0]?.url))
      const { body } = await admin.admin('GET', '/routes/account')
      assert.equal(body.value.plugins['rate-limiting'].redis_password, 'wrong')

      const quick = { ...limit, ...store(), redis_timeout: 100 }
      await route('frozen', { 'rate-limiting': quick })
      assert.equal((await ask('/frozen/x', '9.3.1.2')).status, 200)
      process.kill(redis.pid, 'SIGSTOP')
      const started = performance.now()
      const silent = await ask('/frozen/x', '9.3.1.2')
      const tookMs = performance.now() - started
      process.kill(redis.pid, 'SIGCONT')
      assert.equal(silent.status, 500)
      assertPrompt(tookMs, 3_000, 'a time limit of a tenth of a second')
    } finally {
      process.kill(redis.pid, 'SIGCONT')
      client.disconnect()
    }
  })

  test('gateway 23: TLS to the store, verified when told to', async () => {
    const tls = await startTlsRedis()
    try {
      const settings = { policy: 'redis', redis_host: '127.0.0.1', redis_port: tls.port }
      const limit = { count: 2, time_window: 600, ...settings }
      await route('tls', { 'rate-limiting': { ...limit, redis_ssl: true } })
      assert.deepEqual(await many(5, '/tls/x', '9.4.1.1'), { 200: 2, 429: 3 })
      await route('tls', { 'rate-limiting': { ...limit, redis_ssl: true, redis_ssl_verify: true } })
      assert.equal((await ask('/tls/x', '9.4.1.1')).status, 500, 'its certificate is nobody’s')
      await route('tls', { 'rate-limiting': limit })
      assert.equal((await ask('/tls/x', '9.4.1.1')).status, 500, 'without TLS there is no talking')
    } finally {
      await tls.stop()
    }
  })

  test('gateway limit-req and limit-conn: two machines share buckets and requests under way', async () => {
    const req = { rate: 0.01, burst: 4, key: 'remote_addr', nodelay: true, ...store() }
    await route('req', { 'limit-req': req })
    assert.deepEqual(await many(40, '/req/x', '9.5.1.1'), { 200: 5, 503: 35 })
    await route('delay', { 'limit-req': { rate: 1, burst: 1, key: 'remote_addr', ...store() } })
    const started = performance.now()
    assert.deepEqual(await many(4, '/delay/x', '9.5.1.1'), { 200: 2, 503: 2 })
    assert.ok(performance.now() - started >= 995, 'the second has waited')

    const waiting: (() => void)[] = []
    const { handle } = upstream
    upstream.handle = (_request, response) => {
      waiting.push(() => response.end('ok'))
    }
    const conn = { conn: 3, burst: 0, default_conn_delay: 0.1, key_ttl: 60, ...store() }
    await route('conn', { 'limit-conn': conn })
    const inside = [0, 1, 2].map((n) => ask('/conn/x', '9.5.1.2', n))
    await until(() => waiting.length === 3)
    assert.deepEqual(await many(10, '/conn/x', '9.5.1.2'), { 503: 10 })
    upstream.handle = handle
    for (const end of waiting.splice(0)) end()
    for (const answer of await Promise.all(inside)) assert.equal(answer.status, 200)
    await until(async () => (await ask('/conn/x', '9.5.1.2')).status === 200)

    upstream.handle = (_request, response) => {
      waiting.push(() => response.end('ok'))
    }
    await route('lapse', { 'limit-conn': { ...conn, conn: 1, key_ttl: 1 } })
    const long = ask('/lapse/x', '9.5.1.3')
    await until(() => waiting.length === 1)
    assert.equal((await ask('/lapse/x', '9.5.1.3', 1)).status, 503)
    upstream.handle = handle
    await until(async () => (await ask('/lapse/x', '9.5.1.3', 1)).status === 200)
    for (const end of waiting.splice(0)) end()
    assert.equal((await long).status, 200, 'what lasts longer than key_ttl counts no longer')
  })

  test('gateway 23: a store that swallows everything is 500 or passes in its time, delays nobody else, and comes back', async () => {
    const mute = await startMute()
    const deaf = await startDeaf()
    try {
      for (const [name, hole] of [
        ['mute', mute.port],
        ['deaf', deaf.port],
      ] as const) {
        const settings = { policy: 'redis', redis_host: '127.0.0.1', redis_port: hole }
        const limit = { count: 5, time_window: 600, ...settings, redis_timeout: 300 }
        await route(`${name}-strict`, { 'rate-limiting': limit })
        await route(`${name}-lax`, { 'rate-limiting': { ...limit, allow_degradation: true } })
        await route(`${name}-local`, { 'rate-limiting': { count: 10_000, time_window: 600 } })
        for (const round of [1, 2]) {
          const address = `9.7.${round}.1`
          const startedAt = performance.now()
          const [strict, lax] = await Promise.all([
            many(30, `/${name}-strict/x`, address),
            many(30, `/${name}-lax/x`, address),
          ])
          const tookMs = performance.now() - startedAt
          assert.deepEqual(strict, { 500: 30 }, name)
          assert.deepEqual(lax, { 200: 30 }, name)
          // Three tenths of a second; a connection that is tried in vain would take minutes.
          assertPrompt(tookMs, 5_000, `${name}, for the ${round}. time,`)
        }
        const waiting = many(10, `/${name}-strict/x`, '9.7.3.1')
        const startedAt = performance.now()
        assert.deepEqual(await many(20, `/${name}-local/x`, '9.7.3.1'), { 200: 20 })
        const localMs = performance.now() - startedAt
        assert.deepEqual(await waiting, { 500: 10 })
        assertPrompt(localMs, 5_000, 'what others waited for')
      }
      mute.forwardTo(port)
      await until(async () => (await ask('/mute-strict/x', '9.7.4.1')).status === 200)
    } finally {
      await mute.stop()
      await deaf.stop()
    }
  })

  test('gateway 23: Redis stopped under load is 500, or passes with allow_degradation, and recovers', async () => {
    const limit = { count: 1_000_000, time_window: 600, ...store() }
    await route('strict', { 'rate-limiting': limit })
    await route('lax', { 'rate-limiting': { ...limit, allow_degradation: true } })
    const req = { rate: 100_000, burst: 100_000, key: 'remote_addr', ...store() }
    await route('lax-req', { 'limit-req': { ...req, allow_degradation: true } })
    await route('strict-req', { 'limit-req': req })
    const conn = { conn: 1000, burst: 0, default_conn_delay: 0.1, ...store() }
    await route('lax-conn', { 'limit-conn': { ...conn, allow_degradation: true } })
    await route('strict-conn', { 'limit-conn': conn })
    const strict = ['/strict/x', '/strict-req/x', '/strict-conn/x']
    const lax = ['/lax/x', '/lax-req/x', '/lax-conn/x']
    let isOver = false
    const seen: { path: string; status: number; tookMs: number }[] = []
    const clients = [...strict, ...lax].flatMap((path) =>
      [0, 1].map(async (at) => {
        while (!isOver) {
          const started = performance.now()
          const answer = await ask(path, '9.6.1.1', at)
          const text = await answer.text()
          seen.push({ path, status: answer.status, tookMs: performance.now() - started })
          if (answer.status === 500) assert.match(text, /"rate limit store unavailable"/)
        }
      }),
    )
    const statusesOf = (paths: string[]) =>
      new Set(seen.filter(({ path }) => paths.includes(path)).map(({ status }) => status))
    await until(() => seen.length > 100)
    assert.deepEqual([...statusesOf([...strict, ...lax])], [200])
    await redis.stop()
    await until(() => strict.every((path) => seen.some((s) => s.path === path && s.status === 500)))
    await redis.restart()
    await until(async () => {
      const answers = await Promise.all(
        strict.flatMap((path) => [0, 1].map((n) => ask(path, '9.6.1.2', n))),
      )
      return answers.every(({ status }) => status === 200)
    })
    const before = seen.length
    await until(() => seen.length > before + 50)
    isOver = true
    await Promise.all(clients)
    assert.deepEqual([...statusesOf(lax)], [200], 'with allow_degradation nobody is refused')
    assert.deepEqual([...statusesOf(strict)].sort(), [200, 500])
    assert.ok(Math.max(...seen.map(({ tookMs }) => tookMs)) < 5_000, 'nobody waits for long')
    assert.ok((await connections()) <= 4 * 2)
  })
})

/** Takes connections and never says anything, until it is told to pass everything on. */
async function startMute() {
  const sockets = new Set<net.Socket>()
  let target: number | null = null
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    if (target === null) return void socket.resume()
    const other = net.connect(target, '127.0.0.1')
    sockets.add(other)
    other.on('error', () => socket.destroy())
    socket.pipe(other).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  return {
    port: portOf(server),
    forwardTo(other: number) {
      target = other
      cut()
    },
    async stop() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Does not even take connections: its queue is full, so that further ones are not answered at all. */
async function startDeaf() {
  const script = `const server = require('node:net').createServer()
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port))`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [printed]: unknown[] = await once(child.stdout, 'data')
  const port = Number(printed)
  child.kill('SIGSTOP')
  const fill = Array.from({ length: 8 }, () => net.connect(port, '127.0.0.1'))
  for (const socket of fill) socket.on('error', () => {})
  await until(async () => fill.filter(({ connecting }) => !connecting).length >= 2)
  return {
    port,
    async stop() {
      for (const socket of fill) socket.destroy()
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

function portOf(server: net.Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** With a certificate of its own making. */
async function startTlsRedis() {
  needPrograms('redis-server')
  const { cert, key } = createCertificate(['127.0.0.1'])
  const directory = temporaryDirectory()
  const files = [join(directory, 'cert.pem'), join(directory, 'key.pem')] as const
  writeFileSync(files[0], cert)
  writeFileSync(files[1], key)
  const port = await freePort()
  const server = spawn(
    'redis-server',
    [
      ...['--port', '0', '--tls-port', String(port), '--bind', '127.0.0.1', '--save', ''],
      ...['--tls-cert-file', files[0], '--tls-key-file', files[1], '--tls-ca-cert-file', files[0]],
      ...['--tls-auth-clients', 'no'],
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  let printed = ''
  server.stdout.on('data', (chunk) => {
    printed += chunk
  })
  await until(() => printed.includes('Ready to accept connections'))
  return {
    port,
    async stop() {
      server.kill('SIGKILL')
      await once(server, 'exit')
    },
  }
}
