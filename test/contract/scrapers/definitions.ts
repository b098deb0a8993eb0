import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY } from '#test-kit'
import { scraperSuite } from './support.ts'

const SEED = {
  ...{ schedule: null, proxy_pool: null, rate_limit: 5, headers: {}, status: 'idle' },
}

/** Fields that are wrong, each alone; the field that the refusal must name. */
const WRONG: readonly (readonly [object, string])[] = [
  [{ name: '' }, 'name'],
  [{ name: '   ' }, 'name'],
  [{ name: 'x'.repeat(201) }, 'name'],
  [{ name: 7 }, 'name'],
  [{ url: 'ftp://x' }, 'url'],
  [{ url: 'not a url' }, 'url'],
  [{ url: 'http://user:secret@site.example/' }, 'url'],
  [{ url: `http://site.example/${'x'.repeat(2050)}` }, 'url'],
  [{ schedule: '61 * * * *' }, 'schedule'],
  [{ schedule: '* * *' }, 'schedule'],
  [{ schedule: 'every day' }, 'schedule'],
  [{ schedule: '*/0 * * * *' }, 'schedule'],
  [{ schedule: '@sometimes' }, 'schedule'],
  [{ timezone: 'Mars/Phobos' }, 'timezone'],
  [{ rate_limit: 0 }, 'rate_limit'],
  [{ rate_limit: -1 }, 'rate_limit'],
  [{ rate_limit: 1.5 }, 'rate_limit'],
  [{ rate_limit: '5' }, 'rate_limit'],
  [{ rate_limit: 1e9 }, 'rate_limit'],
  [{ proxy_pool: '' }, 'proxy_pool'],
  [{ headers: { 'x-a': 'one\r\ntwo' } }, 'headers.x-a'],
  [{ headers: { 'bad name': 'x' } }, 'headers.bad name'],
  [{ headers: { Host: 'x' } }, 'headers.Host'],
  [{ headers: { 'Proxy-Authorization': 'x' } }, 'headers.Proxy-Authorization'],
  [{ headers: [] }, 'headers'],
  [{ start_urls: ['http://a.example/', 'nope'] }, 'start_urls.1'],
  [{ crawl: { max_depth: 101 } }, 'crawl.max_depth'],
  [{ crawl: { max_pages: 0 } }, 'crawl.max_pages'],
  [{ crawl: { follow: 'everything' } }, 'crawl.follow'],
  [{ crawl: { include: ['blog/**'] } }, 'crawl.include.0'],
  [{ crawl: { wishes: 3 } }, 'crawl.wishes'],
  [{ crawl: 'deep' }, 'crawl'],
  [{ extract: { item_selector: 'a[' } }, 'extract.item_selector'],
  [{ extract: { item_selector: 'a:unheard-of' } }, 'extract.item_selector'],
  [{ extract: { fields: { '1st': 'a' } } }, 'extract.fields.1st'],
  [{ extract: { fields: { a: { selector: 'p', regex: '(' } } } }, 'extract.fields.a.regex'],
  [{ extract: { fields: { a: { selector: 'p', type: 'money' } } } }, 'extract.fields.a.type'],
  [{ output: {} }, 'output.collection'],
  [{ colour: 'red' }, 'colour'],
]

