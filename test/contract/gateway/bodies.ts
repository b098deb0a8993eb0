import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { before, test } from 'node:test'
import { assertPrompt } from '#test-kit'
import { echo, gatewaySuite, sendRaw, startUpstream, type Upstream } from './support.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'content-type': 'application/json' }

/** What is decided by the body of a request (contract §4.2, request-validation). */
export const bodies = gatewaySuite('bodies', ({ admin, put, send, server }) => {
  let plain: Upstream
  let special: Upstream

  before(async () => {
    plain = await startUpstream()
    special = await startUpstream((request, response) => {
      response.setHeader('x-special', '1')
      echo(request, response)
    })
    await put('/upstreams/plain', { nodes: { [plain.node]: 1 } })
    await put('/upstreams/special', { nodes: { [special.node]: 1 } })
  })

  const post = async (path: string, body: string | Buffer, headers: object = FORM) => {
    const answer = await send(path, { method: 'POST', body, headers: { ...headers } })
    const text = await answer.text()
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
    const parsed: any = text.startsWith('{') ? JSON.parse(text) : text
    const { status, headers: told } = answer
    const id = told.get('x-request-id')
    return { status, id, isSpecial: told.has('x-special'), body: parsed }
  }
  const byBody = (id: string, vars: unknown[]) =>
    put(`/routes/${id}`, { uri: `/${id}`, vars, priority: 1, upstream_id: 'special' })

  test('expectation: who is refused before the body is looked at need not send it', async () => {
    await put('/routes/guarded-body', {
      ...{ uri: '/guarded-body', upstream_id: 'plain' },
      plugins: {
        'key-auth': {},
        'serverless-pre-function': { body: true, functions: ['(conf, ctx) => {}'] },
      },
    })
    const head = `POST /guarded-body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`
    const text = `${head}Content-Length: 7\r\nExpect: 100-continue\r\n\r\n`
    assert.match(await sendRaw(server().gatewayUrl, text), /^HTTP\/1\.1 401 /)
  })

  test('gateway 13: a route is chosen by a member of the form, and the body arrives unchanged', async () => {
    await put('/routes/form-plain', { uri: '/form', upstream_id: 'plain' })
    await byBody('form', [['post_arg_version', '==', '2']])
    const second = await post('/form', 'a=b&version=2&version=3')
    assert.equal(second.isSpecial, true)
    assert.equal(second.body.body, 'a=b&version=2&version=3')
    assert.equal((await post('/form', 'version=1')).isSpecial, false)
    assert.equal(
      (await post('/form', 'version=2', { 'content-type': 'text/plain' })).isSpecial,
      false,
    )
    assert.equal(
      (await post('/form', 'version=2', { ...FORM, 'content-encoding': 'gzip' })).isSpecial,
      false,
    )
    assert.equal((await send('/form')).headers.has('x-special'), false)

    const filler = randomBytes(1_500_000).toString('hex')
    const large = await post('/form', `version=2&filler=${filler}`)
    assert.equal(large.isSpecial, false, 'a body that is too large has no variables')
    const hash = (text: string) => createHash('sha256').update(text).digest('hex')
    assert.equal(hash(large.body.body), hash(`version=2&filler=${filler}`))
    const stream = ReadableStream.from([Buffer.from('version='), Buffer.from('2&x=1')])
    const chunked = await send('/form', {
      method: 'POST',
      body: stream,
      headers: FORM,
      duplex: 'half',
    } as RequestInit)
    assert.equal(chunked.headers.has('x-special'), true)
    assert.equal(JSON.parse(await chunked.text()).body, 'version=2&x=1')
    const pieces = ReadableStream.from(
      ['version=2&x=', filler, filler].map((text) => Buffer.from(text)),
    )
    const streamed = await send('/form', {
      method: 'POST',
      body: pieces,
      headers: FORM,
      duplex: 'half',
    } as RequestInit)
    assert.equal(streamed.headers.has('x-special'), false)
    assert.equal(
      hash(JSON.parse(await streamed.text()).body),
      hash(`version=2&x=${filler}${filler}`),
    )
  })

  test('gateway 13: operation, name and root fields of GraphQL are variables', async () => {
    await put('/routes/gql-plain', { uri: '/gql', upstream_id: 'plain' })
    const ask = (query: string, more = {}) =>
      post('/gql', JSON.stringify({ query, ...more }), JSON_TYPE)
    await byBody('gql', [['graphql_operation', '==', 'mutation']])
    assert.equal((await ask('mutation { save }')).isSpecial, true)
    assert.equal((await ask('{ save }')).isSpecial, false)
    await byBody('gql', [['graphql_name', '==', 'Mine']])
    const both = 'query Mine { a } query Other { b }'
    assert.equal((await ask(both, { operationName: 'Mine' })).isSpecial, true)
    assert.equal((await ask(both, { operationName: 'Other' })).isSpecial, false)
    await byBody('gql', [['graphql_root_fields', 'has', 'owner']])
    assert.equal((await ask('{ x: owner(id: 1) { name } other }')).isSpecial, true)
    assert.equal((await ask('{ thing { owner } }')).isSpecial, false)
    const raw = await post('/gql', '{ owner }', { 'content-type': 'application/graphql' })
    assert.equal(raw.isSpecial, true)
    assert.equal((await post('/gql', 'not json', JSON_TYPE)).isSpecial, false)
  })

  test('gateway 27: variables of the body serve plugins too', async () => {
    const split = {
      'traffic-split': {
        rules: [
          {
            match: [{ vars: [['post_arg_beta', '==', '1']] }],
            weighted_upstreams: [{ upstream_id: 'special' }],
          },
        ],
      },
    }
    await put('/routes/body-split', { uri: '/body-split', upstream_id: 'plain', plugins: split })
    const beta = await post('/body-split', 'beta=1')
    assert.deepEqual([beta.isSpecial, beta.body.body], [true, 'beta=1'])
    assert.equal((await post('/body-split', 'beta=0')).isSpecial, false)
    const set = { 'X-Tenant': '$post_arg_tenant', 'X-Op': '$graphql_operation' }
    const plugins = { 'proxy-rewrite': { headers: { set } } }
    await put('/routes/body-header', { uri: '/body-header', upstream_id: 'plain', plugins })
    assert.equal((await post('/body-header', 'tenant=t1')).body.headers['x-tenant'], 't1')
    const { status } = await admin('PUT', '/routes/bad', {
      body: { uri: '/bad', upstream_id: 'plain', vars: [['graphql_unknown', '==', 'x']] },
    })
    assert.equal(status, 400)
  })

  test('request-validation: headers and bodies that do not fit are refused before the upstream', async () => {
    const settings = {
      header_schema: {
        type: 'object',
        required: ['X-Tenant'],
        properties: { 'X-Tenant': { type: 'string', pattern: '^t[0-9]+$' } },
      },
      body_schema: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', minLength: 2 }, age: { type: 'integer' } },
      },
    }
    const guard = (more: object) =>
      put('/routes/valid', {
        uri: '/valid',
        upstream_id: 'plain',
        plugins: { 'request-validation': { ...settings, ...more } },
      })
    await guard({})
    const tenant = { ...JSON_TYPE, 'x-tenant': 't1' }
    const good = await post('/valid', '{"name":"ann","age":3}', tenant)
    assert.equal(good.status, 200)
    assert.equal(good.body.body, '{"name":"ann","age":3}')
    const seen = plain.seen.length
    const short = await post('/valid', '{"name":"a"}', tenant)
    assert.equal(short.status, 400)
    assert.match(short.body.error_msg, /body is not valid: \/name must have at least 2 characters/)
    const noTenant = await post('/valid', '{"name":"ann"}', JSON_TYPE)
    assert.match(noTenant.body.error_msg, /headers are not valid: \/x-tenant is required/)
    assert.equal((await post('/valid', '{"name":', tenant)).status, 400)
    assert.equal((await post('/valid', '', tenant)).status, 400)
    const large = await post('/valid', `{"name":"${'x'.repeat(1_100_000)}"}`, tenant)
    assert.deepEqual([large.status, large.body.code], [413, 'payload_too_large'])
    for (const { body, id } of [short, noTenant, large]) assert.equal(body.request_id, id)
    assert.equal(plain.seen.length, seen)
    const form = await post('/valid', 'name=ann', { ...FORM, 'x-tenant': 't2' })
    assert.equal(form.status, 200)
    await guard({ rejected_code: 422, rejected_msg: 'please read the manual' })
    const own = await post('/valid', '{}', tenant)
    assert.deepEqual([own.status, own.body], [422, 'please read the manual'])
    for (const [wrong, path] of [
      [{}, /one of header_schema and body_schema/],
      [{ body_schema: { type: 'thing' } }, /body_schema\/type/],
      [{ body_schema: { properties: { a: { pattern: '(a+)+(?=b)' } } } }, /pattern/],
      [{ body_schema: { unknownKeyword: 1 } }, /unknownKeyword/],
      [{ body_schema: {}, rejected_code: 99 }, /rejected_code/],
    ] as const) {
      const body = { uri: '/bad', upstream_id: 'plain', plugins: { 'request-validation': wrong } }
      const answer = await admin('PUT', '/routes/bad', { body })
      assert.equal(answer.status, 400)
      assert.match(answer.body.error_msg, path)
    }
  })

  test('request-validation: hostile schemas and bodies do not hold up a thread', async () => {
    const node = {
      anyOf: [
        { $ref: '#/$defs/n' },
        { $ref: '#/$defs/n' },
        { type: 'array', items: { $ref: '#/$defs/n' } },
      ],
    }
    const schema = { $defs: { n: node }, $ref: '#/$defs/n' }
    const pattern = { properties: { text: { pattern: '^(a|aa|a.a){1,200}$' } } }
    for (const body_schema of [schema, pattern]) {
      const plugins = { 'request-validation': { body_schema } }
      await put('/routes/hostile', { uri: '/hostile', upstream_id: 'plain', plugins })
      const began = performance.now()
      const { status } = await post(
        '/hostile',
        JSON.stringify({ text: 'a'.repeat(900_000) }),
        JSON_TYPE,
      )
      const tookMs = performance.now() - began
      assert.equal(status, 400)
      assertPrompt(tookMs, 3_000)
    }
  })

  test('request-validation: a body that is nested too deep is refused, and never answered with 500', async () => {
    const plugins = { 'request-validation': { body_schema: { uniqueItems: true } } }
    await put('/routes/deep', { uri: '/deep', upstream_id: 'plain', plugins })
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
    for (const [body, expected] of [
      [nested(100), 200],
      [nested(101), 400],
      [nested(400_000), 400],
      [`${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`, 400],
      [JSON.stringify([`"${'['.repeat(200)}\\`]), 200],
      [JSON.stringify(Array.from({ length: 500 }, (_, n) => [n])), 200],
    ] as const) {
      const { status } = await post('/deep', body, JSON_TYPE)
      assert.equal(status, expected, body.slice(0, 40))
    }
  })
})
