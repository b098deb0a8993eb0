import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { graphqlSuite } from './support.ts'

const at = '/connection'
const PAGE = `edges { cursor node { databaseId title } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`
const WALK = `query ($first: Int, $after: String, $last: Int, $before: String, $sort: String) {
  posts(first: $first, after: $after, last: $last, before: $before, sort: $sort) { ${PAGE} totalCount }
}`

interface Page {
  readonly edges: { cursor: string; node: { databaseId: number; title: string } }[]
  readonly pageInfo: {
    hasNextPage: boolean
    hasPreviousPage: boolean
    startCursor: string | null
    endCursor: string | null
  }
  readonly totalCount: number
}

export const connections = graphqlSuite('cursor connections', (api) => {
  const { create, createMany, call, data, refusal } = api

  before(async () => {
    const tags = await createMany(
      'tags',
      Array.from({ length: 30 }, (_, index) => ({ name: `t${index % 3}` })),
    )
    const ada = await create('authors', { name: 'Ada' })
    await createMany(
      'posts',
      Array.from({ length: 40 }, (_, index) => ({
        ...{ title: `Title ${index % 4}`, author: ada },
        ...(index < 2 ? { tags: tags.slice(index) } : {}),
      })),
    )
  })

  const page = async (variables: object): Promise<Page> =>
    (await data(WALK, { at, variables })).posts

  const idsOf = ({ edges }: Page) => edges.map(({ node }) => node.databaseId)

  for (const sort of [null, 'title:desc']) {
    test(`graphql 8: walking forward and backward meets each entry once (${sort ?? 'by id'})`, async () => {
      const forward: number[] = []
      const added: number[] = []
      let after: string | null = null
      for (let more = true; more; ) {
        const found: Page = await page({ first: 7, after, sort })
        assert.equal(found.pageInfo.hasPreviousPage, after !== null)
        forward.push(...idsOf(found))
        after = found.pageInfo.endCursor
        more = found.pageInfo.hasNextPage
        // Before the position, so it is not met; and the entry at the position itself is removed.
        if (forward.length === 14) {
          added.push(await create('posts', { title: 'Title 9' }))
          await call('DELETE', `/api/posts/${forward[13]}`)
        }
      }
      const backward: number[] = []
      let before: string | null = null
      for (let more = true; more; ) {
        const found: Page = await page({ last: 7, before, sort })
        assert.equal(found.pageInfo.hasNextPage, before !== null)
        backward.unshift(...idsOf(found))
        before = found.pageInfo.startCursor
        more = found.pageInfo.hasPreviousPage
      }
      assert.equal(new Set(forward).size, forward.length)
      const isKept = (id: number) => id !== forward[13] && !added.includes(id)
      assert.deepEqual(backward.filter(isKept), forward.filter(isKept))
      for (const id of added) await call('DELETE', `/api/posts/${id}`)
    })
  }

  test('graphql 9: sizes at their limits, both directions, nulls and alien cursors', async () => {
    const all = await page({ first: 1000 })
    const ids = idsOf(all)
    const count = ids.length
    assert.equal(all.totalCount, count)
    const none = await page({ first: 0 })
    assert.deepEqual(
      [none.edges, none.pageInfo.startCursor, none.pageInfo.endCursor],
      [[], null, null],
    )
    assert.equal(none.pageInfo.hasNextPage, true)
    assert.equal(none.pageInfo.hasPreviousPage, false)
    assert.deepEqual(idsOf(await page({ first: 5, last: 2 })), ids.slice(3, 5))
    assert.equal((await page({ first: 5, last: 2 })).pageInfo.hasPreviousPage, true)
    const nulls = { first: null, after: null, last: null, before: null, sort: null }
    assert.deepEqual(idsOf(await page(nulls)), ids.slice(0, 20))
    const [second, tenth] = [all.edges[1]?.cursor, all.edges[9]?.cursor]
    const between = await page({ after: second, before: tenth })
    assert.deepEqual(idsOf(between), ids.slice(2, 9))
    assert.deepEqual(
      [between.pageInfo.hasNextPage, between.pageInfo.hasPreviousPage, between.totalCount],
      [true, true, count],
    )
    const crossed = await page({ after: tenth, before: second })
    assert.deepEqual([crossed.edges, crossed.totalCount], [[], count])
    const end = await page({ after: all.pageInfo.endCursor })
    assert.deepEqual(
      [end.edges, end.pageInfo.hasNextPage, end.pageInfo.hasPreviousPage, end.totalCount],
      [[], false, true, count],
    )
    const bad = [
      { first: -1 },
      { last: -1 },
      { after: 'nonsense' },
      { after: second, sort: 'title' },
    ]
    for (const variables of bad) {
      const { code, body } = await refusal(WALK, { at, variables })
      assert.equal(code, 'BAD_USER_INPUT', JSON.stringify(variables))
      assert.equal(body.data, null)
    }
  })

  test('graphql 9: a cursor is of one list: those of other types and of relations are refused', async () => {
    const cursorOf = async (query: string) => (await data(query, { at })).posts.edges[0].cursor
    const own = await cursorOf('{ posts(first: 1) { edges { cursor } } }')
    assert.match(own, /^[\w~.-]+$/)
    const { tags } = await data('{ tags(first: 1) { edges { cursor } } }', { at })
    const { posts } = await data(
      '{ posts(first: 1, sort: "id") { edges { node { tags(first: 1) { edges { cursor } } } } } }',
      { at },
    )
    const related = posts.edges[0].node.tags.edges[0].cursor
    const list = (name: string, args: string) => `{ ${name}(${args}) { totalCount } }`
    for (const query of [
      list('tags', `after: "${own}"`),
      list('tags', `before: "${own}"`),
      list('posts', `after: "${tags.edges[0].cursor}"`),
      list('tags', `after: "${related}"`),
      list('posts', `after: "${own}x"`),
      list('posts', 'after: ""'),
    ]) {
      assert.equal((await refusal(query, { at })).code, 'BAD_USER_INPUT', query)
    }
    assert.ok(await data(list('posts', `after: "${own}"`), { at }))
  })

  test('graphql 9: a cursor that was changed by hand is refused, whatever it holds', async () => {
    await create('samples', { name: 'one', big: '1' })
    const forged = async (sort: string, value: string) => {
      const list = (more: string) => `{ samples(sort: "${sort}" ${more}) { edges { cursor } } }`
      const { samples } = await data(list('first: 1'), { at })
      const [tag, , id] = JSON.parse(Buffer.from(samples.edges[0].cursor, 'base64url').toString())
      const cursor = Buffer.from(JSON.stringify([tag, value, id])).toString('base64url')
      return (await refusal(list(`after: "${cursor}"`), { at })).code
    }
    assert.equal(await forged('name', 'a\0'), 'BAD_USER_INPUT')
    assert.equal(await forged('name', '\ud800'), 'BAD_USER_INPUT')
    assert.equal(await forged('documentId', 'a\0'), 'BAD_USER_INPUT')
    assert.equal(await forged('big', '9999999999999999999'), 'BAD_USER_INPUT')
  })

  test('graphql 9: connections below an entry walk as those of the root do', async () => {
    const query = `query ($after: String, $before: String, $first: Int, $last: Int, $sort: String) {
      posts(first: 3, sort: "id") { edges { node { databaseId
        tags(first: $first, after: $after, last: $last, before: $before, sort: $sort) {
          edges { cursor node { databaseId name } } totalCount
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } } }`
    const tagsOf = async (variables: object, of = 0) => {
      const { posts } = await data(query, { at, variables })
      return posts.edges[of].node.tags
    }
    for (const sort of [null, 'name:desc']) {
      const seen: number[] = []
      let after: string | null = null
      for (let more = true; more; ) {
        const found = await tagsOf({ first: 7, after, sort })
        assert.equal(found.totalCount, 30)
        assert.equal(found.pageInfo.hasPreviousPage, after !== null)
        seen.push(
          ...found.edges.map(({ node }: { node: { databaseId: number } }) => node.databaseId),
        )
        after = found.pageInfo.endCursor
        more = found.pageInfo.hasNextPage
      }
      assert.equal(new Set(seen).size, 30)
      const back = await tagsOf({ last: 4, before: after, sort })
      assert.deepEqual(
        back.edges.map(({ node }: { node: { databaseId: number } }) => node.databaseId),
        seen.slice(25, 29),
      )
      assert.deepEqual([back.pageInfo.hasNextPage, back.pageInfo.hasPreviousPage], [true, true])
    }
    const both = await tagsOf({ first: 5, last: 2 })
    assert.equal(both.edges.length, 2)
    assert.equal(both.pageInfo.hasPreviousPage, true)
    const none = await tagsOf({ first: 0 })
    assert.deepEqual([none.edges, none.totalCount, none.pageInfo.hasNextPage], [[], 30, true])
    const empty = await tagsOf({ first: 5 }, 2)
    assert.deepEqual([empty.edges, empty.totalCount, empty.pageInfo.hasNextPage], [[], 0, false])
    const { code } = await refusal(query, { at, variables: { after: 'nonsense' } })
    assert.equal(code, 'BAD_USER_INPUT')
  })

  test('graphql 11: global ids are taken wherever an id is, and node finds what they name', async () => {
    const { posts } = await data(
      '{ posts(first: 1) { edges { node { id databaseId documentId authorId author { id } } } } }',
      { at },
    )
    const { id, databaseId, documentId, authorId, author } = posts.edges[0].node
    assert.equal(authorId, author.id)
    for (const given of [id, databaseId, documentId]) {
      assert.deepEqual(await data(`{ post(id: "${given}") { id } }`, { at }), { post: { id } })
    }
    assert.deepEqual(await data(`{ post(id: "${author.id}") { id } }`, { at }), { post: null })
    const refetch = `query ($id: ID!) { node(id: $id) { __typename id ... on Author { name } } }`
    assert.deepEqual(await data(refetch, { at, variables: { id: author.id } }), {
      node: { __typename: 'Author', id: author.id, name: 'Ada' },
    })
    assert.deepEqual(await data(refetch, { at, variables: { id: 'nonsense' } }), { node: null })
    const filtered = 'query ($id: ID) { posts(filter: { authorId: $id }) { totalCount } }'
    const total = (await data(filtered, { at, variables: { id: author.id } })).posts.totalCount
    assert.ok(total > 0)
    assert.equal((await refusal(filtered, { at, variables: { id } })).code, 'BAD_USER_INPUT')
  })
})
