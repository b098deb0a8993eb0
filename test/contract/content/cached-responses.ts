import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { ADMIN_KEY, relationTo, until } from '#test-kit'
import { storeSuite } from './support.ts'

const TYPES = [
  {
    singularName: 'town',
    pluralName: 'towns',
    attributes: { name: { type: 'string' } },
  },
  {
    singularName: 'safe',
    pluralName: 'safes',
    publicRead: false,
    attributes: { name: { type: 'string' } },
  },
  {
    singularName: 'tour',
    pluralName: 'tours',
    localized: true,
    attributes: {
      title: { type: 'string' },
      plan: { type: 'text' },
      town: relationTo('manyToOne', 'town'),
      safe: relationTo('manyToOne', 'safe'),
    },
  },
]

type Headers = Readonly<Record<string, string>>

interface Asked {
  readonly method?: string
  readonly headers?: Headers
  readonly key?: string
  readonly query?: string
}

/** One list of each dialect with what it leads to, and whether it needs a key. */
const LISTS = {
  cms: { path: '/api/tours?populate=*&sort=title', isOpen: true },
  flat: { path: '/api/tours?populate=town&sort=title', isOpen: true },
  v1: { path: '/api/v1/tours?include=town&per_page=1&api-version=1', isOpen: false },
  v2: { path: '/api/tours?include=town&per_page=1&foo=1', isOpen: false },
  jsonapi: { path: '/jsonapi/node/tour?include=town', isOpen: true },
  delivery: { path: '/cms/delivery/api/v2/content?filter=contentType:tour', isOpen: true },
} as const
/** What chooses the dialect, sent with each request for its list. */
const CHOOSING: Readonly<Record<string, Headers>> = {
  flat: { 'response-format': 'flat' },
  v2: { accept: 'application/vnd.app.v2+json' },
}
type Dialect = keyof typeof LISTS
const DIALECTS: readonly Dialect[] = ['cms', 'flat', 'v1', 'v2', 'jsonapi', 'delivery']

const PROXY = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https', via: '1.1 edge' }
const TRACING = {
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'x-b3-traceid': '80f198ee56343ba864fe8b2a57d3eff7',
  'x-amzn-trace-id': 'Root=1-67891233-abcdef012345678912345678',
}
/** These tell one exchange from another. */
const OF_EXCHANGE = /^(date|x-request-id|keep-alive|x-ratelimit-.*|ratelimit.*)$/

