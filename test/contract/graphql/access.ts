import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { graphqlSuite } from './support.ts'

const HOUR_MS = 3_600_000

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

  for (const at of ['/offset', '/connection']) {
    test(`graphql 15: what a relation leads to is hidden at ${at}, too`, async () => {
      const query = `{ article(id: ${article}) { title vault { id } vaultId } }`
      const { article: hidden } = await data(query, { at })
      assert.deepEqual(hidden, { title: 'Open', vault: null, vaultId: null })
      const { article: own } = await data(query, { at, key: keys.read })
      assert.equal(own.vaultId, own.vault.id)
      for (const args of ['filter: { vault: { name: { eq: "gold" } } }', 'sort: "vault.name"']) {
        const total = at === '/offset' ? 'total' : 'totalCount'
        const refused = await refusal(`{ articles(${args}) { ${total} } }`, { at })
        assert.equal(refused.code, 'UNAUTHENTICATED', args)
        assert.equal(refused.body.data, null)
      }
      const other = at === '/offset' ? 'items { id }' : 'edges { node { id } }'
      const both = await ask(`{ vault(id: 1) { id } articles { ${other} } }`, { at })
      assert.equal(both.body.errors[0].extensions.code, 'UNAUTHENTICATED')
      assert.deepEqual(both.body.errors[0].path, ['vault'])
      assert.equal(both.body.data.vault, null)
      assert.ok(both.body.data.articles)
    })
  }

  test('graphql 15: node is null for what is not there and for what one may not have', async () => {
    const at = '/connection'
    const nodeOf = async (id: string, key: string | null = null) =>
      (
        await data('query ($id: ID!) { node(id: $id) { id __typename } }', {
          ...{ at, key },
          variables: { id },
        })
      ).node
    const { vaults } = await data('{ vaults { edges { node { id } } } }', { at, key: keys.read })
    const { id } = vaults.edges[0].node
    assert.deepEqual(await nodeOf(id, keys.read), { id, __typename: 'Vault' })
    assert.equal(await nodeOf(id), null)
    const globalId = (text: string) => Buffer.from(text).toString('base64url')
    const [prefix] = Buffer.from(id, 'base64url').toString().split(':')
    const unknown = [`${prefix}:99999`, 'e99999:1', 'f:99999', `${prefix}:99999999999999999999`]
    for (const text of unknown) assert.equal(await nodeOf(globalId(text), keys.read), null, text)
    for (const text of ['', '1', 'nonsense', '%']) assert.equal(await nodeOf(text, keys.read), null)
  })

  test('graphql 15: a draft is no node, and shown by its own change alone', async () => {
    const at = '/connection'
    const key = keys.write
    const { createArticle } = await data(
      'mutation { createArticle(data: { title: "D", publishedAt: null }) { id title } }',
      { at, key },
    )
    assert.equal(createArticle.title, 'D')
    const query = `{ node(id: "${createArticle.id}") { id } article(id: "${createArticle.id}") { id } }`
    assert.deepEqual(await data(query, { at, key }), { node: null, article: null })
  })

  test('graphql 15: a key that has expired or was revoked is refused as a whole', async () => {
    const expires = { expires_at: new Date(Date.now() + HOUR_MS).toISOString() }
    const { data: plan } = await api.ok('POST', '/api/v1/plans', {
      body: { name: 'Expiring', requests_per_month: -1, requests_per_minute: -1 },
    })
    const issue = async (more: object) => {
      const body = { plan_id: plan.id, access: 'read', ...more }
      return (await api.ok('POST', '/api/v1/keys', { body })).data
    }
    const [expiring, revoked] = [await issue(expires), await issue({})]
    const query = '{ articles { data { id } } }'
    for (const { key } of [expiring, revoked]) assert.equal((await ask(query, { key })).status, 200)
    await api.ok('DELETE', `/api/v1/keys/${revoked.id}`)
    const gone = await ask(query, { key: revoked.key })
    assert.equal(gone.status, 403)
    assert.equal(gone.body.errors[0].extensions.code, 'FORBIDDEN')
    assert.equal(gone.body.data, undefined)
    await api.server().setClockOffset(HOUR_MS + 1_000)
    try {
      const late = await ask(query, { key: expiring.key })
      assert.equal(late.status, 403)
      assert.equal(late.body.errors[0].extensions.code, 'FORBIDDEN')
      assert.match(late.body.errors[0].message, /expired/)
    } finally {
      await api.server().setClockOffset(0)
    }
  })

  test('graphql 15: a key is taken as header, bearer or parameter', async () => {
    const query = '{ vaults { data { id } } }'
    const bearer = { headers: { authorization: `Bearer ${keys.read}` } }
    assert.equal((await data(query, bearer)).vaults.data.length, 1)
    const path = `/graphql?api_key=${keys.read}&query=${encodeURIComponent(query)}`
    const { body } = await api.call('GET', path, { key: null })
    assert.equal(body.data.vaults.data.length, 1)
  })

  test('graphql 15: a wrong key is refused as a whole', async () => {
    const { status, body } = await ask('{ articles { data { id } } }', { key: 'sk_wrong' })
    assert.equal(status, 401)
    assert.equal(body.errors[0].extensions.code, 'UNAUTHENTICATED')
  })
})
