import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { graphqlSuite } from './support.ts'

export const access = graphqlSuite('who sees what by GraphQL', (api) => {
  const { create, data, ask, refusal, keys } = api
  let article = 0

  before(async () => {
    const vault = await create('vaults', { name: 'gold' })
    article = await create('articles', { title: 'Open', vault, secret: 's', pin: '1234' })
  })

  test('graphql 15: a private type is an error of its field; other fields are answered', async () => {
    const { status, body } = await ask('{ vaults { data { id } } articles { data { id } } }')
    assert.equal(status, 200)
    assert.equal(body.errors.length, 1)
    assert.deepEqual(body.errors[0].path, ['vaults'])
    assert.equal(body.errors[0].extensions.code, 'UNAUTHENTICATED')
    assert.equal(body.data.vaults, null)
    assert.equal(body.data.articles.data.length, 1)
    const flat = await refusal('{ vaults { total } articles { total } }', { at: '/offset' })
    assert.equal(flat.code, 'UNAUTHENTICATED')
    assert.equal(flat.body.data, null)
    const own = await data('{ vaults { data { attributes { name } } } }', { key: keys.read })
    assert.equal(own.vaults.data[0].attributes.name, 'gold')
  })

  test('graphql 15: what a relation leads to is hidden, and cannot be guessed by filters', async () => {
    const query = `{ article(id: ${article}) { data { attributes { vault { data { id } } } } } }`
    assert.deepEqual((await data(query)).article.data.attributes.vault, { data: null })
    const own = await data(query, { key: keys.read })
    assert.notEqual(own.article.data.attributes.vault.data, null)
    const filtered = '{ articles(filters: { vault: { name: { eq: "gold" } } }) { data { id } } }'
    assert.equal((await refusal(filtered)).code, 'UNAUTHENTICATED')
    assert.equal(
      (await refusal('{ articles(sort: "vault.name") { data { id } } }')).code,
      'UNAUTHENTICATED',
    )
  })

  test('graphql 15: drafts need the level write, at every list', async () => {
    const root = '{ articles(publicationState: PREVIEW) { data { id } } }'
    assert.equal((await refusal(root)).code, 'UNAUTHENTICATED')
    assert.equal((await refusal(root, { key: keys.read })).code, 'FORBIDDEN')
    const nested = `{ article(id: ${article}) { data { id attributes { title
      localizations(publicationState: PREVIEW) { data { id } } } } } }`
    const { body } = await ask(nested, { key: keys.read })
    assert.equal(body.errors[0].extensions.code, 'FORBIDDEN')
    assert.deepEqual(body.errors[0].path, ['article', 'data', 'attributes', 'localizations'])
    assert.equal(body.data.article.data.attributes.title, 'Open')
    assert.equal(body.data.article.data.attributes.localizations, null)
  })

  test('graphql 15: private attributes and passwords are in no schema', async () => {
    for (const field of ['secret', 'pin']) {
      const { code, status } = await refusal(`{ articles { data { attributes { ${field} } } } }`)
      assert.equal(code, 'GRAPHQL_VALIDATION_FAILED')
      assert.equal(status, 400)
    }
  })

  test('graphql 15: a wrong key is refused as a whole', async () => {
    const { status, body } = await ask('{ articles { data { id } } }', { key: 'sk_wrong' })
    assert.equal(status, 401)
    assert.equal(body.errors[0].extensions.code, 'UNAUTHENTICATED')
  })
})
