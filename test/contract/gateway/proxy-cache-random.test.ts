import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { before, describe, test } from 'node:test'
import { assertPrompt, until } from '#test-kit'
import { gatewayServer, startUpstream, type Upstream } from './support.ts'

/** What the upstream has answered, by the number that its body begins with. */
interface Given {
  readonly url: string
  readonly policy: Record<string, string>
  readonly sent: Record<string, string>
  readonly body: string
  /** Of the server's clock. */
  readonly atMs: number
}

const POLICIES: readonly Record<string, string>[] = [
  { 'cache-control': 'max-age=30' },
  { 'cache-control': 'max-age=30', vary: 'Accept-Language' },
  { 'cache-control': 's-maxage=5, max-age=60', vary: 'Accept, Accept-Language' },
  { 'cache-control': 'no-store' },
  { 'cache-control': 'private, max-age=60' },
  { 'cache-control': 'no-cache' },
  { 'cache-control': 'max-age=60', 'set-cookie': 'a=1' },
  { 'cache-control': 'max-age=60', vary: '*' },
  { 'cache-control': 'max-age=10', age: '4' },
  {},
]
const FORBIDDEN = /no-store|private|no-cache/
const TTL_SECONDS = 20
/** From the upstream's answer to where its age begins. */
const KEPT_WITHIN_MS = 50
const VARYING = ['accept', 'accept-language'] as const

