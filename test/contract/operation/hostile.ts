import { describe, test } from 'node:test'
import { ADMIN_KEY } from '#test-kit'
import {
  cmsErrors,
  type ErrorShape,
  type HostileTarget,
  houseErrors,
  jsonApiErrors,
  problemErrors,
  sendHostile,
} from '../../kit/hostile.ts'
import type { fillContent, OperationServer } from './support.ts'

type Filled = Awaited<ReturnType<typeof fillContent>>

interface Interface {
  readonly name: string
  readonly shape: ErrorShape
  targets(filled: Filled): readonly HostileTarget[]
}

const ARTICLE = {
  ...{ title: 'T', slug: 's', body: 'text', kind: 'news', rank: 1, big: '12', price: 1.5 },
  ...{ ratio: 0.5, flag: true, day: '2026-01-02', clock: '10:00:00.000', words: ['a'] },
  ...{ moment: '2026-01-02T10:00:00.000Z', extra: { a: [1] }, mail: 'a@example.com', pin: 'x' },
  ...{
    link: { url: 'https://example.com', title: 'L' },
    seo: { note: 'n' },
    parts: [{ note: 'n' }],
  },
}
const MODEL = {
  ...{ singularName: 'hostile', pluralName: 'hostiles', draftAndPublish: true, localized: true },
  attributes: {
    title: { type: 'string', maxLength: 5, default: 'a' },
    kind: { type: 'enumeration', enum: ['a', 'b'] },
    author: { type: 'relation', relation: 'manyToOne', target: 'author' },
  },
}

const REST: Interface = {
  name: '/api/v1 content',
  shape: houseErrors,
  targets: ({ ids, author }) => {
    const list = [
      ...['page', 'per_page', 'limit', 'after_id', 'before_id', 'cursor', 'sort', 'order', 'count'],
      ...['include', 'fields', 'locale', 'status', 'title', 'rank', 'rank[gte]', 'title[contains]'],
      ...['author.name', 'moment[lt]', 'filter[title]', 'q', 'price[in]', 'day[between]'],
    ]
    const body = { ...ARTICLE, author, related: ids }
    const one = '/api/v1/articles/{id}'
    const operations = [
      { op: 'create', data: { title: 'T' } },
      { op: 'update', id: ids[0], data: { title: 'U' } },
      { op: 'delete', id: 999_999 },
    ]
    return [
      { method: 'GET', path: '/api/v1/articles', query: list },
      { method: 'GET', path: '/api/v2/articles', query: list },
      { method: 'GET', path: '/api/v1/{collection}', ids: ['articles', 'homes'], query: list },
      { method: 'GET', path: one, ids, query: ['include', 'fields', 'locale', 'status'] },
      { method: 'GET', path: `${one}/{relation}`, ids: [...ids, 'author', 'related'], query: list },
      { method: 'POST', path: '/api/v1/articles', body, query: ['locale', 'status'] },
      { method: 'PUT', path: one, ids, body, query: ['locale'] },
      { method: 'PATCH', path: one, ids, body, query: ['locale'] },
      { method: 'DELETE', path: one, query: ['locale'] },
      { method: 'POST', path: '/api/v1/articles/bulk', body: { operations, atomic: true } },
      { method: 'POST', path: '/api/v2/articles/bulk', body: { operations } },
      { method: 'GET', path: '/api/v1/changes', query: ['since', 'limit', 'types', 'cursor'] },
      { method: 'POST', path: '/api/v1/media', multipart: true },
      { method: 'GET', path: '/api/v1/media', query: ['page', 'sort', 'name', 'mime', 'limit'] },
      { method: 'PATCH', path: '/api/v1/media/{id}', ids: [1], body: { name: 'a', caption: 'b' } },
      { method: 'POST', path: '/api/v1/content-types', body: MODEL },
      { method: 'PUT', path: '/api/v1/content-types/{name}', ids: ['hostile'], body: MODEL },
      { method: 'PATCH', path: '/api/v1/content-types/{name}', ids: ['hostile'], body: MODEL },
      { method: 'DELETE', path: '/api/v1/content-types/{name}', query: ['force'] },
      { method: 'GET', path: '/api/v1/components/{name}', ids: ['default.seo'] },
      {
        method: 'POST',
        path: '/api/v1/components',
        body: { name: 'x', attributes: { a: { type: 'string' } } },
      },
      {
        method: 'POST',
        path: '/api/v1/locales',
        body: { code: 'de', name: 'German', fallback: 'en' },
      },
      { method: 'GET', path: '/api/v1/openapi.json' },
    ]
  },
}

