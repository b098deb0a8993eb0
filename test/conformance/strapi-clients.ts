import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { strapi } from '@strapi/client'
import qs from 'qs'
import sdkModule from 'strapi-sdk-js'
import { cmsSuite, picture } from '../contract/cms/support.ts'

// Its types describe a CommonJS module, what Node loads is the class itself.
const Strapi = 'default' in sdkModule ? sdkModule.default : sdkModule

interface Item {
  readonly id: number
  readonly attributes: Record<string, unknown>
}

/** Real clients of the dialect, unmodified, and the exact requests of two that are too heavy to install. */
export const strapiClients = cmsSuite('clients of the headless CMS', (cms) => {
  const { server, ok, call, create, createMany, ids, keys } = cms
  let author = 0

  before(async () => {
    author = await create('authors', { name: 'Ada' })
  })

  const authorization = () => `Bearer ${keys.write}`

  test('cms-rest 1: strapi-sdk-js finds, creates, updates and deletes', async () => {
    const sdk = new Strapi({
      url: server().url,
      axiosOptions: { headers: { Authorization: authorization() } },
    })
    const made = await sdk.create<Item>(
      'articles',
      { title: 'By the SDK', author },
      {
        populate: ['author'],
      },
    )
    const { id, attributes } = made.data
    assert.equal(attributes['title'], 'By the SDK')
    assert.deepEqual(Object(attributes['author']).data.id, author)
    const found = await sdk.find<Item>('articles', {
      filters: { title: { $contains: 'SDK' }, author: { name: { $eq: 'Ada' } } },
      sort: ['title:asc', 'id:desc'],
      fields: ['title'],
      populate: { author: { fields: ['name'] } },
      pagination: { page: 1, pageSize: 10 },
    })
    assert.deepEqual(
      found.data.map((item) => item.id),
      [id],
    )
    assert.deepEqual(Object.keys(found.data[0]?.attributes ?? {}), ['title', 'author'])
    assert.equal(Object(found.meta)['pagination'].total, 1)
    const one = await sdk.findOne<Item>('articles', String(id), { populate: '*' })
    assert.equal(one.data.attributes['title'], 'By the SDK')
    const changed = await sdk.update<Item>('articles', String(id), { summary: 'changed' })
    assert.equal(changed.data.attributes['summary'], 'changed')
    assert.equal(changed.data.attributes['title'], 'By the SDK')
    await assert.rejects(
      () => sdk.create('articles', { kind: 'poem', title: 'x' }),
      (refusal: { error: { status: number; details: { errors: { path: string[] }[] } } }) => {
        assert.equal(refusal.error.status, 400)
        assert.deepEqual(refusal.error.details.errors[0]?.path, ['kind'])
        return true
      },
    )
    const gone: unknown = await sdk.delete('articles', String(id))
    assert.equal(Object(gone).data.id, id)
    await assert.rejects(
      () => sdk.findOne('articles', String(id)),
      (refusal: { error: { name: string } }) => refusal.error.name === 'NotFoundError',
    )
  })

  test('cms-rest 14: the newer client reads and writes the flat form', async () => {
    const client = strapi({
      baseURL: `${server().url}/api`,
      auth: keys.write,
      headers: { 'Response-Format': 'flat' },
    })
    const articles = client.collection('articles')
    const made = await articles.create({ title: 'By the client', author }, { populate: ['author'] })
    const { documentId } = made.data
    assert.match(documentId, /^[0-9a-f-]{36}$/)
    assert.equal(made.data['author'].name, 'Ada')
    const found = await articles.find({
      filters: { title: { $startsWith: 'By the client' } },
      sort: 'title:desc',
      pagination: { page: 1, pageSize: 5 },
      populate: { author: { fields: ['name'] } },
    })
    assert.deepEqual(
      found.data.map((item) => [item.documentId, item['author'].name]),
      [[documentId, 'Ada']],
    )
    const one = await articles.findOne(documentId, { fields: ['title'] })
    assert.equal(one.data['title'], 'By the client')
    assert.equal(one.data.documentId, documentId)
    const changed = await articles.update(documentId, { title: 'Changed' })
    assert.equal(changed.data['title'], 'Changed')
    await articles.update(documentId, { title: 'Not yet' }, { status: 'draft' })
    assert.equal((await articles.findOne(documentId)).data['title'], 'Changed')
    assert.equal((await articles.findOne(documentId, { status: 'draft' })).data['title'], 'Not yet')
    await articles.delete(documentId)
    await assert.rejects(() => articles.findOne(documentId), { name: 'HTTPNotFoundError' })

    const home = client.single('home')
    await assert.rejects(() => home.find(), { name: 'HTTPNotFoundError' })
    assert.equal((await home.update({ title: 'Welcome' })).data['title'], 'Welcome')
    assert.equal((await home.find()).data['title'], 'Welcome')
    await home.delete()
  })

  test('cms-rest 14: the newer client manages files', async () => {
    const client = strapi({
      baseURL: `${server().url}/api`,
      auth: keys.write,
      headers: { 'Response-Format': 'flat' },
    })
    const [file] = await client.files.upload(picture('by-client.png'), {
      fileInfo: { alternativeText: 'a dot' },
    })
    assert.ok(file)
    assert.equal(file.name, 'by-client.png')
    assert.equal(file.alternativeText, 'a dot')
    const found = await client.files.find({ filters: { name: { $eq: 'by-client.png' } } })
    assert.deepEqual(
      found.map(({ id }) => id),
      [file.id],
    )
    assert.equal((await client.files.findOne(file.id)).url, file.url)
    const described = await client.files.update(file.id, { caption: 'said' })
    assert.equal(described.caption, 'said')
    await client.files.delete(file.id)
    await assert.rejects(() => client.files.findOne(file.id))
  })

  // @refinedev/strapi-v4, packages/strapi-v4/src/dataProvider.ts: the URLs it builds, made here by
  // the same qs calls.
  test('cms-rest 1: the requests of the refine data provider', async () => {
    const headers = { authorization: authorization() }
    const bare = { key: null, headers }
    const variables = { title: 'Refined', author }
    const made = await ok('POST', '/api/articles', { ...bare, body: { data: variables } })
    const other = await create('articles', { title: 'Unrefined' })
    const { id } = made.data

    const query = {
      'pagination[page]': 1,
      'pagination[pageSize]': 10,
      locale: undefined,
      publicationState: 'live',
      fields: ['title', 'summary'],
      populate: ['author', 'cover'],
      sort: ['title:desc', 'id:asc'].join(','),
    }
    const filters = qs.stringify(
      qs.parse(
        'filters[$or][0][title][$containsi]=refined&filters[$or][1][author][name][$eq]=Ada&filters[id][$notIn][0]=4711',
      ),
      { encodeValuesOnly: true },
    )
    const list = await ok(
      'GET',
      `/api/articles?${qs.stringify(query, { encodeValuesOnly: true })}&${filters}`,
      bare,
    )
    assert.deepEqual(
      list.data.map((item: Item) => item.id),
      [other, id],
    )
    assert.equal(list.meta.pagination.total, 2)
    const all = await ok('GET', '/api/articles?pagination[page]=1&pagination[pageSize]=10&', bare)
    assert.equal(all.data.length, 2, 'a trailing & is nothing')

    const many = await ok(
      'GET',
      `/api/articles?filters[id][$in]=${id}&filters[id][$in]=${other}`,
      bare,
    )
    assert.equal(many.data.length, 2)
    const single = await ok('GET', `/api/articles?filters[id][$in]=${id}`, bare)
    assert.equal(single.data.length, 1)
    const indexed = await ok('GET', `/api/articles?filters[id][$in][0]=${id}`, bare)
    assert.equal(indexed.data.length, 1)
    const preview = `filters[id][$in][0]=${id}&publicationState=preview`
    assert.equal((await ok('GET', `/api/articles?${preview}`, bare)).data.length, 1)

    const one = qs.stringify(
      { locale: undefined, fields: ['title'], populate: ['author'] },
      { encode: false },
    )
    const got = await ok('GET', `/api/articles/${id}?${one}`, bare)
    assert.equal(got.data.attributes.author.data.attributes.name, 'Ada')
    const changed = await ok('PUT', `/api/articles/${id}`, {
      ...bare,
      body: { data: { id, title: 'Refined again', createdAt: '2020', updatedAt: '2020' } },
    })
    assert.equal(changed.data.attributes.title, 'Refined again')
    const gone = await ok('DELETE', `/api/articles/${id}`, bare)
    assert.equal(gone.data.id, id)
    await ok('DELETE', `/api/articles/${other}`, bare)
  })

  // gatsby-source-strapi, packages/gatsby-source-strapi/src/fetch.js and helpers.js.
  test('cms-rest 1: the schema fetch and paged entity fetch of gatsby-source-strapi', async () => {
    const bare = { key: null, headers: { authorization: authorization() } }
    const types = (await ok('GET', '/api/content-type-builder/content-types', bare)).data
    const components = (await ok('GET', '/api/content-type-builder/components', bare)).data
    const schemas = [...types, ...components]
    const byName = (name: string) =>
      types.find((type: { schema: { singularName: string } }) => type.schema.singularName === name)
    const article = byName('article')
    assert.equal(article.uid, 'api::article.article')
    assert.equal(article.plugin, undefined)
    assert.equal(article.schema.kind, 'collectionType')
    assert.equal(byName('home').schema.kind, 'singleType')
    const { attributes } = article.schema
    assert.ok(schemas.some(({ uid }) => uid === attributes.author.target))
    assert.ok(schemas.some(({ uid }) => uid === attributes.seo.component))
    assert.equal(attributes.blocks.repeatable, true)
    assert.equal(attributes.cover.type, 'media')

    const items = Array.from({ length: 105 }, (_, n) => ({ name: `g${n}` }))
    const made = await createMany('samples', items)
    const fetchPage = (page: number) => {
      const query = { pagination: { pageSize: 250, page }, populate: '*' }
      const text = qs.stringify(query, { encodeValuesOnly: true })
      return ok('GET', `/api/${byName('sample').schema.pluralName}?${text}`, bare)
    }
    const first = await fetchPage(1)
    const { page, pageCount } = first.meta.pagination
    assert.equal(page, 1)
    const rest = await Promise.all(
      Array.from({ length: pageCount - page }, (_, at) => fetchPage(at + 2)),
    )
    const all = [first, ...rest].flatMap(({ data }) => data.map((item: Item) => item.id))
    assert.deepEqual(
      all.toSorted((a, b) => a - b),
      made,
    )

    assert.equal((await call('GET', '/api/home?populate=*', bare)).status, 404)
    await ok('PUT', '/api/home', { body: { data: { title: 'Home' } } })
    await ok('PUT', '/api/home?locale=fr', { body: { data: { title: 'Accueil' } } })
    const languages = qs.stringify({ populate: { localizations: { fields: ['locale'] } } })
    const home = await ok('GET', `/api/home?${languages}`, bare)
    assert.deepEqual(
      home.data.attributes.localizations.data.map((item: Item) => item.attributes['locale']),
      ['fr'],
    )
    await ok('DELETE', '/api/home?locale=all')
    assert.deepEqual(await ids('/api/articles'), [])
  })
})
