import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '#test-kit'
import { accessLines } from './script-support.ts'
import { gatewaySuite, named, startUpstream } from './support.ts'

const CLIENTS = 200
const WRITES = 1_000
const WRITERS = 20

export const operation = gatewaySuite('gateway in operation', ({ server, admin, put, send }) => {
  test('gateway 33: a thousand changes under load fail no request and act at once', async () => {
    const upstream = await startUpstream(named('ok'))
    await put('/upstreams/load', { nodes: { [upstream.node]: 1 } })
    await put('/routes/load', { uri: '/load', upstream_id: 'load' })
    // Clients that never pause would only show how fast this process can ask.
    const load = startLoad(`${server().gatewayUrl}/load`, CLIENTS, { pauseMs: 200 })
    await until(() => load.answers > CLIENTS)
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
    await load.stop()
    assert.deepEqual(load.failures, [])
    await put('/upstreams/short', { nodes: { [upstream.node]: 1 } })
    await put('/routes/short', { uri: '/short', upstream_id: 'short' })
    assert.equal((await admin('DELETE', '/routes/short')).status, 200)
    assert.equal((await admin('DELETE', '/upstreams/short')).status, 200)

    async function write(writer: number) {
      for (let n = 0; n < WRITES / WRITERS; n++) {
        const path = `/changing/${writer}/${n}`
        await put(`/routes/changing-${writer}`, { uri: path, upstream_id: 'load' })
        const { status } = await fetch(`${server().gatewayUrl}${path}`)
        assert.equal(status, 200, `${path} acts on the request sent after the answer`)
        if (n % 10 !== 9) continue
        const gone = await fetch(`${server().gatewayUrl}/changing/${writer}/${n - 1}`)
        assert.equal(gone.status, 404)
      }
    }
  })

  test('gateway 35: metrics count what was sent, the log has a line for each and no credential', async () => {
    const upstream = await startUpstream((request, response) => {
      request.resume()
      response.writeHead(request.url?.includes('bad') ? 500 : 200).end('ok')
    })
    await put('/services/counted', { upstream: { nodes: { [upstream.node]: 1 } } })
    await put('/routes/counted', { uri: '/counted/*', service_id: 'counted' })
    for (let n = 0; n < 20; n++) {
      const headers = { authorization: 'Bearer very-secret', 'x-request-id': `counted-${n}` }
      const path = n < 5 ? '/counted/bad' : '/counted/good?api_key=very-secret&x=1'
      const answer = await send(path, { method: 'POST', body: 'abc', headers })
      await answer.text()
    }
    const { body: text } = await admin('GET', '/gateway/prometheus/metrics')
    assertExposition(text)
    const value = (name: string, labels: string[]) => {
      const line = text
        .split('\n')
        .find(
          (each: string) => each.startsWith(name) && labels.every((label) => each.includes(label)),
        )
      return Number(line?.slice(line.lastIndexOf(' ') + 1))
    }
    const route = 'route="counted"'
    assert.equal(
      value('gateway_http_status', ['code="200"', route, 'matched_uri="/counted/*"']),
      15,
    )
    assert.equal(value('gateway_http_status', ['code="500"', route, 'service="counted"']), 5)
    assert.equal(value('gateway_http_latency_count', ['type="request"', route]), 20)
    assert.equal(value('gateway_bandwidth', ['type="ingress"', route]), 60)
    assert.equal(value('gateway_bandwidth', ['type="egress"', route]), 40)
    assert.ok(value('gateway_config_revision', []) > 0)
    const log = () => readFileSync(join(server().dataDir, 'logs', 'entrepot.log'), 'utf8')
    const lines = () =>
      log()
        .split('\n')
        .filter((line) => line.includes('"request_id":"counted-'))
        .map((line) => JSON.parse(line))
    await until(() => lines().length === 20)
    for (const line of lines()) {
      assert.equal(line.route_id, 'counted')
      assert.equal(line.upstream, upstream.node)
      assert.equal(line.bytes_in, 3)
      assert.ok(line.duration_ms >= line.upstream_ms)
    }
    assert.equal(log().includes('very-secret'), false)
  })

  test('gateway 35: how long the body of an answer lasts is no latency of the gateway', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.write('begun')
      setTimeout(() => response.end(), 1_000)
    })
    const nodes = { [upstream.node]: 1 }
    await put('/routes/lasting', { uri: '/lasting', upstream: { nodes } })
    assert.equal(await (await send('/lasting')).text(), 'begun')
    const { body: text } = await admin('GET', '/gateway/prometheus/metrics')
    const sum = (type: string) => {
      const labels = `type="${type}",route="lasting"`
      const line = text.split('\n').find((each: string) => each.includes(`_sum{${labels}`))
      return Number(line?.slice(line.lastIndexOf(' ') + 1))
    }
    const [request, gateway] = [sum('request'), sum('gateway')]
    assert.ok(request >= 1_000 && gateway < 500, `${request} ${gateway}`)
  })

  test('gateway 35: the log shows no credential in a parameter, whatever the settings call it', async () => {
    const upstream = await startUpstream()
    await put('/upstreams/quiet', { nodes: { [upstream.node]: 1 } })
    await put('/consumers/quiet', { plugins: { 'key-auth': { key: 'quiet-key' } } })
    const shown = async (id: string, plugins: object, query: string) => {
      await put(`/routes/${id}`, { uri: `/${id}`, upstream_id: 'quiet', plugins })
      const answer = await send(`/${id}?${query}`)
      const [line] = await accessLines(server(), answer.headers.get('x-request-id'))
      return [answer.status, line?.['query']]
    }
    const own = { 'key-auth': { query: 'my_key' } }
    assert.deepEqual(await shown('own', own, 'a=b=1&my_key=quiet-key'), [200, 'a=b=1&my_key=***'])
    assert.deepEqual(await shown('own', own, 'my%5Fkey=quiet-kez&%zz'), [401, 'my%5Fkey=***&%zz'])
    const token = { 'jwt-auth': { query: 'token' } }
    assert.deepEqual(await shown('token', token, 'token=a.b.c'), [401, 'token=***'])
    assert.deepEqual(await shown('none', {}, 'apikey=k&jwt=a.b.c&c'), [200, 'apikey=***&jwt=***&c'])
  })

  test('gateway 34: SIGTERM under load fails nothing, and a restart keeps everything', async () => {
    const upstream = await startUpstream((_request, response) => {
      setTimeout(() => response.end('ok'), 20)
    })
    await put('/upstreams/stop', { nodes: { [upstream.node]: 1 } })
    await put('/routes/stop', { uri: '/stop', upstream_id: 'stop' })
    const before = (await admin('GET', '/configs')).body
    const load = startLoad(`${server().gatewayUrl}/stop`, 32, { untilClosed: true })
    await until(() => load.answers > 200)
    server().signal('SIGTERM')
    assert.equal(await server().exited(), 0)
    await load.stop()
    assert.deepEqual(load.failures, [])
    await server().restart()
    assert.deepEqual((await admin('GET', '/configs')).body, before)
    assert.equal(await (await send('/stop')).text(), 'ok')
  })
})

