import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertAnsweredAlike, beginMinute, until } from '#test-kit'
import { cmsSuite } from './support.ts'

const LIST = '/api/articles?populate=author&sort=title&filters[title][$contains]=Repeated'

export const repeated = cmsSuite('answers given again', (cms) => {
  const { server, call, ok, create, remove, keys } = cms
  const anonymous = (path = LIST, headers: Record<string, string> = {}) =>
    call('GET', path, { key: null, headers })
  const titles = async (headers: Record<string, string> = {}) =>
    (await anonymous(LIST, headers)).body.data.map(
      ({ attributes }: { attributes: { title: string } }) => attributes.title,
    )

  test('are the same answers, each with an id and a line of its own', async () => {
    const id = await create('articles', { title: 'Repeated é 😀' })
    const answers = [await anonymous(), await anonymous(), await anonymous()]
    const ids = answers.map(({ headers }) => headers.get('x-request-id') ?? '')
    assert.equal(new Set(ids).size, 3)
    for (const { status, headers, body } of answers) {
      assert.equal(status, 200)
      assert.deepEqual(body, answers[0]?.body)
      for (const name of ['etag', 'vary', 'cache-control', 'content-type']) {
        assert.equal(headers.get(name), answers[0]?.headers.get(name), name)
        assert.ok(headers.get(name), name)
      }
      assert.equal(headers.get('access-control-allow-origin'), '*')
    }
    const log = join(server().dataDir, 'logs', 'entrepot.log')
    await until(() => ids.every((each) => readFileSync(log, 'utf8').includes(each)))
    await remove('articles', id)
  })

  test('differ with every header they depend on', async () => {
    const id = await create('articles', { title: 'Repeated form' })
    const ask = async (headers: Record<string, string>) => {
      await anonymous(LIST, headers)
      return anonymous(LIST, headers)
    }
    assert.equal((await ask({})).body.data[0].attributes.title, 'Repeated form')
    assert.equal((await ask({ 'response-format': 'flat' })).body.data[0].title, 'Repeated form')
    const browser = await ask({ origin: 'https://shop.example' })
    assert.match(browser.headers.get('access-control-expose-headers') ?? '', /ETag/)
    const tag = browser.headers.get('etag') ?? ''
    assert.equal((await ask({ 'if-none-match': tag })).status, 304)
    assert.equal((await ask({ 'x-request-id': 'mine' })).headers.get('x-request-id'), 'mine')
    const wrong = { 'x-api-key': `sk_${'Wrong0'.repeat(8)}` }
    assert.equal((await ask(wrong)).status, 401)
    const head = await call('HEAD', LIST, { key: null })
    assert.equal(head.headers.get('etag'), tag)
    await remove('articles', id)
  })

  test('compressed ones are given to those alone who can read them', async () => {
    const id = await create('articles', { title: 'Repeated long', summary: 'x'.repeat(5_000) })
    for (const coding of ['br', 'gzip', 'identity', 'br', 'gzip', 'identity']) {
      const { headers, body } = await anonymous(LIST, { 'accept-encoding': coding })
      assert.equal(headers.get('content-encoding') ?? 'identity', coding)
      assert.equal(body.data[0].attributes.summary.length, 5_000)
    }
    await remove('articles', id)
  })

  test('end with every change: of an entry, of what it leads to, of the type, of a setting', async () => {
    const author = await create('authors', { name: 'Ada' })
    const id = await create('articles', { title: 'Repeated 1', author })
    assert.deepEqual([await titles(), await titles()], [['Repeated 1'], ['Repeated 1']])
    for (const n of [2, 3, 4]) {
      await ok('PUT', `/api/articles/${id}`, { body: { data: { title: `Repeated ${n}` } } })
      assert.deepEqual([await titles(), await titles()], [[`Repeated ${n}`], [`Repeated ${n}`]])
    }
    await ok('PUT', `/api/authors/${author}`, { body: { data: { name: 'Bob' } } })
    const shown = (await anonymous()).body.data[0].attributes.author.data.attributes.name
    assert.equal(shown, 'Bob')

    const type = '/api/v1/content-types/api::article.article'
    await ok('PATCH', type, { body: { publicRead: false } })
    assert.equal((await anonymous()).status, 401)
    await ok('PATCH', type, { body: { publicRead: true } })
    assert.equal((await anonymous()).status, 200)

    const deep = '/api/articles?populate[author][populate][articles][populate]=author'
    assert.deepEqual([(await anonymous(deep)).status, (await anonymous(deep)).status], [200, 200])
    await ok('PATCH', '/api/v1/settings/content', { body: { maxDepth: 2 } })
    assert.equal((await anonymous(deep)).status, 400)
    await ok('PATCH', '/api/v1/settings/content', { body: { maxDepth: 3 } })
    assert.equal((await anonymous(deep)).status, 200)
    await remove('articles', id)
    assert.deepEqual(await titles(), [])
  })

  test('never show one what another may see', async () => {
    const vault = await create('vaults', { name: 'Gold' })
    const id = await create('articles', { title: 'Repeated vault', vault })
    const path = '/api/articles?populate=vault&filters[title][$eq]=Repeated vault'
    for (let round = 0; round < 2; round++) {
      const { data } = await ok('GET', path, { key: keys.read })
      assert.equal(data[0].attributes.vault.data.attributes.name, 'Gold')
      const hidden = await call('GET', path, { key: null })
      assert.ok(!JSON.stringify(hidden.body).includes('Gold'))
    }
    assert.equal((await call('GET', '/api/vaults', { key: keys.read })).status, 200)
    assert.equal((await anonymous('/api/vaults')).status, 401)
    await remove('articles', id)
    await remove('vaults', vault)
  })

  test('small and large ones of a place are answered alike', async () => {
    const rank = 40
    const id = await create('articles', { title: 'Large', rank, summary: 'x'.repeat(3_000) })
    const small = await create('articles', { title: 'Small', rank: rank + 1 })
    const from = (least: number) => `/api/articles?filters[rank][$gte]=${least}&sort=rank`
    await assertAnsweredAlike(server().url, [
      ...[rank, rank + 1, rank + 2, rank - 1].map(from),
      `${from(rank)}&populate=nothing`,
    ])
    await remove('articles', id)
    await remove('articles', small)
  })

  test('what is asked anew at a place read before is answered as everywhere', async () => {
    const long = { summary: `é${'x'.repeat(3_000)}` }
    const made = [1, 2, 3].map((rank) =>
      create('articles', { title: `Place ${rank}`, rank, ...long }),
    )
    const all = await Promise.all(made)
    const at = (value: string) => `/api/articles?filters[rank][$gte]=${value}&sort=rank`
    for (const coding of ['identity', 'br']) {
      const headers = { 'accept-encoding': coding }
      for (const rank of [1, 3, 2, 1]) {
        const { body, headers: got } = await anonymous(at(String(rank)), headers)
        assert.equal(body.data.length, 4 - rank)
        assert.equal(body.meta.pagination.total, 4 - rank)
        assert.equal(body.data[0].attributes.summary, long.summary)
        const plain = await call('HEAD', at(String(rank)), { key: null, headers })
        for (const name of ['etag', 'vary', 'cache-control', 'content-type', 'content-encoding']) {
          assert.equal(got.get(name), plain.headers.get(name), name)
        }
      }
    }
    const none = await anonymous(at('9'))
    assert.deepEqual(none.body.data, [])
    const plain = await call('HEAD', at('9'), { key: null })
    assert.equal(none.headers.get('vary'), plain.headers.get('vary'))
    assert.equal((await anonymous(at('high'))).status, 400)
    assert.equal((await anonymous(`${at('1')}&api_key=sk_${'Wrong0'.repeat(8)}`)).status, 401)
    assert.equal((await anonymous(`${at('1')}&_q=%00`)).status, 400)
    for (const id of all) await remove('articles', id)
    assert.deepEqual((await anonymous(at('1'))).body.data, [])
  })

  test('count as reads without a key while these are limited', async (t) => {
    await beginMinute(t, server())
    const path = '/api/authors?sort=name'
    for (let n = 0; n < 3; n++) assert.equal((await anonymous(path)).status, 200)
    await ok('PATCH', '/api/v1/settings/limits', { body: { anonymous_per_minute: 2 } })
    const statuses = []
    for (let n = 0; n < 4; n++) statuses.push((await anonymous(path)).status)
    await ok('PATCH', '/api/v1/settings/limits', { body: { anonymous_per_minute: 0 } })
    assert.ok(statuses.includes(429), statuses.join(' '))
    assert.equal((await anonymous(path)).status, 200)
  })
})