export const cachedResponses = storeSuite('cached responses', ({ server, call, data }) => {
  const keys = { read: '', write: '' }
  let planId = 0
  const towns: { id: number }[] = []
  const tours: { id: number }[] = []
  let count = 0

  before(async () => {
    await call('POST', '/api/v1/content-types/batch', { body: { contentTypes: TYPES } })
    await call('POST', '/api/v1/locales', { body: { code: 'fr', name: 'French' } })
    for (const name of ['Oslo', 'Lonely']) {
      towns.push(await data('POST', '/api/v1/towns', { body: { name } }))
    }
    const safe = await data('POST', '/api/v1/safes', { body: { name: 'Gold' } })
    const related = { town_id: towns[0]?.id, safe_id: safe.id, plan: 'é'.repeat(1_500) }
    for (const title of ['Bergen', 'Fjords']) {
      tours.push(await data('POST', '/api/v1/tours', { body: { title, ...related } }))
    }
    const french = { title: 'Bergen en français', locale: 'fr' }
    const [first] = tours
    const made = await call('POST', `/api/tours/${first?.id}/localizations`, { body: french })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    const figures = { name: 'Test', requests_per_month: -1, requests_per_minute: -1 }
    planId = (await data('POST', '/api/v1/plans', { body: figures })).id
    for (const access of ['read', 'write'] as const) keys[access] = (await sell({ access })).key
  })

  function sell(more: object): Promise<{ id: number; key: string }> {
    return data('POST', '/api/v1/keys', { body: { plan_id: planId, access: 'read', ...more } })
  }

  /** By Node's own client: it sends no header of its own but these, `Host` as given. */
  async function ask(dialect: Dialect, asked: Asked = {}) {
    const { method = 'GET', headers = {}, key, query = '' } = asked
    const { hostname, port } = new URL(server().url)
    const path = `${LISTS[dialect].path}${query}`
    const sent = request({
      ...{ hostname, port, method, path },
      headers: { ...CHOOSING[dialect], ...(key ? { 'x-api-key': key } : {}), ...headers },
    })
    sent.end()
    const [answer]: IncomingMessage[] = await once(sent, 'response')
    if (!answer) throw new Error('no answer')
    const body = await buffer(answer)
    const shown = Object.entries(answer.headers).filter(([name]) => !OF_EXCHANGE.test(name))
    return { status: answer.statusCode, headers: Object.fromEntries(shown), body }
  }

  /** Changes a type that the lists are made from, and nothing they show. */
  async function touch(): Promise<void> {
    await data('PATCH', `/api/v1/towns/${towns[1]?.id}`, { body: { name: `Lonely ${++count}` } })
  }

  async function hits(): Promise<number> {
    const { body } = await call('GET', '/metrics')
    return Number(/^content_cache_hits (\d+)$/m.exec(body)?.[1])
  }

  /** Who asks, and how. */
  function variantsOf(dialect: Dialect, etag: string): readonly Asked[] {
    const someone = LISTS[dialect].isOpen ? {} : { key: keys.read }
    const of = (headers: Headers) => ({ ...someone, headers })
    return [
      someone,
      { key: keys.read },
      { key: keys.write },
      { key: ADMIN_KEY },
      { query: `&api_key=${keys.read}` },
      { headers: { authorization: `Bearer ${keys.read}` } },
      of(PROXY),
      of(TRACING),
      of({
        ...TRACING,
        'x-request-id': 'mine',
        cookie: 'a=b',
        'user-agent': 'x',
        range: 'bytes=0-1',
      }),
      of({ 'if-none-match': etag }),
      of({ 'if-none-match': `"other", ${etag}`, 'accept-encoding': 'br' }),
      of({ 'if-none-match': '"other"' }),
      of({ origin: 'https://shop.example' }),
      ...[
        'br',
        'gzip',
        'br;q=0, gzip',
        'gzip, deflate, br',
        'identity',
        '*;q=0',
        'br, identity;q=0',
      ].map((coding) => of({ 'accept-encoding': coding })),
      { ...someone, method: 'HEAD' },
      { ...of({ 'accept-encoding': 'br' }), method: 'HEAD' },
      { ...of({ 'if-none-match': etag }), method: 'HEAD' },
    ]
  }

  test('reads 3: what a hundred ask for at once is read once or twice, and all get it', async () => {
    for (const dialect of DIALECTS) {
      // Where others may write, what takes a second on a busy machine is too old to be given: one quick burst is enough.
      const reads: number[] = []
      for (let burst = 0; burst < 4 && !reads.some((count) => count <= 5); burst++) {
        reads.push(await readsOfBurst(dialect))
      }
      assert.ok(Math.min(...reads) <= 5, `${dialect}: ${reads} reads`)
    }

    async function readsOfBurst(dialect: Dialect): Promise<number> {
      await touch()
      const before = await hits()
      const asked = { key: keys.read }
      const all = await Promise.all(Array.from({ length: 100 }, () => ask(dialect, asked)))
      const [first] = all
      for (const answer of all) assert.deepEqual(answer, first, dialect)
      assert.equal(first?.status, 200)
      return 100 - ((await hits()) - before)
    }
  })

  test('reads 3: who asks after a change sees it, also while an earlier reader is at work', async () => {
    for (let round = 0; round < 20; round++) {
      const early = Array.from({ length: 20 }, () => ask('v1', { key: keys.read }))
      const name = `Oslo ${++count}`
      await data('PATCH', `/api/v1/towns/${towns[0]?.id}`, { body: { name } })
      const late = await Promise.all(
        Array.from({ length: 20 }, () => ask('v1', { key: keys.read })),
      )
      for (const { body } of late) assert.ok(body.includes(name), `${body} of ${name}`)
      for (const { status } of await Promise.all(early)) assert.equal(status, 200)
    }
    await data('PATCH', `/api/v1/towns/${towns[0]?.id}`, { body: { name: 'Oslo' } })
  })

  for (const dialect of DIALECTS) {
    test(`reads 3: a repeat has the bytes and headers of the first time, whoever asks and how (${dialect})`, async () => {
      const { headers } = await ask(dialect, LISTS[dialect].isOpen ? {} : { key: keys.read })
      const variants = variantsOf(dialect, String(headers['etag']))
      const cold = []
      for (const variant of variants) {
        await touch()
        cold.push(await ask(dialect, variant))
      }
      const before = await hits()
      for (const round of ['second', 'third']) {
        for (const [at, variant] of variants.entries()) {
          const told = `${round} time: ${JSON.stringify(variant)}`
          assert.deepEqual(await ask(dialect, variant), cold[at], told)
        }
      }
      assert.ok((await hits()) > before, 'some came from the cache')
      const statuses = new Set(cold.map(({ status }) => status))
      assert.deepEqual(statuses, new Set([200, 304]))
    })
  }

  test('reads 3: with a key, behind a proxy, with a condition or tracing a repeat comes from the cache', async () => {
    for (const dialect of DIALECTS) {
      const { headers } = await ask(dialect, { key: keys.read })
      const condition = { 'if-none-match': String(headers['etag']) }
      const someone = LISTS[dialect].isOpen ? {} : { key: keys.read }
      const askers: Asked[] = [
        someone,
        { key: keys.read },
        { query: `&api_key=${keys.read}` },
        { ...someone, headers: PROXY },
        { ...someone, headers: TRACING },
        { ...someone, headers: condition },
        { ...someone, method: 'HEAD' },
      ]
      for (const asker of askers) {
        // Where others may write too, a response is kept for a second only.
        await until(async () => {
          await ask(dialect, asker)
          const before = await hits()
          await ask(dialect, asker)
          return (await hits()) > before
        })
      }
    }
  })

  test('reads 3: no response crosses levels, hosts or languages', async () => {
    for (let round = 0; round < 3; round++) {
      const shown = async (asked: Asked) => (await ask('cms', asked)).body.includes('Gold')
      assert.deepEqual([await shown({}), await shown({ key: keys.read })], [false, true])
      for (const dialect of ['jsonapi', 'v1', 'v2'] as const) {
        const links = async (headers: Headers) => {
          const { headers: got, body } = await ask(dialect, { key: keys.read, headers })
          return dialect === 'jsonapi' ? String(body) : String(got['link'])
        }
        assert.match(await links({ host: 'one.example' }), /http:\/\/one\.example\//)
        assert.match(await links({ host: 'two.example' }), /http:\/\/two\.example\//)
        const forwarded = { 'x-forwarded-host': 'out.example', 'x-forwarded-proto': 'https' }
        const proxied = await links({ host: 'one.example', ...forwarded })
        assert.match(proxied, /https:\/\/out\.example\//)
        assert.doesNotMatch(proxied, /one\.example/)
      }
      for (const dialect of ['jsonapi', 'delivery'] as const) {
        const isFrench = async (headers: Headers) =>
          (await ask(dialect, { headers })).body.includes('en français')
        assert.ok(await isFrench({ 'accept-language': 'fr' }), dialect)
        assert.ok(!(await isFrench({ 'accept-language': 'en' })), dialect)
        assert.ok(!(await isFrench({})), dialect)
      }
      const strict = { key: keys.read, headers: { prefer: 'handling=strict' } }
      const found = [await ask('v2', { key: keys.read }), await ask('v2', strict)]
      assert.deepEqual(
        found.map(({ status }) => status),
        [200, 400],
      )
      const other = await ask('jsonapi', { headers: { 'x-api-version': '2' } })
      assert.equal(other.status, 406)
    }
  })

  test('reads 3: a write is seen by the next read of everybody', async () => {
    for (const dialect of DIALECTS) {
      const someone = LISTS[dialect].isOpen ? {} : { key: keys.read }
      const askers: Asked[] = [
        someone,
        { key: keys.read },
        { key: keys.write },
        { ...someone, headers: PROXY },
      ]
      for (const asker of askers) {
        const { headers } = await ask(dialect, asker)
        const condition = { ...asker.headers, 'if-none-match': String(headers['etag']) }
        assert.equal((await ask(dialect, { ...asker, headers: condition })).status, 304)
        const title = `Bergen ${++count}`
        await data('PATCH', `/api/v1/tours/${tours[0]?.id}`, { body: { title } })
        const { status, body } = await ask(dialect, { ...asker, headers: condition })
        assert.equal(status, 200, dialect)
        assert.ok(body.includes(title), `${dialect} ${JSON.stringify(asker)}`)
      }
    }
  })

  test('reads 3: of many repeats at once exactly the limit pass, and each is metered', async () => {
    const figures = { name: 'Small', requests_per_month: -1, requests_per_minute: 30 }
    const plan = await data('POST', '/api/v1/plans', { body: figures })
    for (const dialect of DIALECTS) {
      const { id, key } = await sell({ plan_id: plan.id })
      await ask(dialect, { key: keys.read })
      await server().setClockOffset(Date.parse('2027-03-01T09:00:05.000Z') - Date.now())
      const answers = await Promise.all(Array.from({ length: 80 }, () => ask(dialect, { key })))
      const passed = answers.filter(({ status }) => status === 200).length
      const refused = answers.filter(({ status }) => status === 429).length
      assert.deepEqual([passed, refused], [30, 50], dialect)
      await until(async () => {
        const records = await data('GET', `/api/v1/usage/records?key_id=${id}&limit=1000`)
        return records.length === 80
      })
      await server().setClockOffset(0)
    }
  })

  test('reads 3: who may no longer read is refused although the response is cached', async () => {
    const refusals: readonly (readonly [string, (of: { id: number }) => Promise<unknown>])[] = [
      ['revoked', ({ id }) => data('POST', `/api/v1/keys/${id}/revoke`)],
      [
        'another plan',
        async ({ id }) => {
          const figures = { requests_per_month: -1, requests_per_minute: -1 }
          const body = { name: 'None', ...figures, endpoints: ['GET /api/v1/plans'] }
          const { id: plan_id } = await data('POST', '/api/v1/plans', { body })
          await data('PATCH', `/api/v1/keys/${id}`, { body: { plan_id } })
        },
      ],
    ]
    for (const dialect of DIALECTS) {
      for (const [name, refuse] of refusals) {
        const key = await sell({})
        assert.equal((await ask(dialect, key)).status, 200)
        assert.equal((await ask(dialect, key)).status, 200)
        await refuse(key)
        assert.equal((await ask(dialect, key)).status, 403, `${dialect} ${name}`)
      }
      const user = await data('POST', '/api/v1/users', {
        body: { email: `${dialect}@cache.example` },
      })
      const key = await sell({ user_id: user.id })
      assert.equal((await ask(dialect, key)).status, 200)
      await data('PATCH', `/api/v1/users/${user.id}`, { body: { status: 'disabled' } })
      assert.equal((await ask(dialect, key)).status, 403, `${dialect} disabled`)
      await data('PATCH', `/api/v1/users/${user.id}`, { body: { status: 'active' } })
      assert.equal((await ask(dialect, key)).status, 200)
    }
  })
})
