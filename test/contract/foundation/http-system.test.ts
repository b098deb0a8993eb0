import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { createMetrics, healthRoutes, type Mount } from '#http'
import { renderError } from '#http-text'
import { silentLog } from '#test-kit'
import { landingPage } from '../../../src/landing-page.ts'
import { startHttp } from '../../conformance/support/http-server.ts'

function root(plugin: Mount['plugin']): Mount {
  return { prefix: '/', renderError, plugin }
}

test('/health is alive without asking anybody; /ready tells which part is not', async (t) => {
  let failing: Error | undefined
  let asked = 0
  const checks = {
    storage: async () => {
      asked++
      if (failing) throw failing
    },
    slow: () => new Promise<void>((resolve) => failing === undefined && resolve()),
  }
  const { fetch } = await startHttp(t, {
    mounts: [root(healthRoutes({ log: silentLog, checks, timeLimitMs: 50 }))],
  })
  const alive = await fetch('/health')
  assert.deepEqual([alive.status, await alive.text()], [200, '{"status":"ok"}'])
  assert.equal(asked, 0)
  const ready = await fetch('/ready')
  assert.equal(ready.status, 200)
  assert.deepEqual(await ready.json(), { status: 'ready', checks: { storage: 'ok', slow: 'ok' } })
  failing = new Error('postgres://user:secret@db is away')
  const notReady = await fetch('/ready')
  assert.equal(notReady.status, 503)
  assert.deepEqual(await notReady.json(), {
    status: 'not ready',
    checks: { storage: 'failed', slow: 'timed out' },
  })
  assert.equal((await fetch('/health')).status, 200)
  failing = undefined
  assert.equal((await fetch('/ready')).status, 200)
})

test('probes at the same time are answered by one', async (t) => {
  let asked = 0
  const release = Promise.withResolvers<void>()
  const storage = () => {
    asked++
    return release.promise
  }
  const { fetch } = await startHttp(t, {
    mounts: [root(healthRoutes({ log: silentLog, checks: { storage } }))],
  })
  const probes = Array.from({ length: 10 }, () => fetch('/ready'))
  await fetch('/health')
  release.resolve()
  for (const probe of probes) assert.equal((await probe).status, 200)
  assert.ok(asked < 10)
})

test('/metrics counts by route template and opens to local peers only', async (t) => {
  let mayRead = false
  const metrics = await createMetrics({ mayRead: () => mayRead })
  const { fetch } = await startHttp(t, {
    observers: [metrics.observe],
    plugin: (app) => void app.get('/things/:id', async () => 'ok'),
    mounts: [root(metrics.routes)],
  })
  for (let i = 0; i < 3; i++) await fetch(`/api/v1/things/${i}`)
  await fetch('/nope')
  const answer = await fetch('/metrics')
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  assert.equal(answer.headers.get('access-control-allow-origin'), null)
  const text = await answer.text()
  const series = 'method="GET",route="/api/v1/things/:id",status="2xx"'
  assert.match(text, /^process_cpu_user_seconds_total \d/m)
  assert.ok(text.includes(`http_request_duration_seconds_count{${series}} 3`))
  assert.ok(text.includes(`http_request_duration_seconds_bucket{${series},le="+Inf"} 3`))
  assert.ok(text.includes('route="(unmatched)",status="4xx"'))
  for (const line of text.trim().split('\n')) {
    assert.match(line, /^$|^# (HELP|TYPE) \w+ .+$|^\w+(\{[^}]*\})? (-?[\d.e+-]+|NaN|\+Inf)$/, line)
  }
  for (const headers of [
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=127.0.0.1' },
    { origin: 'https://evil.example' },
  ]) {
    const refused = await fetch('/metrics', { headers })
    assert.deepEqual([refused.status, await refused.json()], [401, { error: 'API key required' }])
  }
  mayRead = true
  assert.equal((await fetch('/metrics', { headers: { 'x-real-ip': '1.1.1.1' } })).status, 200)
})

test('/metrics shows figures of the event loop the first time too, however busy the process is', async () => {
  const { text } = await createMetrics({})
  const reading = text()
  const startedMs = performance.now()
  while (performance.now() - startedMs < 100);
  const figures = [...(await reading).matchAll(/^nodejs_eventloop_lag_(?:min|mean)_\w+ (.+)$/gm)]
  assert.equal(figures.length, 2)
  for (const [line, figure] of figures) assert.ok(Number(figure) < 10, line)
})

test('/metrics shows figures of the event loop however soon it is read again', async () => {
  const { text } = await createMetrics({})
  await text()
  const again = await Promise.all([text(), text(), text()])
  for (const read of [...again, await text()]) {
    const figures = [...read.matchAll(/^nodejs_eventloop_lag_(?!seconds)\w+ (.+)$/gm)]
    assert.equal(figures.length, 7)
    for (const [line, figure] of figures) assert.ok(Number(figure) < 10, line)
  }
})

test('the landing page links to everything and may load nothing', async (t) => {
  const gatewayUrl = 'http://127.0.0.1:9080/?a="><script>'
  const { fetch } = await startHttp(t, {
    mounts: [root(landingPage({ version: '1.2.3', gatewayUrl }))],
  })
  const answer = await fetch('/')
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
  const policy = answer.headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.doesNotMatch(policy, /unsafe|script-src/)
  const html = await answer.text()
  for (const link of ['/docs', '/api/v1/openapi.json', '/health']) {
    assert.ok(html.includes(`href="${link}"`), link)
  }
  assert.match(html, /1\.2\.3/)
  assert.doesNotMatch(html, /<script/)
})

const described: Mount['plugin'] = (app) => {
  const Thing = Type.Object({ id: Type.Integer(), kind: Type.Literal('thing') })
  app.get(
    '/things/:id',
    {
      schema: {
        summary: 'One thing',
        params: Type.Object({ id: Type.Integer() }),
        querystring: Type.Object({ fields: Type.Optional(Type.String()) }),
        response: { 200: Type.Object({ data: Thing }) },
      },
    },
    async () => ({ data: { id: 1, kind: 'thing' as const } }),
  )
  app.post('/things', { schema: { body: Thing } }, async () => ({}))
  app.get('/undescribed', async () => ({}))
}

interface Described {
  openapi: string
  info: { title: string; version: string }
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    securitySchemes: Record<string, unknown>
    responses: Record<string, { description: string }>
  }
}
interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema: object }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { description?: string; $ref?: string }>
}

