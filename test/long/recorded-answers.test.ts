// THAN=<another checkout> holds its answers against those of this one, which starts from its data.
import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { cpSync } from 'node:fs'
import { describe, test } from 'node:test'
import { ADMIN_KEY, createCalls, installation, startServer } from '#test-kit'
import { allTemplates } from '../conformance/warm/templates.ts'
import { createAsking, fill, type Headers } from '../conformance/warm/twins.ts'

const THAN = process.env['THAN']
const REQUESTS = 2_000
const KEY: Headers = { 'x-api-key': ADMIN_KEY }

/** What clients, browsers, proxies and the dialects' own callers send. */
const HEADERS: readonly Headers[] = [
  {},
  KEY,
  { authorization: `Bearer ${ADMIN_KEY}` },
  { ...KEY, 'accept-encoding': 'gzip, deflate, br' },
  { 'accept-encoding': 'br;q=0.5, gzip;q=0.9', 'user-agent': 'Mozilla/5.0', dnt: '1' },
  { 'if-none-match': '*' },
  { ...KEY, 'if-none-match': 'W/"nothing"', 'cache-control': 'no-cache' },
  { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https', 'x-real-ip': '203.0.113.7' },
  { ...KEY, 'x-forwarded-host': 'cdn.example.org', via: '1.1 cdn', 'cdn-loop': 'cdn' },
  { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'x-b3-sampled': '1' },
  { 'accept-language': 'de', accept: 'application/json;q=0.5, */*' },
  { ...KEY, accept: 'application/vnd.api+json', 'response-format': 'flat' },
  { 'api-key': ADMIN_KEY, preview: 'true', 'start-item': 'las-vegas' },
  { origin: 'https://shop.example.org', cookie: 'session=none', referer: 'https://example.org/' },
  { ...KEY, prefer: 'handling=strict', 'x-request-id': 'mine' },
  { host: 'other.example.org', range: 'bytes=0-9' },
  { authorization: 'Bearer sk_nobody' },
]

describe('requests recorded of one server', () => {
  const start = AsyncResource.bind(startBoth)

  test(`are answered by another as they were, byte for byte (${THAN ?? 'this code'})`, async () => {
    const [one, other] = (await start()).map(createAsking)
    assert.ok(one && other)
    const statuses = new Map<number, number>()
    for (const { path, headers, method } of requests()) {
      const expected = await one.ask(path, headers, method)
      const question = `${method} ${path} ${JSON.stringify(headers)}`
      assert.deepEqual(await other.ask(path, headers, method), expected, question)
      assert.deepEqual(await other.ask(path, headers, method), expected, `again ${question}`)
      statuses.set(expected.status, (statuses.get(expected.status) ?? 0) + 1)
    }
    for (const side of [one, other]) side.close()
    for (const status of [200, 304, 400, 401]) assert.ok(statuses.get(status), `some are ${status}`)
    assert.ok((statuses.get(200) ?? 0) > REQUESTS / 4, 'many are answered')
  })
})

/** Both kinds of values, every kind of header, and each template once. */
function requests() {
  const templates = allTemplates()
  return Array.from({ length: REQUESTS }, (_, at) => {
    const template = templates[Math.floor((at * templates.length) / REQUESTS)]
    assert.ok(template)
    const path = template.url(template.values[at % 2 === 0 ? 0 : 1])
    const given = HEADERS[at % HEADERS.length] ?? {}
    const headers = template.dialect === 'rest' && at % 7 > 0 ? { ...KEY, ...given } : given
    const credential = at % 19 === 0 ? `&api_key=${ADMIN_KEY}` : ''
    const method = at % 23 === 0 ? 'HEAD' : 'GET'
    return { path: `${path}${path.includes('?') ? credential : ''}`, headers, method } as const
  })
}

async function startBoth() {
  const common = { ENTREPOT_MASTER_KEY: 'a'.repeat(64), ENTREPOT_ADMIN_KEY: ADMIN_KEY }
  const [first, second] = [
    await installation('sqlite', common),
    await installation('sqlite', common),
  ]
  const recorded = await startServer(first, { root: THAN })
  await fill(recorded)
  await upload(recorded.url)
  recorded.signal('SIGTERM')
  await recorded.exited()
  cpSync(recorded.dataDir, second['ENTREPOT_DATA_DIR'] ?? '', { recursive: true })
  await recorded.restart()
  return [recorded, await startServer(second)]
}

async function upload(url: string): Promise<void> {
  const { ok } = createCalls(() => url)
  for (const name of ['a.txt', 'b.txt']) {
    const body = new FormData()
    body.append('files', new Blob([`file ${name}`], { type: 'text/plain' }), name)
    const answer = await fetch(`${url}/api/upload`, { method: 'POST', headers: KEY, body })
    assert.equal(answer.status, 200, await answer.text())
  }
  await ok('PATCH', '/api/v1/things/1', { body: { photo_id: 1 } })
}
