import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { graphqlSuite } from './support.ts'

const SHOWN =
  'data { id attributes { title rank author { data { attributes { name } } } publishedAt } }'

export const changes = graphqlSuite('changes by GraphQL', (api) => {
  const { create, data, refusal, keys, ok, ask } = api
  let ada = 0

  before(async () => {
    ada = await create('authors', { name: 'Ada' })
  })

  const total = async (plural: string) =>
    (await ok('GET', `/api/v1/${plural}?status=all`)).pagination?.total ??
    (await ok('GET', `/api/${plural}?publicationState=preview&locale=all`)).meta.pagination.total

  test('graphql 5: create, update and delete as CMS REST does', async () => {
    const key = keys.write
    const made = await data(
      `mutation ($data: ArticleInput!) { createArticle(data: $data) { ${SHOWN} } }`,
      {
        key,
        variables: { data: { title: 'One', rank: 1, author: ada, seo: { description: 'd' } } },
      },
    )
    const { id, attributes } = made.createArticle.data
    assert.equal(attributes.title, 'One')
    assert.deepEqual(attributes.author.data.attributes, { name: 'Ada' })
    assert.notEqual(attributes.publishedAt, null)
    const changed = await data(
      `mutation { updateArticle(id: ${id}, data: { rank: 5 }) { data { attributes { title rank } } } }`,
      { key },
    )
    assert.deepEqual(changed.updateArticle.data.attributes, { title: 'One', rank: 5 })
    const hidden = `mutation { updateArticle(id: ${id}, data: { publishedAt: null }) { data { attributes { publishedAt } } } }`
    assert.equal((await data(hidden, { key })).updateArticle.data.attributes.publishedAt, null)
    assert.deepEqual(await data(`{ article(id: ${id}) { data { id } } }`), {
      article: { data: null },
    })
    const gone = await data(
      `mutation { deleteArticle(id: ${id}) { data { id attributes { title } } } }`,
      { key },
    )
    assert.deepEqual(gone.deleteArticle.data, { id, attributes: { title: 'One' } })
    const again = await refusal(`mutation { deleteArticle(id: ${id}) { data { id } } }`, { key })
    assert.equal(again.code, 'NOT_FOUND')
    assert.deepEqual(again.body.data, { deleteArticle: null })
  })

  test('graphql 5: a draft is made, and languages are added', async () => {
    const key = keys.write
    const draft = await data(
      'mutation { createArticle(data: { title: "D", publishedAt: null }) { data { id attributes { publishedAt } } } }',
      { key },
    )
    assert.equal(draft.createArticle.data.attributes.publishedAt, null)
    const { id } = draft.createArticle.data
    const french = await data(
      `mutation { createArticleLocalization(id: ${id}, locale: "fr", data: { title: "F" }) {
        data { attributes { title locale localizations(publicationState: PREVIEW) { data { id } } } } } }`,
      { key },
    )
    assert.deepEqual(french.createArticleLocalization.data.attributes, {
      ...{ title: 'F', locale: 'fr' },
      localizations: { data: [{ id }] },
    })
  })

  test('graphql 5: singles are made by their first update', async () => {
    const key = keys.write
    assert.deepEqual(await data('{ homepage { data { id } } }'), { homepage: { data: null } })
    const put =
      'mutation { updateHomepage(data: { title: "Hi" }) { data { attributes { title } } } }'
    assert.equal((await data(put, { key })).updateHomepage.data.attributes.title, 'Hi')
    const french =
      'mutation { createHomepageLocalization(locale: "fr", data: { title: "Salut" }) { data { attributes { title } } } }'
    assert.equal(
      (await data(french, { key })).createHomepageLocalization.data.attributes.title,
      'Salut',
    )
    const shown = '{ homepage(locale: "fr") { data { attributes { title } } } }'
    assert.equal((await data(shown)).homepage.data.attributes.title, 'Salut')
    const gone = await data('mutation { deleteHomepage { data { attributes { title } } } }', {
      key,
    })
    assert.equal(gone.deleteHomepage.data.attributes.title, 'Hi')
  })

  test('graphql 5: refusals have a code, a name and the path of the fault, and store nothing', async () => {
    const key = keys.write
    const before = await total('articles')
    const invalid = await refusal('mutation { createArticle(data: { rank: 1 }) { data { id } } }', {
      key,
    })
    assert.equal(invalid.status, 200)
    assert.equal(invalid.code, 'BAD_USER_INPUT')
    assert.deepEqual(invalid.error.path, ['createArticle'])
    assert.equal(invalid.error.extensions.error.name, 'ValidationError')
    assert.deepEqual(invalid.error.extensions.error.details.errors[0].path, ['title'])
    assert.deepEqual(invalid.body.data, { createArticle: null })
    const one = 'createArticle(data: { title: "a", code: "same" }) { data { id } }'
    const taken = await ask(`mutation { first: ${one} second: ${one} }`, { key })
    assert.equal(taken.body.errors[0].extensions.code, 'CONFLICT')
    assert.deepEqual(taken.body.errors[0].path, ['second'])
    assert.notEqual(taken.body.data.first, null)
    const change = 'mutation { createArticle(data: { title: "x" }) { data { id } } }'
    const low = await refusal(change, { key: keys.read })
    assert.equal(low.code, 'FORBIDDEN')
    assert.equal((await refusal(change)).code, 'UNAUTHENTICATED')
    const unknown = await refusal(
      'mutation { updateArticle(id: 99999, data: {}) { data { id } } }',
      { key },
    )
    assert.equal(unknown.code, 'NOT_FOUND')
    assert.equal(await total('articles'), before + 1)
  })

  for (const at of ['/offset', '/connection']) {
    test(`graphql 5: changes at ${at}, drafts found by status and published`, async () => {
      const key = keys.write
      const made = await data(
        'mutation { createArticle(data: { title: "T", publishedAt: null }) { id documentId title publishedAt } }',
        { at, key },
      )
      const { id } = made.createArticle
      assert.equal(made.createArticle.publishedAt, null)
      const items = at === '/offset' ? 'items { id }' : 'edges { node { id } }'
      const drafts = `{ articles(status: DRAFT, sort: "id:desc") { ${items} } }`
      assert.ok(JSON.stringify(await data(drafts, { at, key })).includes(`"${id}"`))
      assert.equal((await refusal(drafts, { at, key: keys.read })).code, 'FORBIDDEN')
      assert.equal((await refusal(drafts, { at })).code, 'UNAUTHENTICATED')
      assert.deepEqual(await data(`{ article(id: "${id}") { id } }`, { at }), { article: null })
      const live = await data(`mutation { publishArticle(id: "${id}") { id publishedAt } }`, {
        at,
        key,
      })
      assert.notEqual(live.publishArticle.publishedAt, null)
      assert.deepEqual(await data(`{ article(id: "${id}") { id } }`, { at }), { article: { id } })
      const hidden = await data(`mutation { unpublishArticle(id: "${id}") { publishedAt } }`, {
        at,
        key,
      })
      assert.equal(hidden.unpublishArticle.publishedAt, null)
      const named = await data(
        `mutation ($data: ArticleInput!) { updateArticle(id: "${id}", data: $data) { title } }`,
        { at, key, variables: { data: { title: 'U' } } },
      )
      assert.equal(named.updateArticle.title, 'U')
      const gone = await data(`mutation { deleteArticle(id: "${id}") { id } }`, { at, key })
      assert.deepEqual(gone.deleteArticle, { id })
      const again = await refusal(`mutation { deleteArticle(id: "${id}") { id } }`, { at, key })
      assert.equal(again.code, 'NOT_FOUND')
      assert.equal(again.body.data, null)
    })
  }
})