test('the OpenAPI document describes what has a schema below /api/v1, in the form of 3.1', async (t) => {
  const { fetch, url } = await startHttp(t, {
    plugin: described,
    mounts: [
      { prefix: '/hidden', renderError, plugin: described },
      { prefix: '/shown', renderError, plugin: described, openapi: true },
      root(() => {}),
    ],
    openapi: {
      title: 'Test',
      version: '9.9.9',
      sections: async () => [
        {
          revision: '1',
          paths: [{ '/api/v1/late': { get: { responses: { 200: { description: 'x' } } } } }],
        },
      ],
    },
  })
  const answer = await fetch('/api/v1/openapi.json')
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  const document: Described = JSON.parse(await answer.text())
  assert.equal(document.openapi, '3.1.0')
  assert.deepEqual([document.info.title, document.info.version], ['Test', '9.9.9'])
  assert.deepEqual(document.servers, [{ url }])
  assert.deepEqual(Object.keys(document.paths).sort(), [
    '/api/v1/late',
    '/api/v1/things',
    '/api/v1/things/{id}',
    '/shown/things',
    '/shown/things/{id}',
  ])
  assertOpenApi(document)
  const parameters = document.paths['/api/v1/things/{id}']?.['get']?.parameters
  assert.deepEqual(parameters?.map((parameter) => `${parameter.in} ${parameter.name}`).sort(), [
    'path id',
    'query fields',
  ])
})

function assertOpenApi({ paths, components }: Described): void {
  const shared = new Map(Object.entries(components.responses))
  for (const [path, operations] of Object.entries(paths)) {
    assert.match(path, /^\/[^:*?]*$/)
    for (const [method, operation] of Object.entries(operations)) {
      assert.match(method, /^(get|put|post|delete|options|head|patch|trace)$/)
      assert.ok(Object.keys(operation.responses).length > 0)
      for (const [status, response] of Object.entries(operation.responses)) {
        assert.match(status, /^([1-5](\d\d|XX)|default)$/)
        const [, name = ''] = /^#\/components\/responses\/(.+)$/.exec(response.$ref ?? '') ?? []
        assert.equal(typeof (shared.get(name) ?? response).description, 'string')
      }
      const inPath = operation.parameters?.filter((parameter) => parameter.in === 'path') ?? []
      for (const parameter of operation.parameters ?? [])
        assert.equal(typeof parameter.schema, 'object')
      assert.deepEqual(
        inPath.map(({ name, required }) => [name, required]),
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, true]),
      )
      for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
        assert.equal(typeof schema, 'object')
      }
    }
  }
}

test('the reference page loads everything from here and nothing from elsewhere', async (t) => {
  const { fetch, url } = await startHttp(t, {
    plugin: described,
    openapi: { title: 'Test <b>', version: '1' },
  })
  const page = await fetch('/docs')
  assert.equal(page.status, 200)
  const policy = page.headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /script-src 'self'(;|$)/)
  assert.match(policy, /connect-src 'self'(;|$)/)
  assert.doesNotMatch(policy, /https?:|\*|unsafe-eval|script-src[^;]*unsafe/)
  const html = await page.text()
  assert.doesNotMatch(html, /https?:\/\/|<b>|<script>/)
  const scripts = [...html.matchAll(/<script src="([^"]+)"/g)].map((match) => match[1] ?? '')
  assert.equal(scripts.length, 2)
  for (const script of scripts) {
    assert.match(script, /^\/docs\//)
    const answer = await fetch(script)
    assert.equal(answer.status, 200, script)
    assert.match(answer.headers.get('content-type') ?? '', /javascript/)
  }
  const start = await (await fetch('/docs/start.js')).text()
  for (const setting of ['"withDefaultFonts":false', '"telemetry":false', '/api/v1/openapi.json']) {
    assert.ok(start.includes(setting), setting)
  }
  assert.doesNotMatch(start, /https?:\/\/|proxy/i)
  assert.equal((await fetch('/docs/', { redirect: 'error' })).status, 200)
  await sameBundle(url)
})

async function sameBundle(url: string): Promise<void> {
  const packed = await fetch(`${url}/docs/reference.js`, { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(packed.headers.get('content-encoding'), 'gzip')
  const plain = await fetch(`${url}/docs/reference.js`, {
    headers: { 'accept-encoding': 'identity' },
  })
  assert.equal(plain.headers.get('content-encoding'), null)
  assert.equal(await plain.text(), await packed.text())
  const etag = packed.headers.get('etag') ?? ''
  const again = await fetch(`${url}/docs/reference.js`, { headers: { 'if-none-match': etag } })
  assert.equal(again.status, 304)
}