interface Load {
  answers: number
  readonly failures: string[]
  stop(): Promise<void>
}

/** Clients that each ask again and again over one connection of their own. */
function startLoad(url: string, clients: number, { untilClosed = false, pauseMs = 0 } = {}): Load {
  let isStopped = false
  const load: Load = { answers: 0, failures: [], stop }
  const running = Array.from({ length: clients }, () => run())
  return load

  async function stop() {
    isStopped = true
    await Promise.all(running)
  }

  async function run() {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    while (!isStopped) {
      const outcome = await ask(url, agent)
      if (outcome === 'closing' && untilClosed) break
      if (outcome !== 'ok' && outcome !== 'closing') {
        load.failures.push(outcome)
        break
      }
      load.answers++
      if (pauseMs > 0) await delay(pauseMs)
    }
    agent.destroy()
  }
}

function ask(url: string, agent: http.Agent): Promise<string> {
  return new Promise((resolve) => {
    const request = http.get(url, { agent }, (response) => {
      response.resume()
      response.on('error', (error) => resolve(`answer cut: ${error.message}`))
      response.on('end', () => {
        if (response.statusCode !== 200) resolve(`status ${response.statusCode}`)
        else resolve(response.headers.connection === 'close' ? 'closing' : 'ok')
      })
    })
    request.on('error', (error) => resolve(`failed: ${error.message}`))
  })
}

/** The text format of Prometheus: every sample has a type that was said before. */
function assertExposition(text: string) {
  const types = new Map<string, string>()
  for (const line of text.split('\n')) {
    const type = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line)
    if (type?.[1] && type[2]) types.set(type[1], type[2])
    if (line === '' || line.startsWith('#')) continue
    const sample =
      /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*\})? (\S+)$/.exec(line)
    assert.ok(sample, line)
    const name = sample[1]?.replace(/_(bucket|sum|count)$/, '') ?? ''
    assert.ok(types.has(name) || types.has(sample[1] ?? ''), line)
    assert.ok(Number.isFinite(Number(sample[3])), line)
  }
}
