import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { relationTo } from '#test-kit'
import { graphqlSuite } from './support.ts'

/** Leads to what needs a key, to one and to many; what it leads to has a file. */
const TYPES = [
  {
    singularName: 'deed',
    pluralName: 'deeds',
    publicRead: false,
    attributes: { name: { type: 'string' }, scan: { type: 'media' } },
  },
  {
    singularName: 'house',
    pluralName: 'houses',
    attributes: {
      name: { type: 'string' },
      photo: { type: 'media' },
      views: { type: 'media', multiple: true },
      deed: relationTo('manyToOne', 'deed'),
      deeds: relationTo('manyToMany', 'deed'),
    },
  },
]

export const hidden = graphqlSuite('what the caller may not read', (api) => {
  const { create, data, refusal, ok, keys } = api
  const ids = { photo: 0, scan: 0, draft: 0, house: 0, author: 0 }

  before(async () => {
    await ok('POST', '/api/v1/content-types/batch', { body: { contentTypes: TYPES } })
    for (const name of ['photo', 'scan', 'draft'] as const) {
      const form = new FormData()
      form.append('files', new File([name], `${name}.txt`, { type: 'text/plain' }))
      ids[name] = (await ok('POST', '/api/upload', { form }))[0].id
    }
    const deed = await create('deeds', { name: 'Sold', scan: ids.scan })
    const files = { photo: ids.photo, views: [ids.photo] }
    ids.house = await create('houses', { name: 'Hill', ...files, deed, deeds: [deed] })
    ids.author = await create('authors', { name: 'Ada' })
    await create('articles', { title: 'Live', author: ids.author })
    const gallery = [ids.draft]
    await create('articles', { title: 'Draft', author: ids.author, gallery, publishedAt: null })
  })

  test('graphql 15: relations to private types are null or empty, without an error', async () => {
    const cms = `{ house(id: ${ids.house}) { data { attributes { name
      deed { data { id attributes { name scan { data { id } } } } }
      deeds { data { id } } } } } }`
    const shown = (await data(cms)).house.data.attributes
    assert.deepEqual(shown, { name: 'Hill', deed: { data: null }, deeds: { data: [] } })
    const own = (await data(cms, { key: keys.read })).house.data.attributes
    assert.equal(own.deed.data.attributes.scan.data.id, String(ids.scan))
    assert.equal(own.deeds.data.length, 1)

    const offset = `{ house(id: ${ids.house}) { deed { name } deedId
      deeds { items { name } total hasNextPage } } }`
    assert.deepEqual((await data(offset, { at: '/offset' })).house, {
      ...{ deed: null, deedId: null },
      deeds: { items: [], total: 0, hasNextPage: false },
    })
    const known = (await data(offset, { at: '/offset', key: keys.read })).house
    assert.deepEqual(known.deeds, { items: [{ name: 'Sold' }], total: 1, hasNextPage: false })

    const connection = `{ house(id: ${ids.house}) { deed { name } deedId
      deeds { edges { node { name } } totalCount pageInfo { hasNextPage endCursor } } } }`
    assert.deepEqual((await data(connection, { at: '/connection' })).house, {
      ...{ deed: null, deedId: null },
      deeds: { edges: [], totalCount: 0, pageInfo: { hasNextPage: false, endCursor: null } },
    })
  })

  test('graphql 15: what is hidden is not told by filters or orders either', async () => {
    for (const args of ['filters: { deeds: { name: { eq: "Sold" } } }', 'sort: "deed.name"']) {
      const refused = await refusal(`{ houses(${args}) { data { id } } }`)
      assert.equal(refused.code, 'UNAUTHENTICATED', args)
      assert.deepEqual(refused.body.data, { houses: null })
      await data(`{ houses(${args}) { data { id } } }`, { key: keys.read })
    }
  })

  test('graphql 15: files of public entries are shown, those of private entries and drafts are not', async () => {
    const media = `{ house(id: ${ids.house}) { data { attributes {
      photo { data { id } } views { data { id } } } } } }`
    const photo = { id: String(ids.photo) }
    assert.deepEqual((await data(media)).house.data.attributes, {
      ...{ photo: { data: photo }, views: { data: [photo] } },
    })
    const list = '{ uploadFiles(sort: "id") { data { id } meta { pagination { total } } } }'
    assert.deepEqual((await data(list)).uploadFiles, {
      ...{ data: [photo], meta: { pagination: { total: 1 } } },
    })
    const { uploadFiles } = await data(list, { key: keys.read })
    assert.equal(uploadFiles.meta.pagination.total, 3)
    for (const id of [ids.scan, ids.draft]) {
      const one = `{ uploadFile(id: ${id}) { data { id } } }`
      assert.deepEqual((await data(one)).uploadFile, { data: null })
      assert.equal((await data(one, { key: keys.read })).uploadFile.data.id, String(id))
    }
    const at = '/connection'
    const { house } = await data(
      `{ house(id: ${ids.house}) { photo { id } deed { scan { id } } } }`,
      {
        ...{ at, key: keys.read },
      },
    )
    const node = async (id: string, key: string | null) =>
      (await data(`{ node(id: "${id}") { id } }`, { at, key })).node
    assert.deepEqual(await node(house.photo.id, null), { id: house.photo.id })
    assert.deepEqual(await node(house.deed.scan.id, keys.read), { id: house.deed.scan.id })
    assert.equal(await node(house.deed.scan.id, null), null)
  })

  test('graphql 15: related drafts are left out and not counted', async () => {
    const cms = `{ author(id: ${ids.author}) { data { attributes { articles { data {
      attributes { title } } } } } } }`
    const offset = `{ author(id: ${ids.author}) { articles { items { title } total } } }`
    const connection = `{ author(id: ${ids.author}) { articles {
      edges { node { title } } totalCount } } }`
    for (const key of [null, keys.read, keys.write]) {
      const { author } = await data(cms, { key })
      assert.deepEqual(author.data.attributes.articles.data, [{ attributes: { title: 'Live' } }])
      const listed = (await data(offset, { key, at: '/offset' })).author.articles
      assert.deepEqual(listed, { items: [{ title: 'Live' }], total: 1 })
      const walked = (await data(connection, { key, at: '/connection' })).author.articles
      assert.deepEqual(walked, { edges: [{ node: { title: 'Live' } }], totalCount: 1 })
    }
  })
})
