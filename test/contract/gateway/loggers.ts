import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { assertPrompt, promptly, temporaryDirectory, until } from '#test-kit'
import { gatewaySuite, startUpstream, type Upstream } from './support.ts'

/** The setting `gateway.log_dirs` of the server that these tests share. */
export const LOG_DIRECTORY = temporaryDirectory()

export const loggers = gatewaySuite('loggers', ({ server, admin, put, send }) => {
  let upstream: Upstream
  before(async () => {
    upstream = await startUpstream()
    await put('/upstreams/up', { nodes: { [upstream.node]: 1 } })
  })

  const route = (id: string, plugins: unknown, more: object = {}) =>
    put(`/routes/${id}`, { uri: `/${id}/*`, upstream_id: 'up', plugins, ...more })
  const status = async (plugins: unknown) =>
    (await admin('PUT', '/routes/bad', { body: { uri: '/bad', plugins } })).status
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await send(path, init)
    await answer.text()
    return answer
  }
  const fileOf = (path: string) => join(server().dataDir, 'logs', 'gateway', path)
  /** Whole lines only: the last one may be on its way. */
  const linesOf = (file: string): Record<string, unknown>[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line))
      : []
  const metrics = async () => String((await admin('GET', '/gateway/prometheus/metrics')).body)

  test('gateway 35: file-logger writes a line per request within a second, whole lines of all threads', async () => {
    await route('fl', { 'file-logger': { path: 'deep/in/access.log' } })
    const ids = await Promise.all(
      Array.from({ length: 60 }, async (_, n) =>
        (await ask(`/fl/${n}?api_key=secret`)).headers.get('x-request-id'),
      ),
    )
    await promptly(1_500, () => linesOf(fileOf('deep/in/access.log')).length >= 60)
    const lines = linesOf(fileOf('deep/in/access.log'))
    assert.deepEqual(lines.map((line) => line['request_id']).sort(), ids.sort())
    const { status, route_id, path, method, upstream: node, upstream_status } = lines[0] ?? {}
    assert.deepEqual(
      [status, route_id, method, node, upstream_status],
      [200, 'fl', 'GET', upstream.node, 200],
    )
    assert.match(String(path), /^\/fl\/\d+$/)
    assert.doesNotMatch(JSON.stringify(lines), /secret/)
  })

  test('gateway 35: log_format with variables, else that of the metadata', async () => {
    const format = {
      host: '$host',
      at: '$time_iso8601',
      line: '$request_method $uri',
      up: '$upstream_addr',
      n: 5,
      who: '$consumer_name',
    }
    await route('fmt', { 'file-logger': { path: 'format.log', log_format: format } })
    await ask('/fmt/x')
    await until(() => linesOf(fileOf('format.log')).length > 0)
    const [line] = linesOf(fileOf('format.log'))
    assert.match(String(line?.['at']), /^\d{4}-\d\d-\d\dT/)
    assert.deepEqual(
      { ...line, at: 0 },
      { host: '127.0.0.1', at: 0, line: 'GET /fmt/x', up: upstream.node, n: 5 },
    )
    await put('/plugin_metadata/file-logger', { log_format: { only: '$uri' } })
    await route('meta', { 'file-logger': { path: 'meta.log' } })
    await ask('/meta/x')
    await until(() => linesOf(fileOf('meta.log')).length > 0)
    assert.deepEqual(linesOf(fileOf('meta.log')), [{ only: '/meta/x' }])
    await admin('DELETE', '/plugin_metadata/file-logger')
    assert.equal(await status({ 'file-logger': { path: 'a', log_format: { a: '$nothing' } } }), 400)
    assert.equal(await status({ 'file-logger': { path: 'a', log_format: { a: {} } } }), 400)
  })

  test('gateway 35: a file that was moved or removed is opened again', async () => {
    await route('rot', { 'file-logger': { path: 'rot.log' } })
    await ask('/rot/1')
    await until(() => linesOf(fileOf('rot.log')).length === 1)
    renameSync(fileOf('rot.log'), fileOf('rot.1'))
    await ask('/rot/2')
    await until(() => linesOf(fileOf('rot.log')).length === 1)
    rmSync(fileOf('rot.log'))
    await ask('/rot/3')
    await until(() => linesOf(fileOf('rot.log')).length === 1)
    assert.equal(linesOf(fileOf('rot.1')).length, 1)
    assert.equal(linesOf(fileOf('rot.log'))[0]?.['path'], '/rot/3')
  })

  test('gateway 35: paths outside of the directories for logs are refused, links too', async () => {
    const outside = temporaryDirectory()
    mkdirSync(fileOf('own'), { recursive: true })
    symlinkSync(outside, fileOf('link'))
    writeFileSync(join(outside, 'target'), '')
    symlinkSync(join(outside, 'target'), fileOf('own/link.log'))
    for (const path of [
      ...[
        '../x',
        'a/../../x',
        '/etc/x',
        join(outside, 'x'),
        'link/x',
        'own/link.log',
        'own',
        'own/',
        '',
        'a\0b',
        `${LOG_DIRECTORY}/../x`,
      ],
    ]) {
      assert.equal(await status({ 'file-logger': { path } }), 400, JSON.stringify(path))
    }
    await route('abs', { 'file-logger': { path: join(LOG_DIRECTORY, 'further.log') } })
    await ask('/abs/x')
    await until(() => linesOf(join(LOG_DIRECTORY, 'further.log')).length === 1)
    // A link that comes later is not followed either: the entry is lost, and counted.
    await route('later', { 'file-logger': { path: 'later/x.log' } })
    symlinkSync(outside, fileOf('later'))
    await ask('/later/x')
    await until(async () =>
      /gateway_log_entries_dropped_total\{plugin="file-logger"\} 1/.test(await metrics()),
    )
    assert.equal(existsSync(join(outside, 'x.log')), false)
    assert.equal(await status({ 'file-logger': { path: 'a', include_req_body: true } }), 400)
  })

  async function receiver(answer: (n: number) => number) {
    const batches: { body: Record<string, unknown>[]; request: IncomingMessage }[] = []
    let count = 0
    const node = await startUpstream((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        response.statusCode = answer(++count)
        if (response.statusCode === 200)
          batches.push({ body: JSON.parse(Buffer.concat(chunks).toString()), request })
        response.end()
      })
    })
    return { uri: `http://${node.node}/in?a=1`, batches, attempts: () => count, node }
  }

  test('gateway 35: http-logger posts JSON lists within a second or by size, with its header', async () => {
    const got = await receiver(() => 200)
    const settings = {
      uri: got.uri,
      batch_max_size: 2,
      auth_header: 'Bearer t',
      timeout: 5,
      ssl_verify: true,
      log_format: { uri: '$uri' },
    }
    await route('hl', { 'http-logger': settings })
    await Promise.all([1, 2, 3, 4, 5, 6, 7].map((n) => ask(`/hl/${n}`)))
    const all = () => got.batches.flatMap(({ body }) => body.map(({ uri }) => uri))
    await promptly(3_000, () => all().length === 7)
    assert.deepEqual(
      all().sort(),
      [1, 2, 3, 4, 5, 6, 7].map((n) => `/hl/${n}`),
    )
    assert.ok(got.batches.every(({ body }) => body.length <= 2))
    const [first] = got.batches
    assert.equal(first?.request.headers.authorization, 'Bearer t')
    assert.equal(first?.request.headers['content-type'], 'application/json')
    assert.equal(first?.request.url, '/in?a=1')
    for (const bad of [
      ...[{}, { uri: 'ftp://x' }, { uri: 'http://' }, { uri: got.uri, batch_max_size: 1001 }],
      ...[
        { uri: got.uri, concat_method: 'new_line' },
        { uri: got.uri, include_resp_body: true },
      ],
    ]) {
      assert.equal(await status({ 'http-logger': bad }), 400, JSON.stringify(bad))
    }
  })

  test('gateway 35: http-logger tries three times more, then drops and counts; requests are not delayed', async () => {
    const recovering = await receiver((n) => (n < 3 ? 500 : 200))
    await route('hr', { 'http-logger': { uri: recovering.uri } })
    await ask('/hr/x')
    const down = await receiver(() => 500)
    await route('hd', { 'http-logger': { uri: down.uri } })
    const startedAt = performance.now()
    await ask('/hd/x')
    assertPrompt(performance.now() - startedAt, 1_000)
    await promptly(10_000, () => recovering.batches.length === 1)
    await until(
      async () =>
        /gateway_log_entries_dropped_total\{plugin="http-logger"\} 1/.test(await metrics()),
      { withinMs: 15_000 },
    )
    assert.equal(down.attempts(), 4)
  })

  test('gateway 35: prometheus with prefer_name has names in the labels', async () => {
    await put('/services/sv', { upstream_id: 'up', name: 'the service' })
    await route(
      'named',
      { prometheus: { prefer_name: true } },
      { name: 'the route', service_id: 'sv' },
    )
    await route('numbered', { prometheus: {} }, { name: 'other route' })
    await ask('/named/x')
    await ask('/numbered/x')
    const text = await metrics()
    assert.match(text, /gateway_http_status\{code="200",route="the route",service="the service"/)
    assert.match(text, /gateway_http_status\{code="200",route="numbered",service=""/)
    assert.equal(await status({ prometheus: { prefer_name: 'yes' } }), 400)
  })
})
