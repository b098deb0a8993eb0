import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { OperationServer } from './support.ts'

const JSONAPI = { 'content-type': 'application/vnd.api+json' }

/** An attribute of every kind: what examples of other types are made from. */
const VALUES = {
  ...{ title: 'Paper cranes', body: '<p>Fold here.</p>', kind: 'news' },
  ...{ rank: 3, big: '9007199254740993', price: '12.50', ratio: 0.5, flag: true },
  ...{ day: '2026-01-31', clock: '12:30:00', moment: '2026-01-31T12:30:00.000Z' },
  ...{ words: ['paper', 'birds'], extra: { sheets: 1 }, mail: 'ada@example.org' },
  ...{
    link: { url: 'https://example.org/cranes' },
    seo: { note: 'Cranes' },
    parts: [{ note: 'First' }],
  },
}

/**
 * Every operation that the documents describe for a content type, once and with success. `npm run docs:examples`
 * takes the examples of content types from here.
 */
export function typeOperationsSuite({ call, data, ok }: OperationServer): void {
  describe('operations of a content type', () => {
    for (const version of ['v1', 'v2']) {
      test(`operation finding 20: /api/${version} answers every operation it describes`, async () => {
        const articles = `/api/${version}/articles`
        const author = (await data('POST', '/api/v1/authors', { body: { name: 'Grace' } })).id
        const { id } = await data('POST', articles, { body: { ...VALUES, author } })
        const one = `${articles}/${id}`
        await ok('PUT', one, { body: { ...VALUES, author } })
        await ok('PATCH', `${one}?status=draft`, { body: { ...VALUES, rank: 4 } })
        await ok('POST', `${one}/discard-draft`)
        await ok('POST', `${one}/unpublish`)
        await ok('POST', `${one}/publish`)
        await ok('GET', one)
        await ok('GET', `${articles}?sort=rank&per_page=1`)
        const { data: revisions } = await ok('GET', `${one}/revisions`)
        const revision = `${one}/revisions/${revisions[0].id}`
        await ok('GET', revision)
        await ok('POST', `${revision}/restore`)
        await ok('GET', `${one}/author`)
        await ok('POST', `${one}/related`, { body: { title: 'Paper boats' } })
        await ok('GET', `${one}/related`)
        const operations = [{ op: 'create', data: { title: 'Paper planes' } }]
        const { results } = (await ok('POST', `${articles}/bulk`, { body: { operations } })).data
        assert.equal(results?.length ?? 1, 1)
        await ok('GET', `/api/${version}/changes?limit=1&types=articles`)
        assert.equal((await call('DELETE', one)).status, 204)
      })
    }

    test('operation finding 20: the CMS answers every operation it describes', async () => {
      const author = (await data('POST', '/api/v1/authors', { body: { name: 'Grace' } })).id
      const body = { data: { ...VALUES, author } }
      const { id } = await data('POST', '/api/articles?populate=*', { body })
      const one = `/api/articles/${id}`
      await ok('PUT', `${one}?populate=*`, { body })
      await ok('GET', `${one}?populate=*`)
      await ok('GET', '/api/articles?populate=*&pagination[pageSize]=1&sort=id:desc')
      await ok('POST', `${one}/localizations`, { body: { ...VALUES, locale: 'fr' } })
      await ok('GET', '/api/i18n/locales')
      await ok('DELETE', one)
    })

    test('operation finding 20: content delivery answers every operation it describes', async () => {
      const body = { ...VALUES, title: 'Delivered' }
      const { document_id: id } = await data('POST', '/api/v1/articles', { body })
      const delivered = '/cms/delivery/api/v2'
      await ok('GET', `${delivered}/content?take=1`)
      await ok('GET', `${delivered}/content/item/${id}`)
      await ok('GET', `${delivered}/content/items?id=${id}`)
      const form = new FormData()
      form.set('file', new File(['A text'], 'text.txt'))
      const { uuid } = await data('POST', '/api/v1/media', { form })
      await ok('GET', `${delivered}/media?take=1`)
      await ok('GET', `${delivered}/media/item/${uuid}`)
      await ok('GET', `${delivered}/media/items?id=${uuid}`)
    })

    test('operation finding 20: JSON:API answers every operation it describes', async () => {
      const type = 'node--article'
      const nodes = '/jsonapi/node/article'
      const grace = await data('POST', '/api/v1/authors', { body: { name: 'Grace' } })
      const author = { data: { type: 'node--author', id: grace.document_id } }
      const { seo: _seo, parts: _parts, link: _link, ...attributes } = VALUES
      const send = (method: string, path: string, resource: unknown) =>
        call(method, path, { body: { data: resource }, headers: JSONAPI })
      const made = await send('POST', nodes, { type, attributes, relationships: { author } })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      const { id } = made.body.data
      const one = `${nodes}/${id}`
      const changed = await send('PATCH', one, { type, id, attributes })
      assert.equal(changed.status, 200, JSON.stringify(changed.body))
      await ok('GET', one)
      await ok('GET', `${nodes}?page[limit]=1&sort=-created`)
      await ok('GET', `${one}/author`)
      await ok('GET', `${one}/related`)
      const links = `${one}/relationships`
      const other = await send('POST', nodes, { type, attributes: { title: 'Paper boats' } })
      const boats = [{ type, id: other.body.data.id }]
      for (const [method, path, linked] of [
        ['PATCH', `${links}/author`, author.data],
        ['PATCH', `${links}/related`, boats],
        ['DELETE', `${links}/related`, boats],
        ['POST', `${links}/related`, boats],
      ] as const) {
        const { status, body } = await send(method, path, linked)
        assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(body)}`)
      }
      const form = new FormData()
      form.set('file', new File(['A text'], 'text.txt'))
      const { uuid } = await data('POST', '/api/v1/media', { form })
      const cover = await send('PATCH', `${links}/cover`, { type: 'media--document', id: uuid })
      assert.ok(cover.status < 300, JSON.stringify(cover.body))
      await ok('GET', `${links}/cover`)
      await ok('GET', `${one}/cover`)
      const media = `/jsonapi/media/document/${uuid}`
      await ok('GET', media)
      const named = { type: 'media--document', id: uuid, attributes: { name: 'A text' } }
      const renamed = await send('PATCH', media, named)
      assert.equal(renamed.status, 200, JSON.stringify(renamed.body))
      await ok('GET', '/jsonapi/media/document')
      const { data: files } = await ok('GET', '/jsonapi/file/file')
      await ok('GET', `/jsonapi/file/file/${files[0].id}`)
      assert.equal((await call('DELETE', media)).status, 204)
      await ok('GET', `${links}/author`)
      await ok('GET', `${links}/related`)
      assert.equal((await call('DELETE', one)).status, 204)
    })
  })
}
