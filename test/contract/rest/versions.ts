import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { until } from '#test-kit'
import { idsOf, restSuite } from './support.ts'

const accept = (version: string | number) => ({
  headers: { accept: `application/vnd.app.v${version}+json` },
})

export const versions = restSuite('versions', ({ call, data, keys, issueKey, walk }) => {
  let article: { id: number; document_id: string; author_id: number }
  let author: { id: number; document_id: string }

  before(async () => {
    author = await data('POST', '/api/v1/authors', { body: { name: 'Ann' } })
    article = await data('POST', '/api/v1/articles', {
      body: { title: 'One', author_id: author.id },
    })
    const operations = Array.from({ length: 24 }, (_, at) => ({
      ...{ op: 'create', data: { title: `More ${at}` } },
    }))
    await data('POST', '/api/v1/articles/bulk', { body: { operations } })
  })

  test('rest-conventions 9: by path and by header the same body', async () => {
    for (const [version, path] of [
      [1, '/articles'],
      [1, `/articles/1?include=author`],
      [2, '/articles?include=author'],
      [2, '/articles/1'],
      [1, '/plans'],
    ] as const) {
      const byPath = await call('GET', `/api/v${version}${path}`)
      const byHeader = await call('GET', `/api${path}`, accept(version))
      assert.equal(byPath.status, 200, JSON.stringify(byPath.body))
      assert.equal(byHeader.status, 200, JSON.stringify(byHeader.body))
      assert.deepEqual(byHeader.body, byPath.body)
      assert.equal(byPath.headers.get('api-version'), String(version))
      assert.equal(byHeader.headers.get('api-version'), String(version))
      assert.equal(byPath.headers.get('content-type'), 'application/json; charset=utf-8')
      assert.equal(
        byHeader.headers.get('content-type'),
        `application/vnd.app.v${version}+json; charset=utf-8`,
      )
      assert.match(byHeader.headers.get('vary') ?? '', /\bAccept\b(?!-)/)
    }
    const bare = await call('GET', '/api/articles', {
      headers: { accept: 'text/html;q=0.9, Application/Vnd.App+JSON' },
    })
    assert.equal(bare.headers.get('api-version'), '1')
    const decided = await call('GET', '/api/v1/articles/1', accept(2))
    assert.equal(decided.body.data.id, 1)
    assert.equal(decided.headers.get('content-type'), 'application/json; charset=utf-8')
  })

  test('rest-conventions 9: an unknown version is 404 by path and 406 by header', async () => {
    for (const path of ['/api/v9/articles', '/api/v9', '/api/v0/articles/1', '/api/v10/plans']) {
      const { status, body } = await call('GET', path)
      assert.equal(status, 404, path)
      assert.equal(body.error.code, 'unsupported_version')
      assert.match(body.error.message, /1 and 2/)
    }
    const byHeader = await call('GET', '/api/articles', accept(9))
    assert.equal(byHeader.status, 406)
    assert.equal(byHeader.body.error.code, 'unsupported_version')
    assert.match(byHeader.headers.get('vary') ?? '', /\bAccept\b(?!-)/)
    assert.equal((await call('POST', '/api/v9/articles', { body: {} })).status, 404)
    const { body } = await call('GET', '/api/v9/articles', { key: null })
    assert.deepEqual(body, { error: 'API key required' })
  })

  test('rest-conventions 9: both versions answer in parallel on the same record', async () => {
    const path = `articles/${article.id}?include=author`
    const [one, two] = await Promise.all([
      data('GET', `/api/v1/${path}`),
      data('GET', `/api/v2/${path}`),
    ])
    assert.equal(two.id, one.document_id)
    assert.equal(two.entry_id, one.id)
    assert.equal(two.author_id, author.document_id)
    assert.equal(two.author.id, author.document_id)
    const { id, author_id, author: writer, ...rest } = one
    const { id: id2, entry_id, author_id: author2, author: writer2, ...rest2 } = two
    assert.deepEqual(rest2, rest)
    assert.equal(writer2.name, writer.name)
  })

  test('rest-conventions 9: version 2 pages by cursor and takes document ids', async () => {
    const page = await call('GET', '/api/v2/articles')
    assert.deepEqual(Object.keys(page.body.meta), [
      ...['per_page', 'has_more', 'next_cursor', 'prev_cursor'],
    ])
    assert.equal((await call('GET', '/api/v2/articles?count=true')).body.meta.total, 25)
    assert.equal((await call('GET', '/api/v2/articles?page=2')).body.meta.total, 25)
    assert.equal(new Set(idsOf(await walk('/api/v2/articles?per_page=7'))).size, 25)

    const made = await call('POST', '/api/v2/articles', {
      body: { title: 'Two', author_id: author.document_id },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.equal(made.headers.get('location'), `/api/v2/articles/${made.body.data.id}`)
    const { id, entry_id } = made.body.data
    const sent = { ...made.body.data, title: 'Three' }
    assert.equal((await data('PUT', `/api/v2/articles/${id}`, { body: sent })).title, 'Three')
    assert.equal((await data('GET', `/api/v1/articles/${entry_id}`)).title, 'Three')
    assert.equal((await call('DELETE', `/api/v2/articles/${id}`)).status, 204)
  })

  test('rest-conventions 9: only content exists in version 2', async () => {
    for (const path of ['/plans', '/keys', '/me', '/content-types', '/openapi.json']) {
      const { status, body } = await call('GET', `/api/v2${path}`)
      assert.equal(status, 404, path)
      assert.equal(body.error.code, 'route_not_found')
    }
    assert.equal((await call('GET', '/api/v2/media')).status, 200)
    assert.equal((await call('GET', '/api/v2/changes')).status, 200)
  })

  test('a deprecated version says so, and what comes after it', async () => {
    const list = await call('GET', '/api/v1/articles?per_page=5')
    assert.equal(list.headers.get('deprecation'), `@${Date.parse('2026-01-01') / 1000}`)
    assert.equal(list.headers.get('sunset'), 'Sun, 30 Jun 2030 00:00:00 GMT')
    const link = list.headers.get('link') ?? ''
    assert.match(link, /<\/api\/v2\/articles>; rel="successor-version"/)
    assert.match(link, /rel="next"/)
    const plans = await call('GET', '/api/v1/plans')
    assert.ok(plans.headers.get('deprecation'))
    assert.doesNotMatch(plans.headers.get('link') ?? '', /successor/)
    const refused = await call('GET', '/api/v1/articles', { key: null })
    assert.equal(refused.status, 401)
    assert.ok(refused.headers.get('sunset'))
    assert.equal((await call('GET', '/api/v2/articles')).headers.get('deprecation'), null)
  })

  test('plans and usage see one call whichever way it came', async () => {
    const figures = { name: 'Readers', requests_per_month: -1, requests_per_minute: -1 }
    const endpoints = ['GET /v1/articles', 'GET /v1/articles/{id}']
    const plan = await data('POST', '/api/v1/plans', { body: { ...figures, endpoints } })
    const key = await issueKey({ access: 'write', plan_id: plan.id })
    const status = async (method: string, path: string, headers = {}) =>
      (await call(method, path, { key, headers, ...(method === 'GET' ? {} : { body: {} }) })).status
    assert.equal(await status('GET', '/api/v1/articles'), 200)
    assert.equal(await status('GET', '/api/articles', accept(1).headers), 200)
    assert.equal(await status('GET', '/api/v1/articles/1'), 200)
    assert.equal(await status('GET', '/api/articles/1', accept(1).headers), 200)
    assert.equal(await status('GET', '/api/v2/articles'), 403)
    assert.equal(await status('GET', '/api/articles', accept(2).headers), 403)
    assert.equal(await status('POST', '/api/articles', accept(1).headers), 403)
    assert.equal(await status('GET', '/api/v1/articles/1/comments'), 403)
    const seen = await until(async () => {
      const records = await data('GET', '/api/v1/usage/records?limit=100', { key })
      return records.length >= 8 && records
    })
    const lines = seen
      .map(
        ({ method, endpoint, status_code }: Record<string, unknown>) =>
          `${method} ${endpoint} ${status_code}`,
      )
      .filter((line: string) => !line.includes('/usage'))
    assert.deepEqual(lines.toSorted(), [
      'GET /api/v1/articles 200',
      'GET /api/v1/articles 200',
      'GET /api/v1/articles/{id} 200',
      'GET /api/v1/articles/{id} 200',
      'GET /api/v1/articles/{id}/comments 403',
      'GET /api/v2/articles 403',
      'GET /api/v2/articles 403',
      'POST /api/v1/articles 403',
    ])
    assert.equal((await call('GET', '/api/v1/nothing', { key: keys.read })).status, 404)
  })
})
