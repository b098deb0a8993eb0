import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { JsonApiClient } from '@drupal-api-client/json-api-client'
import { DrupalJsonApiParams } from 'drupal-jsonapi-params'
import { Jsona } from 'jsona'
import Kitsu from 'kitsu'
import { JsonApiErrors, type JsonApiResource, NextDrupal } from 'next-drupal'
import {
  ADMIN_EMAIL,
  ADMIN_PASSWORD,
  jsonApiSuite,
  linkTo,
  MEDIA_TYPE,
  PNG,
} from '../contract/jsonapi/support.ts'

const TAGS = 'taxonomy_term--tags'

interface Resource {
  readonly id: string
  readonly type: string
  readonly attributes: Record<string, unknown>
}

interface Document {
  readonly data: Resource
}

interface Collection {
  readonly data: readonly Resource[]
}

/** Real clients, unmodified, and the requests of one that is not installed. */
export const jsonApiClients = jsonApiSuite('clients of JSON:API', (jsonApi) => {
  const { server, create, keys, call, ok } = jsonApi
  let tag = ''

  before(async () => {
    tag = await create(TAGS, { name: 'Red' })
    for (const title of ['Alpha', 'Beta', 'Gamma']) {
      await create('node--article', { title, rating: title.length }, { tags: linkTo(TAGS, tag) })
    }
  })

  const titlesOf = (list: readonly Resource[]) => list.map(({ attributes }) => attributes['title'])

  test('jsonapi 19: @drupal-api-client lists, reads, creates, updates and deletes', async () => {
    const client = new JsonApiClient(server().url, {
      authentication: {
        type: 'Basic',
        credentials: { username: ADMIN_EMAIL, password: ADMIN_PASSWORD },
      },
    })
    const params = new DrupalJsonApiParams()
      .addFilter('title', 'a', 'CONTAINS')
      .addGroup('either', 'OR')
      .addFilter('title', 'Alpha', '=', 'either')
      .addFilter('title', ['Beta', 'Delta'], 'IN', 'either')
      .addInclude(['tags'])
      .addFields('node--article', ['title', 'tags'])
      .addSort('title', 'DESC')
      .addPageLimit(10)
    const found = await client.getCollection<Collection>('node--article', {
      queryString: params.getQueryString(),
    })
    assert.ok('data' in found)
    assert.deepEqual(titlesOf(found.data), ['Beta', 'Alpha'])
    const made = await client.createResource<Document>('node--article', {
      data: { type: 'node--article', attributes: { title: 'Made by the client' } },
    })
    assert.ok('data' in made)
    const { id } = made.data
    const changed = await client.updateResource<Document>('node--article', id, {
      data: { type: 'node--article', id, attributes: { title: 'Changed by the client' } },
    })
    assert.ok('data' in changed)
    assert.equal(changed.data.attributes['title'], 'Changed by the client')
    const read = await client.getResource<Document>('node--article', id)
    assert.ok('data' in read)
    assert.equal(read.data.attributes['title'], 'Changed by the client')
    const byPath = await client.getResourceByPath('/articles/made-by-the-client')
    assert.equal(Object(byPath).data?.id, id)
    await client.deleteResource('node--article', id)
    assert.equal((await call('GET', `/jsonapi/node/article/${id}`)).status, 404)
  })

  test('jsonapi 19: queries of drupal-jsonapi-params mean what they say', async () => {
    const asked = async (params: DrupalJsonApiParams) => {
      const { data } = await ok(
        'GET',
        `/jsonapi/node/article?${params.getQueryString({ encode: false })}`,
      )
      return titlesOf(data)
    }
    const by = () => new DrupalJsonApiParams().addSort('title')
    assert.deepEqual(await asked(by().addFilter('title', 'Beta')), ['Beta'])
    assert.deepEqual(await asked(by().addFilter('rating', '4', '>')), ['Alpha', 'Gamma'])
    assert.deepEqual(await asked(by().addFilter('body', null, 'IS NULL')), [
      'Alpha',
      'Beta',
      'Gamma',
    ])
    assert.deepEqual(await asked(by().addFilter('rating', ['4', '4.5'], 'BETWEEN')), ['Beta'])
    assert.deepEqual(
      await asked(by().addFilter('tags.name', 'red').addFilter('title', ['Alpha'], 'NOT IN')),
      ['Beta', 'Gamma'],
    )
    const numbered = Array.from({ length: 25 }, (_, n) => `Title ${n}`)
    assert.deepEqual(await asked(by().addFilter('title', [...numbered, 'Gamma'], 'IN')), ['Gamma'])
  })

  test('jsonapi 19: kitsu lists, reads, creates, updates and deletes', async () => {
    const kitsu = new Kitsu({
      baseURL: `${server().url}/jsonapi`,
      pluralize: false,
      camelCaseTypes: false,
      resourceCase: 'none',
      headers: { Authorization: `Bearer ${keys.write}` },
    })
    const list = await kitsu.get('node/article', {
      params: { filter: { title: 'Alpha' }, include: 'tags', page: { limit: 5 } },
    })
    assert.equal(list.data.length, 1)
    assert.equal(list.data[0].tags.data[0].name, 'Red')
    const made = await kitsu.create('node/article', { title: 'By kitsu' })
    assert.equal(made.status, 201)
    const { id } = made.data
    const read = await kitsu.get(`node--article/${id}`)
    assert.equal(read.data.title, 'By kitsu')
    const changed = await kitsu.update('node/article', { id, title: 'By kitsu again' })
    assert.equal(changed.data.title, 'By kitsu again')
    await kitsu.remove('node/article', id)
    assert.equal((await call('GET', `/jsonapi/node/article/${id}`)).status, 404)
  })

  test('jsonapi 19: jsona reads documents and writes what can be sent', async () => {
    const jsona = new Jsona()
    const document = await ok('GET', '/jsonapi/node/article?filter[title]=Alpha&include=tags')
    const [model] = [jsona.deserialize(document)].flat()
    assert.equal(Object(model).tags[0].name, 'Red')
    const sent = jsona.serialize({
      stuff: {
        type: 'node--article',
        title: 'By jsona',
        tags: [{ type: TAGS, id: tag }],
        relationshipNames: ['tags'],
      },
    })
    const made = await ok('POST', '/jsonapi/node/article?include=tags', { body: sent })
    const again = Object(jsona.deserialize(made))
    assert.deepEqual([again.title, again.tags[0].name], ['By jsona', 'Red'])
    const change = jsona.serialize({
      stuff: { type: again.type, id: again.id, title: 'By jsona 2' },
    })
    const changed = await ok('PATCH', `/jsonapi/node/article/${again.id}`, { body: change })
    assert.equal(changed.data.attributes.title, 'By jsona 2')
    await ok('DELETE', `/jsonapi/node/article/${again.id}`)
  })

  test('jsonapi 19: next-drupal lists, reads, creates, updates and deletes', async () => {
    const drupal = new NextDrupal(server().url, {
      auth: () => `Bearer ${keys.write}`,
    })
    const params = new DrupalJsonApiParams()
      .addInclude(['tags'])
      .addFields('node--article', ['title', 'tags', 'path'])
      .addFilter('status', '1')
      .addSort('title', 'DESC')
    const list = await drupal.getResourceCollection('node--article', {
      params: params.getQueryObject(),
    })
    assert.deepEqual(
      list.map((each: JsonApiResource) => [each['title'], each['tags'][0].name]),
      ['Gamma', 'Beta', 'Alpha'].map((title) => [title, 'Red']),
    )
    assert.ok((await drupal.getIndex()).links?.['node--article'])
    const attributes = {
      title: 'By next-drupal',
      body: { value: '<p>Hi</p>', format: 'basic_html' },
    }
    const relationships = { main: { data: { type: TAGS, id: tag } } }
    const made = await drupal.createResource('node--article', {
      data: { attributes, relationships },
    })
    assert.deepEqual([made['title'], made['main'].id], ['By next-drupal', tag])
    const changed = await drupal.updateResource('node--article', made.id, {
      data: { attributes: { title: 'Changed by next-drupal' } },
    })
    assert.equal(changed['title'], 'Changed by next-drupal')
    const read = await drupal.getResource('node--article', made.id, { params: { include: 'main' } })
    assert.equal(read['main'].name, 'Red')
    const file = await drupal.createFileResource('file--file', {
      data: {
        attributes: { type: 'node--article', field: 'cover', filename: 'dot.png', file: PNG },
      },
    })
    assert.ok(file.id)
    assert.equal(await drupal.deleteResource('node--article', made.id, { withAuth: true }), true)
    await assert.rejects(
      drupal.getResource('node--article', made.id),
      (error) => error instanceof JsonApiErrors && error.statusCode === 404,
    )
  })

  test('jsonapi 19: next-drupal finds pages by their paths, through /subrequests and translate-path', async () => {
    const drupal = new NextDrupal(server().url, {
      auth: () => `Bearer ${keys.write}`,
    })
    const path = '/articles/alpha'
    const translated = await drupal.translatePath(path)
    assert.equal(translated?.jsonapi?.resourceName, 'node--article')
    const page = await drupal.getResourceByPath(path, { params: { include: 'tags' } })
    assert.deepEqual([page['title'], page['tags'][0].name], ['Alpha', 'Red'])
    assert.equal(page.id, translated?.entity.uuid)
    assert.equal(await drupal.translatePath('/articles/nowhere'), null)
    assert.equal(await drupal.getResourceByPath('/articles/nowhere'), null)
    const segments = await drupal.getResourceCollectionPathSegments('node--article')
    assert.ok(
      segments.some((each: { path: string }) => each.path === path),
      JSON.stringify(segments),
    )
    // A draft is found by who may see it, as its working copy.
    const draft = await create('node--article', { title: 'Only a draft', status: false })
    const working = { resourceVersion: 'rel:working-copy' }
    const seen = await drupal.getResourceByPath('/articles/only-a-draft', {
      ...{ withAuth: true, params: working },
    })
    assert.equal(seen?.id, draft)
    await assert.rejects(
      drupal.getResourceByPath('/articles/only-a-draft'),
      (error) => error instanceof JsonApiErrors && [401, 403].includes(Number(error.statusCode)),
    )
    // In another language.
    await ok('PATCH', `/da/jsonapi/node/article/${page.id}`, {
      body: { data: { type: 'node--article', id: page.id, attributes: { title: 'Alfa' } } },
    })
    const languages = { locale: 'da', defaultLocale: 'en' }
    const danish = await drupal.getResource('node--article', page.id, languages)
    assert.deepEqual([danish['title'], danish['langcode']], ['Alfa', 'da'])
    const alias = danish['path'].alias
    const byPath = await drupal.getResourceByPath(alias, languages)
    assert.equal(byPath?.['title'], 'Alfa')
    await ok('DELETE', `/jsonapi/node/article/${draft}`)
  })

  test('jsonapi 19: the requests of next-drupal', async () => {
    const json = { accept: MEDIA_TYPE, 'content-type': MEDIA_TYPE }
    const index = await ok('GET', '/jsonapi', { key: null, headers: json })
    assert.ok(index.links['node--article'].href)
    const paths = await ok(
      'GET',
      '/jsonapi/node/article?fields%5Bnode--article%5D=path&filter%5Bstatus%5D=1',
      { key: null, headers: json },
    )
    assert.deepEqual(Object.keys(paths.data[0].attributes), ['path'])
    const path = paths.data[0].attributes.path.alias
    const translated = await call(
      'GET',
      `/router/translate-path?path=${encodeURIComponent(path)}`,
      {
        key: null,
        headers: json,
      },
    )
    const individual = new URL(translated.body.jsonapi.individual)
    const page = await ok('GET', `${individual.pathname}?resourceVersion=rel%3Alatest-version`, {
      key: null,
      headers: json,
    })
    assert.equal(page.data.attributes.path.alias, path)
    const missing = await call(
      'GET',
      '/jsonapi/node/article/00000000-0000-4000-8000-000000000000',
      {
        key: null,
        headers: json,
      },
    )
    assert.equal(missing.headers.get('content-type'), MEDIA_TYPE)
    assert.ok(missing.body.errors[0].detail)
    const headers = { ...json, authorization: `Bearer ${keys.write}` }
    const body = { data: { type: 'node--article', attributes: { title: 'By next' } } }
    const made = await ok('POST', '/jsonapi/node/article', { key: null, headers, body })
    const { id } = made.data
    const change = { data: { type: 'node--article', id, attributes: { title: 'By next 2' } } }
    await ok('PATCH', `/jsonapi/node/article/${id}`, { key: null, headers, body: change })
    await ok('DELETE', `/jsonapi/node/article/${id}`, { key: null, headers })
  })

  test('jsonapi 19: the requests of devour-client', async () => {
    const headers = {
      accept: MEDIA_TYPE,
      'content-type': MEDIA_TYPE,
      authorization: `Bearer ${keys.write}`,
    }
    const how = { key: null, headers }
    const list = await ok('GET', '/jsonapi/node--article?page%5Blimit%5D=2&include=tags', how)
    assert.equal(list.data.length, 2)
    const body = {
      data: {
        type: 'node--article',
        attributes: { title: 'By devour' },
        relationships: { tags: { data: [{ id: tag, type: TAGS }] } },
      },
    }
    const { data } = await ok('POST', '/jsonapi/node--article', { ...how, body })
    assert.equal((await ok('GET', `/jsonapi/node--article/${data.id}`, how)).data.id, data.id)
    const change = {
      data: { id: data.id, type: 'node--article', attributes: { title: 'Devoured' } },
    }
    await ok('PATCH', `/jsonapi/node--article/${data.id}`, { ...how, body: change })
    await ok('DELETE', `/jsonapi/node--article/${data.id}`, how)
  })
})
