import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { beginMinute } from '#test-kit'
import { jsonApiSuite, MEDIA_TYPE } from './support.ts'

const AT = '/subrequests?_format=json'
const ARTICLES = '/jsonapi/node/article'

/** Several requests in one, as next-drupal sends them. */
export const subrequests = jsonApiSuite('subrequests of JSON:API', (jsonApi) => {
  const { server, others, json, ok, create, keys } = jsonApi
  const id = { first: '', second: '', draft: '' }

  before(async () => {
    id.first = await create('node--article', { title: 'First page', rating: 1 })
    id.second = await create('node--article', { title: 'Second "page"', rating: 2 })
    id.draft = await create('node--article', { title: 'Hidden', status: false })
  })

  const router = (path: string) => ({
    requestId: 'router',
    action: 'view',
    uri: `/router/translate-path?path=${path}&_format=json`,
    headers: { Accept: 'application/vnd.api+json' },
  })
  const resolved = {
    requestId: 'resolvedResource',
    action: 'view',
    uri: '{{router.body@$.jsonapi.individual}}?resourceVersion=rel%3Alatest-version',
    waitFor: ['router'],
  }

  async function send(blueprint: unknown, key: string | null = null, path = AT) {
    const { status, body, headers } = await others.call('POST', path, {
      ...{ key, body: blueprint, headers: { 'content-type': MEDIA_TYPE } },
    })
    return { status, body, headers }
  }

  test('jsonapi 19: a page is found by its path in one request, as next-drupal asks', async () => {
    const { status, body } = await send([router('/articles/first-page'), resolved])
    assert.equal(status, 207, JSON.stringify(body))
    const found = body['resolvedResource#uri{0}']
    assert.equal(JSON.parse(found.body).data.id, id.first)
    assert.deepEqual(found.headers['content-type'], [MEDIA_TYPE])
    assert.deepEqual(found.headers.status, [200])
    assert.deepEqual(body.router.headers['content-id'], ['<router>'])
  })

  test('jsonapi 19: one that fails fails alone, and what waits for it says why', async () => {
    const { status, body } = await send([
      router('/articles/nowhere'),
      resolved,
      { requestId: 'list', action: 'view', uri: `${ARTICLES}?sort=nope` },
      { requestId: 'one', action: 'view', uri: `${ARTICLES}/${id.first}` },
      { requestId: 'elsewhere', action: 'view', uri: 'https://example.org/jsonapi' },
      { requestId: 'itself', action: 'view', uri: '/subrequests' },
      { requestId: 'draft', action: 'view', uri: `${ARTICLES}/${id.draft}` },
    ])
    assert.equal(status, 207)
    const statusOf = (name: string) => body[name].headers.status[0]
    assert.equal(statusOf('router'), 404)
    assert.ok(JSON.parse(body.router.body).message)
    assert.equal(body['resolvedResource#uri{0}'], undefined)
    assert.equal(statusOf('resolvedResource'), 424)
    assert.equal(statusOf('list'), 400)
    assert.equal(statusOf('one'), 200)
    assert.equal(statusOf('elsewhere'), 404)
    assert.equal(statusOf('itself'), 404)
    assert.equal(statusOf('draft'), 401)
  })

  test('jsonapi 19: tokens make a request for each value, and writes take values of others', async () => {
    const { body } = await send(
      [
        { requestId: 'all', action: 'view', uri: `${ARTICLES}?sort=rating&page[limit]=2` },
        {
          requestId: 'each',
          action: 'view',
          uri: `${ARTICLES}/{{all.body@$.data[*].id}}`,
          waitFor: ['all'],
        },
        {
          requestId: 'copy',
          action: 'create',
          uri: ARTICLES,
          headers: { 'Content-Type': MEDIA_TYPE },
          body: JSON.stringify({
            data: {
              type: 'node--article',
              attributes: { title: 'Of {{all.body@$.data[1].attributes.title}}' },
            },
          }),
          waitFor: ['all'],
        },
        {
          requestId: 'gone',
          action: 'delete',
          uri: '{{copy.headers@$.location}}',
          waitFor: ['copy'],
        },
        {
          requestId: 'check',
          action: 'exists',
          uri: '{{copy.headers@$.location}}',
          waitFor: ['gone', 'copy'],
        },
      ],
      keys.write,
    )
    assert.equal(JSON.parse(body['each#uri{0}'].body).data.id, id.first)
    assert.equal(JSON.parse(body['each#uri{1}'].body).data.id, id.second)
    const made = JSON.parse(body['copy#body{0}'].body)
    assert.equal(made.data?.attributes.title, 'Of Second "page"', JSON.stringify(made))
    assert.equal(body['gone#uri{0}'].headers.status[0], 204)
    assert.equal(body['check#uri{0}'].headers.status[0], 404)
  })

  test('jsonapi 19: tokens beside each other make no more requests than may be sent', async () => {
    const paths = ['$..href', "$..['href']", '$..["href"]', '$.links..href', "$.links..['href']"]
    const uri = `/jsonapi/none?${paths.map((path) => `{{root.body@${path}}}`).join('&')}`
    const { status, body } = await send([
      { requestId: 'root', action: 'view', uri: '/jsonapi' },
      { requestId: 'each', action: 'view', uri, waitFor: ['root'] },
      { requestId: 'last', action: 'view', uri: ARTICLES, waitFor: ['each'] },
    ])
    assert.equal(status, 207, JSON.stringify(body))
    const answers = new Map<string, { headers: { status: number[] } }>(Object.entries(body))
    const statusOf = (name: string) => answers.get(name)?.headers.status[0]
    assert.equal(statusOf('each#uri{98}'), 404)
    assert.equal(statusOf('each#uri{99}'), 413)
    assert.equal(statusOf('last'), 413)
    assert.equal(answers.size, 102)
  })

  test('jsonapi 19: a text with very many tokens is not sent, a value that looks like a token is none', async () => {
    const titled = await create('node--article', { title: '{{all.body@$.data[0].id}}', rating: 9 })
    const tokens = Array.from({ length: 11 }, (_, at) => `{{all.body@$.data[${at}].id}}`)
    const { body } = await send([
      { requestId: 'all', action: 'view', uri: `${ARTICLES}?sort=-rating` },
      { requestId: 'many', action: 'view', uri: `${ARTICLES}?a=${tokens.join('')}` },
      {
        requestId: 'odd',
        action: 'view',
        uri: '/jsonapi/{{all.body@$.data[0].attributes.title}}/{{all.body@$.data[0].id}}',
      },
    ])
    assert.equal(body.many.headers.status[0], 424)
    const [answer] = Object.keys(body).filter((name) => name.startsWith('odd#'))
    assert.equal(body[answer ?? ''].headers.status[0], 404)
    assert.ok(!body[answer ?? ''].body.includes(`/jsonapi/${titled}`), body[answer ?? ''].body)
    await ok('DELETE', `${ARTICLES}/${titled}`)
  })

  test('jsonapi 19: each is admitted, limited and counted by itself', async (t) => {
    await beginMinute(t, server())
    const view = { action: 'view', uri: `${ARTICLES}/${id.first}` }
    const bad = await send(
      [{ ...view, headers: { 'X-API-Key': 'sk_live_wrong' } }, view],
      keys.read,
    )
    assert.deepEqual(
      ['request-1', 'request-2'].map((name) => bad.body[name].headers.status[0]),
      [401, 200],
    )
    const figures = { name: 'Two a minute', requests_per_month: -1, requests_per_minute: 2 }
    const plan = (await json('POST', '/api/v1/plans', figures)).data
    const asked = { plan_id: plan.id, access: 'read' }
    const { key } = (await json('POST', '/api/v1/keys', asked)).data
    const { body } = await send([view, view, view], key)
    const statuses = [1, 2, 3].map((at) => body[`request-${at}`].headers.status[0])
    assert.deepEqual(statuses, [200, 200, 429])
    const create = {
      ...view,
      action: 'create',
      uri: ARTICLES,
      headers: { 'content-type': MEDIA_TYPE },
      body: {},
    }
    const refused = await send([create], keys.read)
    assert.equal(refused.body['request-1'].headers.status[0], 403)
  })

  test('jsonapi 19: without _format the answers are parts of one, and GET takes reads', async () => {
    const view = { requestId: 'a', action: 'view', uri: `${ARTICLES}/${id.first}` }
    const blueprint = JSON.stringify([view, { ...view, requestId: 'b', action: 'exists' }])
    const answer = await fetch(`${server().url}/subrequests`, { method: 'POST', body: blueprint })
    assert.equal(answer.status, 207)
    const [, boundary = ''] =
      /boundary="([^"]+)"/.exec(answer.headers.get('content-type') ?? '') ?? []
    const text = await answer.text()
    const [start, first = '', second = '', end] = text.split(`--${boundary}`)
    assert.equal(start, '')
    assert.match(first, /content-id: <a>\r\nstatus: 200\r\n\r\n\{"jsonapi"/)
    assert.match(second, /content-id: <b>/)
    assert.equal(end, '--\r\n')
    const query = `query=${encodeURIComponent(blueprint)}&_format=json`
    const got = await others.call('GET', `/subrequests?${query}`, { key: null })
    assert.equal(got.status, 207)
    assert.equal(JSON.parse(got.body.a.body).data.id, id.first)
    const write = encodeURIComponent(JSON.stringify([{ ...view, action: 'delete' }]))
    assert.equal((await others.call('GET', `/subrequests?query=${write}`)).status, 400)
  })

  test('jsonapi 19: a blueprint that cannot be carried out is 400 with the place of each fault', async () => {
    const view = (more: object = {}) => ({ action: 'view', uri: ARTICLES, ...more })
    const chain = Array.from({ length: 6 }, (_, at) =>
      view({ requestId: `r${at}`, ...(at > 0 && { waitFor: [`r${at - 1}`] }) }),
    )
    for (const [blueprint, pointer] of [
      [{}, ''],
      [[], ''],
      [Array.from({ length: 51 }, () => view()), ''],
      [[view(), { action: 'look', uri: ARTICLES }], '/1/action'],
      [[view({ uri: 5 })], '/0/uri'],
      [[view({ waitFor: ['nobody'] })], '/0/waitFor'],
      [[view({ requestId: 'a' }), view({ requestId: 'a' })], '/1/requestId'],
      [
        [view({ requestId: 'a', waitFor: ['b'] }), view({ requestId: 'b', waitFor: ['a'] })],
        '/0/waitFor',
      ],
      [[view({ headers: { 'X-Forwarded-For': '10.0.0.1' } })], '/0/headers'],
      [chain, '/5/waitFor'],
    ] as const) {
      const { status, body } = await send(blueprint)
      assert.equal(status, 400, JSON.stringify(body))
      assert.equal(body.errors[0].source.pointer, pointer, JSON.stringify(body))
      assert.ok(body.message)
    }
    const answer = await fetch(`${server().url}/subrequests`, { method: 'POST', body: 'nope' })
    assert.equal(answer.status, 400)
    assert.equal((await send(chain.slice(0, 5))).status, 207)
    // Followed again for each time that it is named, this would take hours.
    const often = chain.slice(0, 5).map((request) => {
      const { waitFor = [] } = { waitFor: [], ...request }
      return { ...request, waitFor: waitFor.flatMap((name) => Array(20_000).fill(name)) }
    })
    assert.equal((await send(often)).status, 207)
  })
})
