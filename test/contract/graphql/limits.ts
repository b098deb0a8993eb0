import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { getIntrospectionQuery } from 'graphql'
import { deep, HOSTILE, many } from './hostile-documents.ts'
import { graphqlSuite } from './support.ts'

export const limits = graphqlSuite('limits of GraphQL', (api) => {
  const { create, createMany, ask, data, refusal, storageReads, ok } = api

  before(async () => {
    const author = await create('authors', { name: 'Ada' })
    const tags = await createMany('tags', [{ name: 'a' }, { name: 'b' }])
    await createMany(
      'articles',
      Array.from({ length: 100 }, (_, at) => ({ title: `A${at}`, author, categories: tags })),
    )
    const { body } = await api.call('GET', '/api/articles?pagination[pageSize]=100')
    await createMany(
      'comments',
      body.data.map(({ id }: { id: number }) => ({ body: 'c', article: id })),
    )
  })

  test('graphql 12: hostile documents are refused before any storage access', async () => {
    await ask('{ articles { data { id } } }')
    for (const [name, { query, code }] of Object.entries(HOSTILE)) {
      const before = await storageReads()
      const refused = await refusal(query)
      assert.equal(refused.code, code, `${name}: ${JSON.stringify(refused.error)}`)
      if (code !== 'BAD_USER_INPUT') assert.equal(refused.status, 400, name)
      assert.equal(await storageReads(), before, name)
    }
  })

  test('graphql 12: what tools ask of introspection is answered', async () => {
    const all = {
      ...{ specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true },
      ...{ inputValueDeprecation: true, oneOf: true },
    }
    for (const options of [{}, all, { ...all, typeDepth: 15 }]) {
      for (const at of ['', '/offset', '/connection']) {
        const { __schema: shown } = await data(getIntrospectionQuery(options), { at })
        assert.ok(shown.types.length > 20)
      }
    }
  })

  test('graphql 12: the cost is told, and one that is too high is refused', async () => {
    const query = `query ($size: Int) { articles(pagination: { pageSize: $size }) {
      data { attributes { author { data { id } } comments(pagination: { pageSize: 100 }) { data { id } } } } } }`
    const { headers, status } = await ask(query, { variables: { size: 10 } })
    assert.equal(status, 200)
    assert.equal(headers.get('x-query-cost'), String(10 * (1 + 1 + 100)))
    assert.equal(headers.get('x-query-cost-limit'), '10000')
    const before = await storageReads()
    const refused = await refusal(query, { variables: { size: 100 } })
    assert.equal(refused.status, 400)
    assert.equal(refused.code, 'QUERY_TOO_COMPLEX')
    assert.equal(refused.error.extensions.cost, 10_200)
    assert.equal(refused.error.extensions.limit, 10_000)
    assert.equal(await storageReads(), before)
    assert.equal((await ask(deep(5))).status, 200)
  })

  test('graphql 12: a page costs what it could show, whichever way it is asked for', async () => {
    const costOf = async (pagination: string) => {
      const { headers } = await ask(
        `{ articles(pagination: ${pagination}) { data { attributes { author { data { id } } } } } }`,
      )
      return Number(headers.get('x-query-cost'))
    }
    assert.equal(await costOf('{ pageSize: 0 }'), 2)
    assert.equal(await costOf('{ limit: 0 }'), 2)
    assert.equal(await costOf('null'), 20)
    assert.equal(await costOf('{ limit: -1 }'), 200)
    assert.equal(await costOf('{ pageSize: 3 }'), 6)
    const told = async (query: string, at = '') =>
      Number((await ask(query, { at })).headers.get('x-query-cost'))
    assert.equal(await told('{ __schema { types { fields { name } } } __typename }'), 0)
    assert.equal(
      await told('{ posts { items { tags { items { name } } author { id } } } }', '/offset'),
      440,
    )
    assert.equal(
      await told('{ posts(last: 3) { edges { node { tags { totalCount } } } } }', '/connection'),
      63,
    )
    assert.equal(
      await told('{ article(id: 1) { data { attributes { seo { id } blocks { id } } } } }'),
      12,
    )
  })

  test('graphql 12: an answer that would be too long is given up, others are shown', async () => {
    await createMany(
      'posts',
      Array.from({ length: 40 }, () => ({ title: 'long', body: 'b'.repeat(1_000) })),
    )
    const inner = (names: number) =>
      `(pagination: { pageSize: 40 }) { data { attributes { ${many(names, (at) => `a${at}: body`)} } } }`
    const { status, body } = await ask(`{ long: posts${inner(1_000)} short: posts${inner(1)} }`)
    assert.equal(status, 200)
    const [error] = body.errors
    assert.deepEqual(error.path, ['long'])
    assert.equal(error.extensions.code, 'QUERY_TOO_COMPLEX')
    assert.equal(body.data.long, null)
    assert.equal(body.data.short.data.length, 40)
  })

  test('graphql 12: filters and orders of any length are answered or refused alike', async () => {
    const query = `query ($filters: ArticleFiltersInput, $sort: [String]) {
      articles(filters: $filters, sort: $sort) { data { id } meta { pagination { total } } } }`
    const filters = (count: number) => ({
      filters: { or: Array.from({ length: count }, (_, at) => ({ title: { eqi: `a${at}` } })) },
    })
    const { articles } = await data(query, { variables: filters(1_000) })
    assert.equal(articles.meta.pagination.total, 100)
    const not = { filters: { not: filters(1_000).filters } }
    assert.equal((await data(query, { variables: not })).articles.meta.pagination.total, 0)
    const before = await storageReads()
    const sort = Array.from({ length: 100_000 }, () => 'title')
    const few = { id: { in: Array.from({ length: 20_000 }, (_, at) => at) } }
    const refusals = {
      'conditions side by side': filters(20_000),
      'one more than the limit': filters(1_001),
      'keys of an order': { sort },
      'keys in one text': { sort: [sort.join()] },
      'too many values': { filters: { and: [few, few] } },
    }
    for (const [name, variables] of Object.entries(refusals)) {
      assert.equal((await refusal(query, { variables })).code, 'BAD_USER_INPUT', name)
    }
    assert.equal(await storageReads(), before)
  })

  test('graphql 13: statements do not grow with the number of articles', async () => {
    const query = (
      size: number,
    ) => `{ articles(pagination: { pageSize: ${size} }) { data { id attributes {
      title author { data { attributes { name } } }
      categories(pagination: { limit: 5 }) { data { attributes { name } } }
      comments(pagination: { limit: 5 }) { data { attributes { body } } } } } meta { pagination { total } } } }`
    const readsFor = async (size: number) => {
      const before = await storageReads()
      const { articles } = await data(query(size))
      assert.equal(articles.data.length, size)
      assert.equal(articles.meta.pagination.total, 100)
      return (await storageReads()) - before
    }
    const few = await readsFor(1)
    assert.equal(await readsFor(100), few)
    assert.ok(few <= 5, `${few} statements`)
  })

  const CHANGED: Readonly<Record<string, { to: unknown; query: string; code: string }>> = {
    introspection: {
      to: false,
      query: '{ __schema { queryType { name } } }',
      code: 'GRAPHQL_VALIDATION_FAILED',
    },
    maxTokens: {
      to: 100,
      query: `{ articles { data { ${many(100, () => 'id')} } } }`,
      code: 'GRAPHQL_PARSE_FAILED',
    },
    maxDepth: { to: 5, query: deep(1), code: 'QUERY_TOO_DEEP' },
    maxHops: { to: 1, query: deep(2), code: 'QUERY_TOO_DEEP' },
    maxAliases: {
      to: 2,
      query: '{ a: tags { data { id } } b: tags { data { id } } c: tags { data { id } } }',
      code: 'QUERY_TOO_COMPLEX',
    },
    maxCost: {
      to: 100,
      query:
        '{ articles(pagination: { pageSize: 100 }) { data { attributes { author { data { id } } } } } }',
      code: 'QUERY_TOO_COMPLEX',
    },
  }

  for (const [name, { to, query, code }] of Object.entries(CHANGED)) {
    test(`graphql 12: the setting ${name} holds at once, and no longer than it is set`, async () => {
      await data(query)
      await ok('PATCH', '/api/v1/settings/graphql', { body: { [name]: to } })
      try {
        const refused = await refusal(query)
        assert.equal(refused.code, code)
        assert.equal(refused.status, 400)
        if (name === 'introspection') {
          assert.equal((await api.call('GET', '/graphql/schema.graphql')).status, 404)
        }
      } finally {
        await ok('PATCH', '/api/v1/settings/graphql', { body: { [name]: null } })
      }
      await data(query)
    })
  }

  test('graphql 12: what takes longer than the setting timeoutMs is given up with TIMEOUT', async () => {
    const inner = `(pagination: { pageSize: 100 }, filters: { title: { notContainsi: $text } }) {
      data { attributes { title author { data { id } } categories(pagination: { limit: 2 }) { data { id } } } } }`
    const query = `query ($text: String) { ${many(20, (at) => `a${at}: articles${inner}`)} }`
    const variables = { text: 'nowhere' }
    await ok('PATCH', '/api/v1/settings/graphql', { body: { timeoutMs: 10, maxCost: 100_000 } })
    try {
      const { status, body } = await ask(query, { variables })
      assert.equal(status, 200)
      const late = body.errors.filter(
        ({ extensions }: { extensions: { code: string } }) => extensions.code === 'TIMEOUT',
      )
      assert.ok(late.length > 0, JSON.stringify(body).slice(0, 300))
      for (const { path, message } of late) {
        assert.match(message, /took too long/)
        assert.equal(body.data[path[0]], null)
      }
    } finally {
      const body = { timeoutMs: null, maxCost: null }
      await ok('PATCH', '/api/v1/settings/graphql', { body })
    }
    await data('{ articles { data { id } } }')
  })

  test('graphql 12: one who asks for all it may leaves room for others', async () => {
    const greedy = `{ articles(pagination: { pageSize: 100 }) { data { attributes { title
      categories(pagination: { limit: 50 }) { data { attributes { name } } }
      comments(pagination: { limit: 40 }) { data { attributes { body } } } } } } }`
    const AT_ONCE = 8
    let answered = 0
    let isDone = false
    const ask100 = async () => {
      while (!isDone) {
        await data(greedy, { key: api.keys.read })
        answered++
      }
    }
    const running = Array.from({ length: AT_ONCE }, ask100)
    const waited: number[] = []
    try {
      while (answered < AT_ONCE) await data('{ tags { data { id } } }')
      for (let no = 0; no < 10; no++) {
        const before = answered
        await data(`{ tags(filters: { name: { ne: "${no}" } }) { data { id } } }`)
        waited.push(answered - before)
      }
    } finally {
      isDone = true
      await Promise.all(running)
    }
    // By what is served meanwhile, not by time: nobody waits for more than those before it.
    assert.ok(Math.max(...waited) <= 2 * AT_ONCE, `${waited} answers of the other in between`)
  })
})
