import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { graphqlSuite } from './support.ts'

export const pages = graphqlSuite(
  'pages of the CMS shape',
  ({ createMany, create, data, refusal, ask, ok, keys }) => {
    before(async () => {
      const tags = await createMany(
        'tags',
        Array.from({ length: 130 }, (_, at) => ({ name: `t${String(at).padStart(3, '0')}` })),
      )
      await create('articles', { title: 'All', categories: tags })
    })

    const page = async (pagination: string) =>
      (
        await data(
          `{ tags(pagination: ${pagination}, sort: "name") { data { attributes { name } } meta { pagination { total page pageSize pageCount } } } }`,
        )
      ).tags

    test('graphql 7: pages by number or start, ten by default, clamped to a hundred, told in pages', async () => {
      const cases: [
        string,
        number,
        string,
        { page: number; pageSize: number; pageCount: number },
      ][] = [
        ['{}', 10, 't000', { page: 1, pageSize: 10, pageCount: 13 }],
        ['null', 10, 't000', { page: 1, pageSize: 10, pageCount: 13 }],
        ['{ limit: -1 }', 100, 't000', { page: 1, pageSize: 100, pageCount: 2 }],
        ['{ limit: 500 }', 100, 't000', { page: 1, pageSize: 100, pageCount: 2 }],
        ['{ pageSize: 500 }', 100, 't000', { page: 1, pageSize: 100, pageCount: 2 }],
        ['{ page: 2, pageSize: 100 }', 30, 't100', { page: 2, pageSize: 100, pageCount: 2 }],
        ['{ start: 20, limit: 20 }', 20, 't020', { page: 2, pageSize: 20, pageCount: 7 }],
      ]
      for (const [pagination, length, first, told] of cases) {
        const { data: items, meta } = await page(pagination)
        assert.equal(items.length, length, pagination)
        assert.equal(items[0].attributes.name, first, pagination)
        assert.deepEqual(meta.pagination, { total: 130, ...told }, pagination)
      }
      const past = await page('{ page: 50 }')
      assert.deepEqual([past.data, past.meta.pagination.total], [[], 130])
    })

    test('graphql 7: numbers of pages and of entries are not mixed', async () => {
      for (const pagination of [
        '{ page: 1, start: 0 }',
        '{ pageSize: 5, limit: 5 }',
        '{ page: 1, limit: 5 }',
        '{ pageSize: 5, start: 5 }',
      ]) {
        const { code, status } = await refusal(
          `{ tags(pagination: ${pagination}) { data { id } } }`,
        )
        assert.deepEqual([code, status], ['BAD_USER_INPUT', 200], pagination)
      }
    })

    test('graphql 7: nested lists are paged alike', async () => {
      const categories = async (args: string) => {
        const query = `{ articles { data { attributes { categories${args} { data { attributes { name } } } } } } }`
        return (await data(query)).articles.data[0].attributes.categories.data
      }
      assert.equal((await categories('')).length, 10)
      assert.equal((await categories('(pagination: { limit: -1 })')).length, 100)
      assert.equal((await categories('(pagination: { pageSize: 500 })')).length, 100)
      const second = await categories('(pagination: { page: 2, pageSize: 3 }, sort: "name")')
      assert.equal(second[0].attributes.name, 't003')
      const mixed = await ask(
        '{ articles { data { attributes { categories(pagination: { page: 1, limit: 5 }) { data { id } } } } } }',
      )
      assert.equal(mixed.body.errors[0].extensions.code, 'BAD_USER_INPUT')
    })

    test('graphql 7: of a page as much is told as is asked for', async () => {
      const { tags } = await data(
        '{ tags(pagination: { page: 2 }) { meta { pagination { page } } } }',
      )
      assert.deepEqual(tags.meta.pagination, { page: 2 })
    })

    test('graphql 9: connections are clamped to a hundred, from either end', async () => {
      const edges = 'edges { node { name } } pageInfo { hasNextPage hasPreviousPage } totalCount'
      const walk = async (args: string) =>
        (await data(`{ tags(${args}, sort: "name") { ${edges} } }`, { at: '/connection' })).tags
      const first = await walk('first: 1000')
      assert.deepEqual(
        [first.edges.length, first.edges[0].node.name, first.pageInfo, first.totalCount],
        [100, 't000', { hasNextPage: true, hasPreviousPage: false }, 130],
      )
      const last = await walk('last: 1000')
      assert.deepEqual(
        [last.edges.length, last.edges[99].node.name, last.pageInfo],
        [100, 't129', { hasNextPage: false, hasPreviousPage: true }],
      )
    })

    test('graphql 4: a number beyond 2^53 arrives and leaves as it is', async () => {
      const key = keys.write
      const big = '9007199254740993'
      const shown = 'data { id attributes { big } }'
      for (const value of [big, `"${big}"`]) {
        const query = `mutation { createSample(data: { big: ${value} }) { ${shown} } }`
        const { createSample } = await data(query, { key })
        assert.equal(createSample.data.attributes.big, big, value)
      }
      const query = `mutation ($big: Long) { createSample(data: { big: $big }) { ${shown} } }`
      const stored = async (value: unknown) =>
        (await data(query, { key, variables: { big: value } })).createSample.data.attributes.big
      assert.equal(await stored(big), big)
      assert.equal(await stored('12'), 12)
      assert.equal(await stored(12), 12)
      for (const value of ['1.5', 'x', 1.5, '99999999999999999999']) {
        const { code } = await refusal(query, { key, variables: { big: value } })
        assert.equal(code, 'BAD_USER_INPUT', String(value))
      }
      const { samples } = await data(
        `{ samples(filters: { big: { eq: ${big} } }) { meta { pagination { total } } } }`,
      )
      assert.equal(samples.meta.pagination.total, 3)
    })

    test('graphql 4: a day is no instant, and of an instant it is the date', async () => {
      const key = keys.write
      const query =
        'mutation ($data: SampleInput!) { createSample(data: $data) { data { attributes { moment day clock } } } }'
      const made = { moment: '2026-05-04T10:20:30.000Z', day: '2026-05-04', clock: '10:20:30.000' }
      const { createSample } = await data(query, { key, variables: { data: made } })
      assert.deepEqual(createSample.data.attributes, made)
      for (const wrong of [{ moment: '2026-05-04' }, { day: '2026-02-30' }, { clock: '25:00' }]) {
        const refused = await refusal(query, { key, variables: { data: wrong } })
        assert.deepEqual(
          [refused.code, refused.status],
          ['BAD_USER_INPUT', 400],
          JSON.stringify(wrong),
        )
      }
      // Content findings 9: in every dialect that writes.
      const sent = await data(query, { key, variables: { data: { day: '2026-05-06T10:20:30Z' } } })
      assert.equal(sent.createSample.data.attributes.day, '2026-05-06')
      const literal = '{ samples(filters: { moment: { gt: "2026-05-04" } }) { data { id } } }'
      assert.equal((await refusal(literal)).code, 'GRAPHQL_VALIDATION_FAILED')
      assert.equal((await ok('GET', '/api/samples?filters[day][$eq]=2026-05-04')).data.length, 1)
    })
  },
)
