import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import {
  ADMIN_KEY,
  createCalls,
  eachDatabase,
  installation,
  promptly,
  startServer,
} from '#test-kit'

const TYPES = '/api/v1/content-types'

interface Named {
  readonly singularName: string
}

eachDatabase('starter', (kind) => {
  test('the first start of an empty store makes the starter types, and only the first', async () => {
    const given = await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY })
    // They are what is made when nothing is said.
    const { ENTREPOT_STARTER: _, ...env } = given
    const server = await startServer(env)
    const { call, data } = createCalls(() => server.url)
    const types: Named[] = await data('GET', TYPES)
    assert.deepEqual(
      types.map(({ singularName }) => singularName),
      ['author', 'category', 'article', 'comment', 'post', 'product'],
    )
    const article = await data('GET', `${TYPES}/article`)
    assert.deepEqual([article.draftAndPublish, article.localized], [true, true])
    assert.deepEqual(article.attributes, {
      title: { type: 'string', required: true },
      slug: { type: 'uid', targetField: 'title' },
      summary: { type: 'text' },
      body: { type: 'richtext' },
      cover: { type: 'media', allowedTypes: ['images'] },
      author: { type: 'relation', relation: 'manyToOne', target: 'author', inversedBy: 'articles' },
      categories: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'category',
        inversedBy: 'articles',
      },
      comments: { type: 'relation', relation: 'oneToMany', target: 'comment', mappedBy: 'article' },
    })
    const product = await data('GET', `${TYPES}/product`)
    assert.deepEqual(product.attributes.sku, { type: 'string', required: true, unique: true })
    assert.deepEqual(product.attributes.stock, { type: 'integer', default: 0, unversioned: true })
    assert.deepEqual(product.attributes.is_in_stock, {
      type: 'boolean',
      default: true,
      unversioned: true,
    })
    for (const { singularName } of types) {
      assert.equal((await call('DELETE', `${TYPES}/${singularName}`)).status, 204, singularName)
    }
    server.signal('SIGTERM')
    await server.exited()
    await server.restart()
    assert.deepEqual(await data('GET', TYPES), [])
  })

  test('the demo set has entries in two languages, drafts and links between them', async () => {
    const env = await installation(kind, {
      ENTREPOT_ADMIN_KEY: ADMIN_KEY,
      ENTREPOT_STARTER: 'demo',
    })
    const server = await startServer(env)
    const { call, data } = createCalls(() => server.url)
    const articles = await call('GET', '/api/v1/articles?include=author,categories,comments')
    assert.equal(articles.status, 200, JSON.stringify(articles.body))
    assert.ok(articles.body.meta.total >= 6)
    const [first] = articles.body.data
    assert.equal(first.slug, 'harbour-cranes-at-first-light')
    assert.equal(first.author.name, 'Mara Lindqvist')
    assert.equal(first.categories.length, 2)
    assert.equal(first.comments.length, 2)
    const german = await call('GET', '/api/v1/articles?locale=de&include=categories')
    assert.equal(german.body.data[0].title, 'Hafenkräne im ersten Licht')
    assert.equal(german.body.data[0].categories[0].name, 'Häfen')
    assert.ok((await call('GET', '/api/v1/articles?status=draft')).body.meta.total >= 2)
    const products = await data('GET', '/api/v1/products')
    assert.ok(products.length >= 6)
    assert.equal(products.find((each: { stock: number }) => each.stock === 0).is_in_stock, false)
    assert.ok((await data('GET', '/api/v1/posts')).length >= 4)
    const locales: { code: string }[] = await data('GET', '/api/v1/locales')
    assert.deepEqual(
      locales.map(({ code }) => code),
      ['en', 'de'],
    )
  })
})

test('of two nodes that start at once on one database one makes the starter types', async () => {
  const shared = {
    ENTREPOT_ADMIN_KEY: ADMIN_KEY,
    ENTREPOT_MASTER_KEY: 'a'.repeat(64),
    ENTREPOT_STARTER: 'types',
  }
  const env = await installation('postgres', shared)
  const other = await installation('postgres', shared)
  const url = { ENTREPOT_DATABASE_URL: env['ENTREPOT_DATABASE_URL'] ?? '' }
  const [one, two] = await Promise.all([startServer(env), startServer({ ...other, ...url })])
  for (const { url: base } of [one, two]) {
    const { data } = createCalls(() => base)
    const types: Named[] = await data('GET', TYPES)
    assert.equal(types.length, 6)
  }
  const { call } = createCalls(() => one.url)
  const second = createCalls(() => two.url)
  const body = { singularName: 'ship', pluralName: 'ships' }
  assert.equal((await call('POST', TYPES, { body })).status, 201)
  await promptly(1_000, async () => (await second.call('GET', `${TYPES}/ship`)).status === 200)
})

test('operation finding 7: a first start that was broken off between two transactions goes on there', async () => {
  const given = { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_STARTER: 'types' }
  const server = await startServer(await installation('sqlite', given))
  const { call, data } = createCalls(() => server.url)
  assert.equal((await call('DELETE', `${TYPES}/product`)).status, 204)
  server.signal('SIGTERM')
  await server.exited()
  // As after the first transaction: types that refer to each other, no products, no language.
  const store = new DatabaseSync(join(server.dataDir, 'entrepot.db'))
  store.exec('delete from content_locales')
  store.close()
  await server.restart()
  const types: Named[] = await data('GET', TYPES)
  assert.deepEqual(
    types.map(({ singularName }) => singularName),
    ['author', 'category', 'article', 'comment', 'post', 'product'],
  )
  const locales: { code: string }[] = await data('GET', '/api/v1/locales')
  assert.deepEqual(
    locales.map(({ code }) => code),
    ['en'],
  )
})
