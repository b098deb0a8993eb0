import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { graphqlSuite } from './support.ts'

export const inputs = graphqlSuite('what changes by GraphQL take', (api) => {
  const { create, createMany, data, refusal, keys, ok } = api
  const ids = { ada: 0, tags: [0], file: 0 }

  before(async () => {
    ids.ada = await create('authors', { name: 'Ada' })
    ids.tags = await createMany('tags', [{ name: 'x' }, { name: 'y' }])
    const form = new FormData()
    form.append('files', new File(['hello'], 'note.txt', { type: 'text/plain' }))
    ids.file = (await ok('POST', '/api/upload', { form }))[0].id
  })

  test('graphql 5: relations, media and components, each by id or ids', async () => {
    const key = keys.write
    const shown = `data { id attributes { categories(sort: "name") { data { attributes { name } } }
      gallery { data { id attributes { name } } } blocks { id description } kind } }`
    const made = await data(
      `mutation ($data: ArticleInput!) { createArticle(data: $data) { ${shown} } }`,
      {
        key,
        variables: {
          data: {
            ...{ title: 'All', pin: '1234', kind: 'long_read', categories: ids.tags },
            ...{ gallery: [ids.file], blocks: [{ description: 'one' }, { description: 'two' }] },
          },
        },
      },
    )
    const { id, attributes } = made.createArticle.data
    assert.deepEqual(attributes.categories.data, [
      { attributes: { name: 'x' } },
      { attributes: { name: 'y' } },
    ])
    assert.deepEqual(attributes.gallery.data, [
      { id: String(ids.file), attributes: { name: 'note.txt' } },
    ])
    assert.equal(attributes.kind, 'long_read')
    const [first, second] = attributes.blocks
    const change = `mutation ($data: ArticleInput!) { updateArticle(id: ${id}, data: $data) { ${shown} } }`
    const blocks = [{ id: second.id, description: 'changed' }, { description: 'new' }]
    const variables = { data: { blocks, categories: [], kind: null } }
    const { updateArticle } = await data(change, { key, variables })
    const [kept, added] = updateArticle.data.attributes.blocks
    assert.deepEqual(kept, { id: second.id, description: 'changed' })
    assert.ok(added.id !== first.id && added.id !== second.id)
    assert.deepEqual(updateArticle.data.attributes.categories.data, [])
    assert.equal(updateArticle.data.attributes.kind, null)
    const unknown = { data: { author: 99_999 } }
    assert.equal((await refusal(change, { key, variables: unknown })).code, 'BAD_USER_INPUT')
  })

  test('graphql 5: an entry is named by its number or documentId, a variant by its language', async () => {
    const key = keys.write
    const id = await create('articles', { title: 'Named' })
    const { data: entry } = await ok('GET', `/api/v1/articles/${id}`)
    const documentId = entry.document_id ?? entry.documentId
    assert.ok(documentId, JSON.stringify(entry))
    const read = '{ data { id } }'
    for (const given of [id, documentId]) {
      const { article } = await data(`{ article(id: "${given}") ${read} }`)
      assert.equal(article.data.id, String(id))
    }
    const french = `mutation { createArticleLocalization(id: "${documentId}", locale: "fr", data: { title: "Nom" }) ${read} }`
    const { createArticleLocalization } = await data(french, { key })
    const change = `mutation { updateArticle(id: "${documentId}", locale: "fr", data: { rank: 7 }) { data { id attributes { rank title } } } }`
    const { updateArticle } = await data(change, { key })
    assert.equal(updateArticle.data.id, createArticleLocalization.data.id)
    assert.deepEqual(updateArticle.data.attributes, { rank: 7, title: 'Nom' })
    const inFrench = `id: ${updateArticle.data.id}, locale: "fr"`
    for (const other of [`id: ${id}, locale: "fr"`, `id: ${updateArticle.data.id}, locale: "en"`]) {
      assert.equal((await data(`{ article(${other}) ${read} }`)).article.data, null)
      for (const field of [
        `deleteArticle(${other})`,
        `updateArticle(${other}, data: { rank: 9 })`,
      ]) {
        const { code } = await refusal(`mutation { ${field} ${read} }`, { key })
        assert.equal(code, 'NOT_FOUND')
      }
    }
    const { article } = await data(`{ article(${inFrench}) { data { attributes { rank } } } }`)
    assert.equal(article.data.attributes.rank, 7)
    const gone = `mutation { deleteArticle(id: "${documentId}", locale: "fr") ${read} }`
    assert.equal((await data(gone, { key })).deleteArticle.data.id, updateArticle.data.id)
    assert.equal((await data(`{ article(id: ${id}) ${read} }`)).article.data.id, String(id))
  })

  test('graphql 11: global ids, numbers and documentIds are taken as relations and in filters', async () => {
    const at = '/connection'
    const key = keys.write
    const { author } = await data(`{ author(id: ${ids.ada}) { id databaseId documentId } }`, { at })
    const { id: globalId, databaseId, documentId } = author
    const given = [globalId, databaseId, documentId, documentId.toUpperCase()]
    for (const id of given) {
      const { createPost } = await data(
        'mutation ($data: PostInput!) { createPost(data: $data) { authorId author { databaseId } } }',
        { at, key, variables: { data: { title: 'by', author: String(id) } } },
      )
      assert.deepEqual(createPost, { authorId: author.id, author: { databaseId: ids.ada } })
    }
    for (const id of given) {
      const query = 'query ($id: ID) { posts(filter: { authorId: $id }) { totalCount } }'
      const { posts } = await data(query, { at, variables: { id: String(id) } })
      assert.equal(posts.totalCount, given.length, String(id))
    }
    const alien = {
      data: {
        title: 'no',
        author: (await data('{ tags(first: 1) { edges { node { id } } } }', { at })).tags.edges[0]
          .node.id,
      },
    }
    const create = 'mutation ($data: PostInput!) { createPost(data: $data) { id } }'
    assert.equal((await refusal(create, { at, key, variables: alien })).code, 'BAD_USER_INPUT')
  })

  test('graphql 4: values of every kind are read as they were written', async () => {
    const values = {
      ...{ name: 'n', note: 'long', whole: 3, price: 1.25, ratio: 0.5, flag: false, kind: 'a' },
      ...{ data: { a: [1, { b: null }] }, words: ['red', 'blue'] },
    }
    const fields = Object.keys(values).join(' ')
    const query = `mutation ($data: SampleInput!) { createSample(data: $data) { data { attributes { ${fields} } } } }`
    const { createSample } = await data(query, { key: keys.write, variables: { data: values } })
    assert.deepEqual(createSample.data.attributes, values)
    const inner = `mutation ($b: String) { createSample(data: { data: { a: { b: $b, c: [1, $b] } } }) { data { attributes { data } } } }`
    const shown = await data(inner, { key: keys.write, variables: { b: 'x' } })
    assert.deepEqual(shown.createSample.data.attributes.data, { a: { b: 'x', c: [1, 'x'] } })
  })
})
