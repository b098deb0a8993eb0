import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { graphqlSuite } from './support.ts'

const at = '/offset'

export const lists = graphqlSuite(
  'lists by offset',
  ({ create, createMany, data, refusal, ok, keys }) => {
    let ada = 0

    before(async () => {
      ada = await create('authors', { name: 'Ada' })
      const tags = await createMany(
        'tags',
        Array.from({ length: 25 }, (_, index) => ({ name: `t${String(index).padStart(2, '0')}` })),
      )
      await createMany(
        'posts',
        Array.from({ length: 130 }, (_, index) => ({
          title: `Post ${String(index).padStart(3, '0')}`,
          ...(index % 2 === 0 ? { author: ada } : {}),
          ...(index === 0 ? { tags } : {}),
        })),
      )
    })

    const page = async (args: string) =>
      (await data(`{ posts(${args}) { items { id } total limit offset hasNextPage } }`, { at }))
        .posts

    test('graphql 7: limits are clamped and the end of a list is exact', async () => {
      const large = await page('limit: 500')
      assert.equal(large.items.length, 100)
      assert.deepEqual(
        [large.limit, large.total, large.offset, large.hasNextPage],
        [100, 130, 0, true],
      )
      assert.equal((await page('limit: 30, offset: 100')).hasNextPage, false)
      assert.equal((await page('limit: 30, offset: 99')).hasNextPage, true)
      const none = await page('limit: 0')
      assert.deepEqual([none.items, none.total, none.hasNextPage], [[], 130, true])
      const past = await page('offset: 500')
      assert.deepEqual([past.items, past.total, past.hasNextPage], [[], 130, false])
      const byDefault = await page('limit: null, offset: null')
      assert.deepEqual([byDefault.items.length, byDefault.limit, byDefault.offset], [20, 20, 0])
      for (const args of ['limit: -1', 'offset: -1']) {
        const { code, body } = await refusal(`{ posts(${args}) { total } }`, { at })
        assert.equal(code, 'BAD_USER_INPUT')
        assert.equal(body.data, null)
      }
    })

    test('graphql 7: entries are flat, with the ids of what they refer to', async () => {
      const query = `{ posts(sort: "title:desc", limit: 2, filter: { authorId: ${ada} }) {
      items { id documentId title author { id name } authorId createdAt } } }`
      const { posts } = await data(query, { at })
      const [first] = posts.items
      assert.equal(first.title, 'Post 128')
      assert.deepEqual(first.author, { id: String(ada), name: 'Ada' })
      assert.equal(first.authorId, String(ada))
      const one = await data(
        `{ post(id: "${first.documentId}") { id title } none: post(id: 9999) { id } }`,
        { at },
      )
      assert.deepEqual(one, { post: { id: first.id, title: 'Post 128' }, none: null })
    })

    test('graphql 7: several orders in one text, languages, and singles without arguments', async () => {
      const sorted = async (sort: string) =>
        (await data(`{ posts(limit: 2, sort: "${sort}") { items { title authorId } } }`, { at }))
          .posts.items
      assert.deepEqual((await sorted('author.name:desc,title:desc'))[0].authorId, String(ada))
      assert.equal((await sorted('title:desc,id'))[0].title, 'Post 129')
      const id = await create('articles', { title: 'Hello' })
      await ok('POST', `/api/articles/${id}/localizations`, {
        body: { locale: 'fr', title: 'Salut' },
      })
      for (const [at, items] of [
        ['/offset', 'items { title }'],
        ['/connection', 'edges { node { title } }'],
      ] as const) {
        const shown = await data(`{ articles(locale: "fr") { ${items} } }`, { at })
        assert.match(JSON.stringify(shown), /Salut/)
        assert.doesNotMatch(JSON.stringify(shown), /Hello/)
        assert.equal(
          (await refusal(`{ articles(locale: "xx") { ${items} } }`, { at })).code,
          'BAD_USER_INPUT',
        )
        const title = `at ${at}`
        const change = 'mutation ($data: HomepageInput!) { updateHomepage(data: $data) { title } }'
        await data(change, { at, key: keys.write, variables: { data: { title } } })
        assert.deepEqual(await data('{ homepage { title } }', { at }), { homepage: { title } })
        assert.deepEqual(await data('{ homepage(locale: "fr") { title } }', { at }), {
          homepage: null,
        })
      }
    })

    test('graphql 7: nested lists page by themselves and are counted', async () => {
      const query = `{ post(id: 1) {
      tags(limit: 5, offset: 3, sort: "name:desc") { items { name } total limit offset hasNextPage }
      none: tags(limit: 0) { items { name } total hasNextPage }
      end: tags(limit: 5, offset: 20) { total hasNextPage }
    } }`
      const { post } = await data(query, { at })
      assert.deepEqual(
        post.tags.items.map(({ name }: { name: string }) => name),
        ['t21', 't20', 't19', 't18', 't17'],
      )
      assert.deepEqual([post.tags.total, post.tags.limit, post.tags.offset], [25, 5, 3])
      assert.deepEqual(post.none, { items: [], total: 25, hasNextPage: true })
      assert.deepEqual(post.end, { total: 25, hasNextPage: false })
    })
  },
)