describe('gateway proxy-cache at random', () => {
  const { server, put, send } = gatewayServer('sqlite', {
    ENTREPOT_GATEWAY_THREADS: '2',
    ENTREPOT_GATEWAY_CACHE_BYTES: String(256 * 1024),
  })
  let upstream: Upstream
  const given = new Map<number, Given>()
  let offsetMs = 0
  let policyOf = (_request: IncomingMessage) => POLICIES[0] ?? {}
  const now = () => Date.now() + offsetMs
  before(async () => {
    upstream = await startUpstream((request, response) => {
      const number = given.size + 1
      const policy = policyOf(request)
      const body = `${String(number).padStart(6, '0')} ${'abcdefghij'.repeat(number % 40)}`
      const sent = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      )
      given.set(number, { url: request.url ?? '', policy, sent, body, atMs: now() })
      response.writeHead(200, { ...policy, etag: `"${number}"`, 'x-number': String(number) })
      response.end(request.method === 'HEAD' ? undefined : body)
    })
    const node = { nodes: { [upstream.node]: 1 } }
    const cached = { 'proxy-cache': { cache_ttl: TTL_SECONDS } }
    await put('/routes/warm', { uri: '/warm/*', upstream: node, plugins: cached })
  })

  test('gateway 27: what is given again is what the upstream permitted, for this request, now', async () => {
    const random = createRandom(20260)
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
    policyOf = () => pick(POLICIES)
    let hits = 0
    const last = new Map<string, string>()
    for (let round = 0; round < 1_200; round++) {
      if (round % 40 === 39) {
        offsetMs += 1_000 * Math.floor(random() * 12)
        await server().setClockOffset(offsetMs)
      }
      const path = pick(['/warm/1', '/warm/2', '/warm/3', '/warm/1?a=1&b=2', '/warm/1?b=2&a=1'])
      const method = pick(['GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'GET'])
      const headers: Record<string, string> = {}
      if (random() < 0.5) headers['accept-language'] = pick(['de', 'en'])
      if (random() < 0.3) headers['accept'] = pick(['text/html', 'application/json'])
      if (random() < 0.1) headers['authorization'] = pick(['Bearer a', 'Bearer b'])
      if (random() < 0.1) headers['cookie'] = 'session=1'
      if (random() < 0.15)
        headers['range'] = pick(['bytes=0-5', 'bytes=-4', 'bytes=3-', 'bytes=9999-'])
      if (random() < 0.15) headers['if-none-match'] = last.get(path) ?? '"none"'
      const askedAt = now()
      const answer = await send(path, { method, headers })
      const text = await answer.text()
      const number = Number(
        answer.headers.get('x-number') ?? answer.headers.get('etag')?.slice(1, -1),
      )
      const tag = answer.headers.get('etag')
      if (tag !== null) last.set(path, tag)
      if (answer.headers.get('x-cache-status') !== 'HIT') continue
      hits++
      const about = JSON.stringify({ round, path, method, headers, status: answer.status, number })
      if (answer.status === 416) continue
      const source = given.get(number)
      assert.ok(source, about)
      assert.match(method, /^(GET|HEAD)$/, about)
      assert.equal(source.url, path, about)
      assert.equal(headers['authorization'], undefined, about)
      assert.equal(headers['cookie'], undefined, about)
      assert.equal(source.sent['authorization'], undefined, about)
      assert.equal(source.sent['cookie'], undefined, about)
      assertPermitted(source, headers, askedAt, about)
      assertPart(source.body, { method, headers, status: answer.status, text, number }, about)
    }
    assert.ok(hits > 150, `${hits} answers from the cache prove little`)
  })

  test('gateway 27: requests with a body, and values that hold separators, do not meet', async () => {
    policyOf = () => ({ 'cache-control': 'max-age=1000' })
    const ask = async (path: string, init: RequestInit = {}) => {
      const answer = await send(path, init)
      return [answer.headers.get('x-cache-status'), await answer.text()] as const
    }
    await put('/routes/parts', {
      uri: '/parts/*',
      upstream: { nodes: { [upstream.node]: 1 } },
      plugins: { 'proxy-cache': { cache_key: ['$arg_a', '$arg_b'] } },
    })
    const [, first] = await ask('/parts/x?a=1%0A2&b=3')
    const [, second] = await ask('/parts/x?a=1&b=2%0A3')
    assert.notEqual(first, second)
    const { hostname, port } = new URL(server().gatewayUrl)
    const { request } = await import('node:http')
    const withBody = () =>
      new Promise<unknown>((resolve, reject) => {
        const sent = request({ hostname, port, path: '/warm/body', method: 'GET' }, (answer) => {
          answer.resume()
          resolve(answer.headers['x-cache-status'])
        })
        sent.on('error', reject)
        sent.setHeader('content-length', '3')
        sent.end('abc')
      })
    assert.deepEqual([await withBody(), await withBody()], ['BYPASS', 'BYPASS'])
  })

  test('gateway 27: misses of a hundred at once ask the upstream once per thread at most', async () => {
    const held: (() => void)[] = []
    let asked = 0
    upstream.handle = (_request, response) => {
      asked++
      held.push(() => response.writeHead(200, { 'cache-control': 'max-age=60' }).end('one'))
    }
    const answers = Array.from({ length: 100 }, () =>
      send('/warm/once', { headers: { connection: 'close' } }),
    )
    await until(() => held.length > 0)
    await Promise.all(
      Array.from({ length: 20 }, () => send('/none', { headers: { connection: 'close' } })),
    )
    for (const release of held.splice(0)) release()
    const timer = setInterval(() => {
      for (const release of held.splice(0)) release()
    }, 20)
    for (const answer of await Promise.all(answers)) assert.equal(await answer.text(), 'one')
    clearInterval(timer)
    assert.ok(asked <= 2, `${asked} requests for two threads`)
  })

  test('gateway 27: a route that fills the memory leaves the others what they keep', async () => {
    const node = { nodes: { [upstream.node]: 1 } }
    const cached = { 'proxy-cache': {} }
    await put('/routes/greedy', { uri: '/greedy/*', upstream: node, plugins: cached })
    await put('/routes/quiet', { uri: '/quiet', upstream: node, plugins: cached })
    upstream.handle = (_request, response) => response.end('x'.repeat(8_000))
    const cacheOf = async (path: string) => {
      const answer = await send(path)
      await answer.text()
      return answer.headers.get('x-cache-status')
    }
    const isWarm = async () => {
      const found = await Promise.all(Array.from({ length: 12 }, () => cacheOf('/quiet')))
      return found.every((status) => status === 'HIT')
    }
    await until(isWarm)
    for (let n = 0; n < 100; n++) await cacheOf(`/greedy/${n}`)
    assert.ok(await isWarm())
    const again = await Promise.all(Array.from({ length: 20 }, (_, n) => cacheOf(`/greedy/${n}`)))
    assert.ok(
      again.some((status) => status === 'MISS'),
      'it has driven out its own',
    )
  })
})

function assertPermitted(
  { policy, sent, atMs }: Given,
  headers: Record<string, string>,
  askedAt: number,
  about: string,
): void {
  const control = policy['cache-control'] ?? ''
  assert.doesNotMatch(control, FORBIDDEN, about)
  assert.equal(policy['set-cookie'], undefined, about)
  const vary = policy['vary']?.toLowerCase() ?? ''
  assert.ok(!vary.includes('*'), about)
  for (const name of VARYING) {
    // `fetch` and the gateway add nothing that decides: what was sent then is compared with now.
    if (vary.split(', ').includes(name)) {
      const asked = name === 'accept' ? (headers[name] ?? '*/*') : (headers[name] ?? '*')
      assert.equal(sent[name] ?? '*', asked, about)
    }
  }
  const seconds = /s-maxage=(\d+)/.exec(control)?.[1] ?? /max-age=(\d+)/.exec(control)?.[1]
  const freshMs = 1_000 * (Number(seconds ?? TTL_SECONDS) - Number(policy['age'] ?? 0))
  assertPrompt(askedAt - atMs - freshMs, KEPT_WITHIN_MS, `${about}: what was stale`)
}

interface Seen {
  readonly method: string
  readonly headers: Record<string, string>
  readonly status: number
  readonly text: string
  readonly number: number
}

/** The whole, the part that was asked for, or that nothing has changed. */
function assertPart(body: string, { method, headers, status, text, number }: Seen, about: string) {
  if (status === 304) return assert.equal(headers['if-none-match'], `"${number}"`, about)
  if (status === 206) {
    const [, first = '', last = ''] = /bytes=(\d*)-(\d*)/.exec(headers['range'] ?? '') ?? []
    const part =
      first === ''
        ? body.slice(-Number(last))
        : body.slice(Number(first), last === '' ? undefined : Number(last) + 1)
    return method === 'HEAD' ? assert.equal(text, '') : assert.equal(text, part, about)
  }
  assert.equal(status, 200, about)
  assert.equal(text, method === 'HEAD' ? '' : body, about)
}

/** The same numbers in every run, so that a failure can be repeated. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
