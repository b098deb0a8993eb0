import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { serverAudits } from 'graphql-http'
import { beginMinute, until } from '#test-kit'
import { graphqlSuite } from './support.ts'

const QUERY = '{ articles { data { id } } }'
const NEW = 'application/graphql-response+json'

export const transport = graphqlSuite('GraphQL over HTTP', (api) => {
  const { call, ask, create, data, refusal, keys } = api

  test('graphql 1: no MUST and no SHOULD of the GraphQL over HTTP draft fails', async () => {
    for (const at of ['', '/offset', '/connection']) {
      const url = `${api.server().url}/graphql${at}`
      const failed: string[] = []
      for (const audit of serverAudits({ url, fetchFn: fetch })) {
        const result = await audit.fn()
        if (result.status === 'ok' || /^MAY/.test(audit.name)) continue
        failed.push(`${audit.id} ${audit.name}: ${result.reason}`)
      }
      assert.deepEqual(failed, [], url)
    }
  })

  test('graphql 14: queries by GET, changes not', async () => {
    const by = (query: object) =>
      call('GET', `/graphql?${new URLSearchParams({ ...query })}`, { key: null })
    const found = await by({ query: QUERY })
    assert.deepEqual(found.body, { data: { articles: { data: [] } } })
    const variables = JSON.stringify({ size: 3 })
    const query =
      'query A($size: Int) { articles(pagination: { pageSize: $size }) { meta { pagination { pageSize } } } }'
    const sized = await by({ query, variables, operationName: 'A' })
    assert.equal(sized.body.data.articles.meta.pagination.pageSize, 3)
    const change = await by({ query: 'mutation { createTag(data: {}) { data { id } } }' })
    assert.equal(change.status, 405)
    assert.equal(change.headers.get('allow'), 'POST')
    assert.equal((await by({ query: QUERY, extensions: '[]' })).status, 400)
    assert.equal((await by({})).status, 400)
    assert.equal((await by({ query: QUERY, variables: '{' })).status, 400)
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const other = await call(method, '/graphql', { key: null })
      assert.equal(other.status, 405)
      assert.equal(other.headers.get('allow'), 'GET, POST')
    }
  })

  test('graphql 14: a GET is given again as long as what it shows is as it was', async () => {
    const hits = async () => {
      const text = await (await fetch(`${api.server().url}/metrics`)).text()
      return Number(/^content_cache_hits (\d+)/m.exec(text)?.[1] ?? 0)
    }
    const query =
      '{ tags(sort: "id") { data { attributes { name } } meta { pagination { total } } } }'
    const path = `/graphql?query=${encodeURIComponent(query)}`
    const get = (headers = {}, key: string | null = null) => call('GET', path, { key, headers })
    const tag = await create('tags', { name: 'first' })
    const first = await get()
    let rounds = 0
    const again = await until(async () => {
      rounds++
      await get()
      const before = await hits()
      const answer = await get()
      return (await hits()) > before && answer
    })
    // Where others may write too, a response is kept for a second only.
    if (api.kind === 'sqlite') assert.equal(rounds, 1)
    assert.deepEqual(again.body, first.body)
    for (const name of ['x-query-cost', 'content-type', 'etag']) {
      assert.ok(again.headers.get(name), name)
      assert.equal(again.headers.get(name), first.headers.get(name), name)
    }
    const etag = again.headers.get('etag') ?? ''
    assert.equal((await get({ 'if-none-match': etag })).status, 304)
    const other = await get({ accept: NEW })
    assert.equal(other.headers.get('content-type'), `${NEW}; charset=utf-8`)
    assert.deepEqual((await get({}, keys.read)).body, first.body)

    await api.ok('PUT', `/api/tags/${tag}`, { body: { data: { name: 'second' } } })
    const changed = await get({ 'if-none-match': etag })
    assert.equal(changed.status, 200)
    assert.equal(changed.body.data.tags.data[0].attributes.name, 'second')
    const body = { maxAliases: 1 }
    const both = `/graphql?query=${encodeURIComponent('{ a: tags { data { id } } b: tags { data { id } } }')}`
    for (const status of [200, 200]) assert.equal((await call('GET', both)).status, status)
    await api.ok('PATCH', '/api/v1/settings/graphql', { body })
    assert.equal((await call('GET', both)).status, 400)
    await api.ok('PATCH', '/api/v1/settings/graphql', { body: { maxAliases: null } })
    await call('DELETE', `/api/tags/${tag}`)
    assert.deepEqual((await get()).body.data.tags.data, [])
  })

  test('graphql 14: what is given again to one is not given to another who may see less', async () => {
    const path = `/graphql?query=${encodeURIComponent('{ vaults { data { id } } }')}`
    const code = async (key: string | null) =>
      (await call('GET', path, { key })).body.errors?.[0].extensions.code
    for (const key of [keys.read, keys.read, keys.read]) assert.equal(await code(key), undefined)
    for (const key of [null, null]) assert.equal(await code(key), 'UNAUTHENTICATED')
  })

  test('graphql 14: bodies that are no question are refused', async () => {
    assert.equal((await call('POST', '/graphql', { body: [{ query: QUERY }] })).status, 400)
    assert.equal((await call('POST', '/graphql', { text: '{' })).status, 400)
    for (const body of [
      {},
      { query: 1 },
      { query: QUERY, variables: [] },
      { query: QUERY, operationName: 1 },
      { query: QUERY, extensions: 'x' },
      'text',
    ]) {
      assert.equal((await call('POST', '/graphql', { body })).status, 400, JSON.stringify(body))
    }
    const plain = { headers: { 'content-type': 'text/plain' } }
    assert.equal((await call('POST', '/graphql', { text: QUERY, ...plain })).status, 415)
    const large = { query: QUERY, variables: { a: 'x'.repeat(1024 * 1024) } }
    assert.equal((await call('POST', '/graphql', { body: large })).status, 413)
    const hash = { extensions: { persistedQuery: { version: 1, sha256Hash: 'a' } } }
    const persisted = await call('POST', '/graphql', { body: hash })
    assert.equal(persisted.status, 200)
    assert.equal(persisted.body.errors[0].extensions.code, 'PERSISTED_QUERY_NOT_SUPPORTED')
  })

  test('graphql 14: what no database stores is refused in literals and variables of a GET as in a body', async () => {
    for (const escaped of ['\\u0000', '\\u{0}']) {
      for (const query of [
        `{ articles(filters: { documentId: { eq: "${escaped}" } }) { data { id } } }`,
        `{ articles(filters: { locale: { eq: "${escaped}" } }) { data { id } } }`,
        `{ uploadFile(id: "${escaped}") { data { id } } }`,
        `mutation { updateUploadFile(id: 1, info: { name: "${escaped}" }) { data { id } } }`,
      ]) {
        const { status, code, error } = await refusal(query, { key: keys.write })
        assert.deepEqual([status, code], [400, 'GRAPHQL_PARSE_FAILED'], query)
        assert.match(error.message, /U\+0000/)
        assert.deepEqual(error.locations, [{ line: 1, column: query.indexOf('"') + 1 }])
      }
    }
    const query = 'query ($f: ArticleFiltersInput) { articles(filters: $f) { data { id } } }'
    for (const text of ['a\0', '\ud800']) {
      const variables = JSON.stringify({ f: { documentId: { eq: text } } })
      const asked = await call('GET', `/graphql?${new URLSearchParams({ query, variables })}`)
      assert.equal(asked.status, 400, JSON.stringify(asked.body))
      assert.equal(asked.body.errors[0].extensions.code, 'BAD_USER_INPUT')
    }
  })

  test('graphql 14: a fault is told with its place, and nothing of ours', async () => {
    const wrong = await refusal('{\n  articles {\n    nonsense\n  }\n}')
    assert.deepEqual(wrong.error.locations, [{ line: 3, column: 5 }])
    const syntax = await refusal('{\n  articles {')
    assert.equal(syntax.code, 'GRAPHQL_PARSE_FAILED')
    assert.equal(syntax.error.locations[0].line, 2)
    const late = await refusal('{ tags {\n data { id } } articles(locale: "xx") { data { id } } }')
    assert.deepEqual(late.error.locations, [{ line: 2, column: 16 }])
    for (const { body } of [wrong, syntax, late]) {
      assert.ok(!/stack|node_modules|\.ts:/.test(JSON.stringify(body)))
    }
    const subscribed = await refusal('subscription { articles { data { id } } }')
    assert.deepEqual([subscribed.code, subscribed.status], ['GRAPHQL_VALIDATION_FAILED', 400])
  })

  test('graphql 14: of several operations the named one is executed', async () => {
    const query = 'query A { tags { data { id } } } query B { authors { data { id } } }'
    assert.deepEqual(await data(query, { operationName: 'B' }), { authors: { data: [] } })
    for (const operationName of [undefined, 'C']) {
      const asking = operationName === undefined ? {} : { operationName }
      const { code, status } = await refusal(query, asking)
      assert.deepEqual([code, status], ['BAD_USER_INPUT', 400])
    }
  })

  test('graphql 14: what is accepted decides type and status', async () => {
    const cases: [string | undefined, string, number][] = [
      [NEW, NEW, 400],
      ['application/json', 'application/json', 200],
      ['*/*', 'application/json', 400],
      [`${NEW}, application/json;q=0.9`, NEW, 400],
    ]
    for (const [accept, type, refused] of cases) {
      const headers = accept === undefined ? {} : { accept }
      const good = await ask(QUERY, { headers })
      assert.equal(good.status, 200)
      assert.equal(good.headers.get('content-type'), `${type}; charset=utf-8`)
      for (const wrong of [
        '{',
        '{ nothing }',
        'query ($a: Int!) { articles(pagination: { page: $a }) { data { id } } }',
      ]) {
        const { status, headers: told } = await ask(wrong, { headers })
        assert.equal(status, refused, `${accept} ${wrong}`)
        assert.equal(told.get('content-type'), `${type}; charset=utf-8`)
      }
    }
    assert.equal((await ask(QUERY, { headers: { accept: 'image/png' } })).status, 406)
    const page = await fetch(`${api.server().url}/graphql`, { headers: { accept: 'text/html' } })
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(await page.text(), /\/graphql\/connection\/schema\.graphql/)
  })

  test('graphql 14: without a type of the body it is refused, without Accept it is answered as JSON', async () => {
    const { hostname, port } = new URL(api.server().url)
    const send = (headers: Record<string, string>, query: string) =>
      new Promise<{ status: number | undefined; type: string | undefined; text: string }>(
        (resolve, reject) => {
          const options = { hostname, port, path: '/graphql', method: 'POST', headers }
          const sent = request(options, async (answer) => {
            const text = Buffer.concat(await answer.toArray()).toString()
            resolve({ status: answer.statusCode, type: answer.headers['content-type'], text })
          })
          sent.on('error', reject).end(JSON.stringify({ query }))
        },
      )
    const untyped = await send({}, QUERY)
    assert.equal(untyped.status, 415)
    assert.ok(JSON.parse(untyped.text).errors)
    const json = { 'content-type': 'application/json; charset=utf-8' }
    const plain = await send(json, QUERY)
    assert.deepEqual([plain.status, plain.type], [200, 'application/json; charset=utf-8'])
    const wrong = await send(json, '{ nothing }')
    assert.deepEqual([wrong.status, wrong.type], [400, 'application/json; charset=utf-8'])
  })

  test('graphql 14: a request is one of the plan, by the path it used', async (t) => {
    await beginMinute(t, api.server())
    const figures = { name: 'One', requests_per_month: -1, requests_per_minute: 1 }
    const plan = { ...figures, endpoints: ['POST /graphql'] }
    const { data: made } = await api.ok('POST', '/api/v1/plans', { body: plan })
    const body = { plan_id: made.id, access: 'read' }
    const { key } = (await api.ok('POST', '/api/v1/keys', { body })).data
    const other = await ask('{ articles { total } }', { at: '/offset', key })
    assert.equal(other.status, 403)
    assert.equal(other.body.errors[0].extensions.code, 'FORBIDDEN')
    const path = `/graphql?query=${encodeURIComponent(QUERY)}`
    assert.equal((await call('GET', path, { key })).status, 403)
    assert.equal((await ask(QUERY, { key })).status, 200)
    const limited = await ask(QUERY, { key })
    assert.equal(limited.status, 429)
    assert.equal(limited.body.errors[0].extensions.code, 'RATE_LIMITED')
  })

  test('graphql 16: /graphql takes the other shapes; their own endpoints take nothing else', async () => {
    const offset = '{ posts(limit: 2, offset: 0) { items { id } total } }'
    const connection = '{ posts(first: 2) { edges { node { id } } totalCount } }'
    assert.deepEqual((await data(offset)).posts, { items: [], total: 0 })
    assert.deepEqual((await data(connection)).posts, { edges: [], totalCount: 0 })
    const neither = await refusal('{ posts(limit: 2) { edges { id } } }')
    assert.match(neither.error.message, /limit|edges/)
    assert.match(JSON.stringify(neither.body.errors), /PostEntityResponseCollection|Query\.posts/)
    assert.equal((await refusal(connection, { at: '/offset' })).code, 'GRAPHQL_VALIDATION_FAILED')
    assert.equal((await refusal(offset, { at: '/connection' })).code, 'GRAPHQL_VALIDATION_FAILED')
    assert.equal(
      (await refusal(QUERY, { at: '/offset', key: keys.read })).code,
      'GRAPHQL_VALIDATION_FAILED',
    )
  })
})