const CMS: Interface = {
  name: '/api',
  shape: cmsErrors,
  targets: ({ ids, author }) => {
    const list = [
      ...[
        'filters[title][$eq]',
        'filters[rank][$gte]',
        'filters[$or][0][rank]',
        'filters[author][name]',
      ],
      ...['filters[$not][title][$contains]', 'filters[day][$between][0]', 'filters[extra]', 'sort'],
      ...['sort[0]', 'pagination[page]', 'pagination[pageSize]', 'pagination[start]', 'fields[0]'],
      ...['pagination[limit]', 'pagination[withCount]', 'populate', 'populate[author][fields][0]'],
      ...['populate[0]', 'locale', 'status', 'publicationState', 'populate[seo][filters][note]'],
    ]
    const body = { data: { ...ARTICLE, author, related: ids } }
    return [
      { method: 'GET', path: '/api/articles', query: list },
      { method: 'GET', path: '/api/{collection}', ids: ['articles', 'home'], query: list },
      { method: 'GET', path: '/api/articles/{id}', ids, query: list },
      { method: 'POST', path: '/api/articles', body, query: ['locale', 'status', 'populate'] },
      { method: 'POST', path: '/api/articles', multipart: true },
      { method: 'PUT', path: '/api/articles/{id}', ids, body, query: ['locale'] },
      { method: 'DELETE', path: '/api/articles/{id}', query: ['locale'] },
      {
        method: 'POST',
        path: '/api/articles/{id}/localizations',
        ids,
        body: { locale: 'fr', title: 'F' },
      },
      { method: 'PUT', path: '/api/home', body: { data: { title: 'H' } }, query: ['locale'] },
      { method: 'POST', path: '/api/upload', multipart: true, query: ['id'] },
      { method: 'GET', path: '/api/upload/files', query: list },
      { method: 'GET', path: '/api/upload/files/{id}', ids: [1] },
      { method: 'DELETE', path: '/api/upload/files/{id}' },
      { method: 'GET', path: '/api/i18n/locales', query: ['x'] },
      {
        method: 'GET',
        path: '/api/content-type-builder/content-types/{uid}',
        ids: ['api::article.article'],
      },
    ]
  },
}

const JSONAPI: Interface = {
  name: '/jsonapi',
  shape: jsonApiErrors,
  targets: ({ documents, author }) => {
    const list = [
      ...[
        'filter[title]',
        'filter[rank][value]',
        'filter[a][condition][path]',
        'filter[or][group]',
      ],
      ...[
        'filter[a][condition][operator]',
        'filter[a][condition][value][0]',
        'filter[author.name]',
      ],
      ...['filter[or][group][conjunction]', 'filter[a][condition][memberOf]', 'sort', 'include'],
      ...[
        'page[limit]',
        'page[offset]',
        'page[cursor]',
        'fields[node--article]',
        'resourceVersion',
      ],
    ]
    const attributes = { title: 'T', rank: 1, price: '1.5', extra: { a: 1 }, status: true }
    const data = {
      type: 'node--article',
      id: documents[0],
      attributes,
      relationships: { related: { data: [] } },
    }
    const one = '/jsonapi/node/article/{id}'
    const linkage = { data: [{ type: 'node--article', id: documents[1] }] }
    const near = `${one}/relationships/{name}`
    return [
      { method: 'GET', path: '/jsonapi', query: ['x'] },
      { method: 'GET', path: '/jsonapi/node/article', query: list },
      {
        method: 'GET',
        path: '/jsonapi/{kind}/{bundle}',
        ids: ['node', 'article', 'media'],
        query: list,
      },
      { method: 'GET', path: '/fr/jsonapi/node/article', query: list },
      { method: 'GET', path: one, ids: documents, query: list },
      {
        method: 'GET',
        path: `${one}/{related}`,
        ids: [...documents, 'author', 'related'],
        query: list,
      },
      { method: 'GET', path: near, ids: [...documents, 'related'], query: list },
      { method: 'POST', path: '/jsonapi/node/article', body: { data: { ...data, id: undefined } } },
      { method: 'PATCH', path: one, ids: documents, body: { data } },
      { method: 'DELETE', path: one },
      { method: 'POST', path: near, ids: [...documents, 'related'], body: linkage },
      { method: 'PATCH', path: near, ids: [...documents, 'related', author], body: linkage },
      { method: 'DELETE', path: near, ids: [...documents, 'related'], body: linkage },
      { method: 'POST', path: `${one}/{field}`, ids: [...documents, 'cover'], body: { a: 1 } },
    ]
  },
}

const DELIVERY: Interface = {
  name: '/cms/delivery',
  shape: problemErrors,
  targets: ({ documents }) => {
    const list = [
      'fetch',
      'filter',
      'sort',
      'skip',
      'take',
      'expand',
      'fields',
      'id',
      'contentType',
    ]
    const base = '/cms/delivery/api/v2'
    return [
      { method: 'GET', path: `${base}/content`, query: list },
      { method: 'GET', path: `${base}/content/item/{id}`, ids: [...documents, 'one'], query: list },
      { method: 'GET', path: `${base}/content/item/{a}/{b}`, ids: documents, query: list },
      { method: 'GET', path: `${base}/content/items`, ids: documents, query: list },
      { method: 'GET', path: `${base}/media`, query: list },
      { method: 'GET', path: `${base}/media/item/{id}`, ids: documents, query: list },
      { method: 'GET', path: `${base}/media/items`, query: list },
      { method: 'GET', path: `${base}/{part}`, ids: ['content', 'media'], query: list },
    ]
  },
}

const INTERFACES = [REST, CMS, JSONAPI, DELIVERY]
const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/jsonapi': { 'X-API-Key': ADMIN_KEY, 'Content-Type': 'application/vnd.api+json' },
}

/** `count` requests for each interface of content; nothing is 500, and every error has its shape. */
export function hostileSuite(
  operation: OperationServer,
  filled: () => Filled,
  { count, seed }: { readonly count: number; readonly seed: number },
): void {
  describe('requests that no honest client sends', () => {
    for (const { name, shape, targets } of INTERFACES) {
      test(`operation 12: ${count} hostile requests to ${name}: no 500, no error of another shape`, async (t) => {
        const statuses = await sendHostile({
          ...{ url: operation.server().url, targets: targets(filled()), count, seed, shape },
          headers: HEADERS[name] ?? { 'X-API-Key': ADMIN_KEY },
        })
        t.diagnostic(JSON.stringify(Object.fromEntries(statuses)))
      })
    }
  })
}