export const definitions = scraperSuite('definitions', (api) => {
  test('scrapers 1: name and url alone make a scraper with the documented defaults', async () => {
    const body = { name: 'News', url: 'https://news.example/' }
    const created = await api.call('POST', '/scrapers', { body })
    assert.equal(created.status, 201)
    assert.equal(created.headers.get('location'), `/api/v1/scrapers/${created.body.id}`)
    for (const [name, value] of Object.entries({ ...body, ...SEED })) {
      assert.deepEqual(created.body[name], value, name)
    }
    assert.deepEqual(await api.ok('GET', `/scrapers/${created.body.id}`), created.body)
    const list = await api.ok('GET', '/scrapers?sort=id&order=desc&per_page=1')
    assert.deepEqual(list.data, [created.body])
    assert.equal(typeof list.meta.total, 'number')
  })

  test('scrapers 1: a list is filtered, sorted and paged', async () => {
    for (const name of ['Alpha', 'Beta', 'Beta']) {
      await api.create({ name, url: 'https://list.example/' })
    }
    const named = await api.ok('GET', '/scrapers?name=Beta&status=idle&sort=name')
    assert.deepEqual(
      named.data.map((each: { name: string }) => each.name),
      ['Beta', 'Beta'],
    )
    assert.deepEqual((await api.ok('GET', '/scrapers?name=Beta&status=running')).data, [])
    assert.equal((await api.call('GET', '/scrapers?status=dancing')).status, 400)
  })

  test('scrapers 2: each bad field is refused by name, and nothing is stored', async () => {
    const before = (await api.ok('GET', '/scrapers')).meta.total
    for (const [wrong, field] of WRONG) {
      const body = { name: 'Bad', url: 'https://bad.example/', ...wrong }
      const { status, body: answer } = await api.call('POST', '/scrapers', { body })
      assert.equal(status, 400, JSON.stringify(wrong))
      assert.equal(answer.error.code, 'validation_error', JSON.stringify([wrong, answer]))
      const fields = answer.error.details.map((each: { field: string }) => each.field)
      assert.deepEqual(fields, [field], JSON.stringify(answer))
    }
    assert.equal((await api.ok('GET', '/scrapers')).meta.total, before)
  })

  test('scrapers 2: limits hold exactly: at the limit accepted, one above refused', async () => {
    const url = 'https://limits.example/'
    const many = (count: number, name: (at: number) => string, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), value]))
    const field = (at: number) => `f${at}`
    const header = (at: number) => `x-${at}`
    const addresses = (count: number) => Array.from({ length: count }, (_, at) => `${url}${at}`)
    const long = (length: number) => url + 'x'.repeat(length - url.length)
    const cases: readonly (readonly [object, object, string])[] = [
      [{ name: 'x'.repeat(200) }, { name: 'x'.repeat(201) }, 'name'],
      [{ name: ` ${'x'.repeat(200)} ` }, { name: ` ${'x'.repeat(201)} ` }, 'name'],
      [{ url: long(2_048) }, { url: long(2_049) }, 'url'],
      [{ headers: many(50, header, 'v') }, { headers: many(51, header, 'v') }, 'headers'],
      [{ headers: { a: 'v'.repeat(8_192) } }, { headers: { a: 'v'.repeat(8_193) } }, 'headers.a'],
      [{ start_urls: addresses(1_000) }, { start_urls: addresses(1_001) }, 'start_urls'],
      [
        { extract: { fields: many(200, field, 'p') } },
        { extract: { fields: many(201, field, 'p') } },
        'extract.fields',
      ],
      [{ rate_limit: 1_000 }, { rate_limit: 1_001 }, 'rate_limit'],
      [{ crawl: { concurrency: 64 } }, { crawl: { concurrency: 65 } }, 'crawl.concurrency'],
      [{ crawl: { max_retries: 10 } }, { crawl: { max_retries: 11 } }, 'crawl.max_retries'],
      [
        { crawl: { timeout_seconds: 300 } },
        { crawl: { timeout_seconds: 301 } },
        'crawl.timeout_seconds',
      ],
      [{ proxy_pool: 'p'.repeat(100) }, { proxy_pool: 'p'.repeat(101) }, 'proxy_pool'],
    ]
    for (const [good, bad, name] of cases) {
      const body = { name: 'Limits', url }
      const accepted = await api.call('POST', '/scrapers', { body: { ...body, ...good } })
      assert.equal(accepted.status, 201, `${name}: ${JSON.stringify(accepted.body)}`)
      const shown = await api.ok('GET', `/scrapers/${accepted.body.id}`)
      for (const [member, value] of Object.entries(good)) {
        if (member !== 'crawl' && member !== 'extract' && member !== 'name')
          assert.deepEqual(shown[member], value, name)
      }
      const refused = await api.call('POST', '/scrapers', { body: { ...body, ...bad } })
      assert.equal(refused.status, 400, name)
      assert.equal(refused.body.error.details[0].field, name)
    }
  })

  test('scrapers finding 2: no name holds line breaks or other control characters', async () => {
    const body = { name: 'Line', url: 'https://line.example/' }
    const output = { collection: 'articles' }
    for (const bad of ['a\nb', 'a\r\nX: y', 'a\u001b[31m', 'a\u0085b', 'a\u2028b']) {
      const cases: readonly (readonly [string, object, string])[] = [
        ['/proxy-pools', { name: bad, proxies: [] }, 'name'],
        ['/proxy-pools', { name: 'ok', proxies: [`http://p.example/${bad}`] }, 'proxies.0'],
        ['/scrapers', { ...body, name: bad }, 'name'],
        ['/scrapers', { ...body, url: `https://line.example/${bad}` }, 'url'],
        ['/scrapers', { ...body, start_urls: [`https://line.example/${bad}`] }, 'start_urls.0'],
        ['/scrapers', { ...body, proxy_pool: bad }, 'proxy_pool'],
        ['/scrapers', { ...body, extract: { key: bad } }, 'extract.key'],
        ['/scrapers', { ...body, crawl: { include: [`/${bad}`] } }, 'crawl.include.0'],
        ['/scrapers', { ...body, output: { ...output, key: bad } }, 'output.key'],
        ['/scrapers', { ...body, output: { ...output, locale: bad } }, 'output.locale'],
        ['/scrapers', { ...body, output: { collection: bad, create: true } }, 'output.collection'],
      ]
      for (const [path, sent, field] of cases) {
        const answer = await api.call('POST', path, { body: sent })
        assert.equal(answer.status, 400, `${path} ${JSON.stringify(sent)}`)
        const { code, details } = answer.body.error
        assert.deepEqual([code, details[0].field], ['validation_error', field])
        assert.match(details[0].message, /must not hold line breaks or other control characters/)
      }
    }
    const lines = { ...body, extract: { item_selector: 'ul,\nol', fields: { a: 'p,\nli' } } }
    assert.equal((await api.call('POST', '/scrapers', { body: lines })).status, 201)
  })

  test('scrapers 2: all problems are told at once', async () => {
    const body = { schedule: '61 * * * *', rate_limit: '5', colour: 1, crawl: { max_depth: -1 } }
    const { status, body: answer } = await api.call('POST', '/scrapers', { body })
    assert.equal(status, 400)
    const fields = answer.error.details.map((each: { field: string }) => each.field)
    const all = ['colour', 'crawl.max_depth', 'name', 'rate_limit', 'schedule', 'url']
    assert.deepEqual(fields.sort(), all)
    const minute = answer.error.details.find((each: { field: string }) => each.field === 'schedule')
    assert.deepEqual(minute, { field: 'schedule', code: 'range', message: 'minute must be 0-59' })
  })

  test('scrapers 2: what is well-formed but cannot be used is 422', async () => {
    const cases = [
      [{ schedule: '0 0 31 2 *' }, 'schedule_never_fires'],
      [{ output: { collection: 'unheard-of' } }, 'unknown_collection'],
      [{ url: 'http://10.0.0.1/' }, 'address_not_allowed'],
      [{ url: 'http://0xa.1/' }, 'address_not_allowed'],
      [{ start_urls: ['http://169.254.169.254/'] }, 'address_not_allowed'],
      [{ crawl: { render: 'browser' } }, 'renderer_unavailable'],
    ] as const
    for (const [wrong, code] of cases) {
      const body = { name: 'Bad', url: 'https://bad.example/', ...wrong }
      const answer = await api.call('POST', '/scrapers', { body })
      assert.equal(answer.status, 422, JSON.stringify(answer.body))
      assert.equal(answer.body.error.code, code)
    }
  })

  test('scrapers 2: a body that is no JSON object is invalid_json', async () => {
    for (const text of ['{', '[]', '"x"', '']) {
      const answer = await api.call('POST', '/scrapers', { text })
      assert.equal(answer.status, 400, text)
      assert.equal(answer.body.error.code, 'invalid_json', text)
    }
  })

  test('scrapers 5: PATCH changes what is given, null resets, the schedule counts from now', async () => {
    const id = await api.create({
      ...{ url: 'https://patch.example/', headers: { a: '1' }, crawl: { max_depth: 7 } },
    })
    const changed = await api.ok('PATCH', `/scrapers/${id}`, { body: { crawl: { max_pages: 9 } } })
    assert.deepEqual([changed.crawl.max_depth, changed.crawl.max_pages], [7, 9])
    assert.deepEqual(changed.headers, { a: '1' })
    const patch = (body: object) => api.ok('PATCH', `/scrapers/${id}`, { body })
    assert.equal((await patch({ crawl: { max_pages: null } })).crawl.max_pages, 100)
    assert.deepEqual((await patch({ headers: { b: '2' } })).headers, { b: '2' })
    const scheduled = await patch({ schedule: '0 6 * * *', timezone: 'Europe/Berlin' })
    assert.match(scheduled.next_run_at, /T0[45]:00:00\.000Z$/)
    assert.equal((await patch({ schedule_enabled: false })).next_run_at, null)
    assert.match((await patch({ schedule_enabled: true })).next_run_at, /T0[45]:00/)
    assert.equal((await patch({ schedule: null })).next_run_at, null)
    assert.equal((await api.call('PATCH', `/scrapers/${id}`, { body: { name: null } })).status, 400)
  })

  test('scrapers 5: changes of different members at the same moment are all kept', async () => {
    const id = await api.create({ url: 'http://127.0.0.1/' })
    const changes = [
      { rate_limit: 9 },
      { timezone: 'Europe/Berlin' },
      { crawl: { max_pages: 7 } },
      { crawl: { max_depth: 2 } },
      { extract: { mode: 'both' } },
    ]
    await Promise.all(changes.map((body) => api.ok('PATCH', `/scrapers/${id}`, { body })))
    const { rate_limit, timezone, crawl, extract } = await api.ok('GET', `/scrapers/${id}`)
    assert.deepEqual(
      [rate_limit, timezone, crawl.max_pages, crawl.max_depth, extract.mode],
      [9, 'Europe/Berlin', 7, 2, 'both'],
    )
  })

  test('scrapers 5: a record that was read can be sent back whole', async () => {
    const id = await api.create({
      url: 'https://back.example/',
      extract: { mode: 'both', fields: { price: '.price', link: 'a@href' } },
    })
    const body = await api.ok('GET', `/scrapers/${id}`)
    const sent = await api.ok('PATCH', `/scrapers/${id}`, { body })
    assert.deepEqual({ ...sent, updated_at: null }, { ...body, updated_at: null })
  })

  test('scrapers 3: unknown, foreign and impossible ids are 404 on every path', async () => {
    for (const id of ['999999', 'abc', '-1', '1.5', '99999999999999999999']) {
      for (const [method, path] of [
        ['GET', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['POST', '/run'],
        ['POST', '/stop'],
        ['GET', '/status'],
        ['GET', '/runs'],
        ['GET', '/runs/1'],
        ['GET', '/results'],
      ] as const) {
        const sent = method === 'PATCH' ? { body: {} } : {}
        const answer = await api.call(method, `/scrapers/${id}${path}`, sent)
        assert.equal(answer.status, 404, `${method} ${id}${path}`)
        assert.equal(answer.body.error.code, 'scraper_not_found')
      }
    }
    const id = await api.create({ url: 'https://runs.example/' })
    const answer = await api.call('GET', `/scrapers/${id}/runs/77777`)
    assert.deepEqual([answer.status, answer.body.error.code], [404, 'run_not_found'])
  })

  test('access 12: a read key is refused scrapers, and told what it needs', async () => {
    const key = await keyOf('read')
    const id = await api.create({ url: 'https://refused.example/' })
    const body = { name: 'x', url: 'https://refused.example/' }
    for (const [method, path] of [
      ['POST', '/scrapers'],
      ['POST', '/scrapers/preview'],
      ['PATCH', `/scrapers/${id}`],
      ['DELETE', `/scrapers/${id}`],
      ['POST', `/scrapers/${id}/run`],
      ['POST', `/scrapers/${id}/stop`],
      ['DELETE', `/scrapers/${id}/runs/1`],
    ] as const) {
      const answer = await api.call(method, path, { key, ...(method === 'DELETE' ? {} : { body }) })
      assert.equal(answer.status, 403, path)
      const message = 'This operation needs write access'
      assert.deepEqual(answer.body.error, { code: 'forbidden', message, required: 'write' })
    }
    for (const path of ['', '/status', '/runs', '/runs/1', '/results']) {
      const answer = await api.call('GET', `/scrapers/${id}${path}`, { key })
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'scraper_not_found'], path)
    }
    assert.equal((await api.call('GET', `/scrapers/${id}`)).status, 200)
  })

  test('access 14: a sign-in opens scrapers to writers, not to readers', async () => {
    const password = 'a long enough password'
    const cookieOf = async (access: string) => {
      const email = `signed-in-${access}-${Math.random().toString(36).slice(2)}@scrapers.example`
      await api.data('POST', '/users', { body: { email, access, password } })
      const answer = await api.call('POST', '/sign-in', { key: null, body: { email, password } })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return { cookie: (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '' }
    }
    const body = { name: 'By the console', url: 'https://console.example/' }
    const writer = { key: null, headers: await cookieOf('write') }
    const own = await api.call('POST', '/scrapers', { ...writer, body })
    assert.equal(own.status, 201, JSON.stringify(own.body))
    assert.equal((await api.ok('GET', '/scrapers', writer)).data[0].id, own.body.id)
    const evil = { ...writer.headers, origin: 'https://evil.example' }
    const foreign = await api.call('POST', '/scrapers', { ...writer, headers: evil, body })
    assert.deepEqual([foreign.status, foreign.body.error.code], [403, 'cross_site_request'])
    const reader = { key: null, headers: await cookieOf('read') }
    for (const [method, sent] of [
      ['GET', reader],
      ['POST', { ...reader, body }],
    ] as const) {
      const refused = await api.call(method, '/scrapers', sent)
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'key_required'], method)
    }
  })

  test('access 14: levels: readers read, writers write, others see nothing of it', async () => {
    const reader = await keyOf('read')
    const writer = await keyOf('write')
    const body = { name: 'Own', url: 'https://own.example/' }
    assert.equal((await api.call('POST', '/scrapers', { body, key: reader })).status, 403)
    const own = await api.ok('POST', '/scrapers', { body, key: writer })
    assert.equal((await api.call('GET', `/scrapers/${own.id}`, { key: reader })).status, 404)
    assert.deepEqual((await api.ok('GET', '/scrapers', { key: reader })).data, [])
    assert.equal((await api.ok('GET', `/scrapers/${own.id}`, { key: ADMIN_KEY })).id, own.id)
    assert.equal((await api.call('GET', '/proxy-pools', { key: writer })).status, 403)
    assert.equal((await api.call('GET', '/scrapers', { key: null })).status, 401)
  })

  async function keyOf(access: string): Promise<string> {
    return (await api.userKey(access, access)).key
  }
})
