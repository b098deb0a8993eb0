import assert from 'node:assert/strict'
import { before } from 'node:test'
import {
  ADMIN_KEY,
  type Answer,
  contentSuite,
  createCalls,
  type DatabaseKind,
  installation,
  relationTo,
  type Sent,
  shareServer,
  startServer,
} from '#test-kit'
import { checkDocument } from './schema.ts'

export const ADMIN_EMAIL = 'ada@example.org'
export const ADMIN_PASSWORD = 'correct horse battery'
export const MEDIA_TYPE = 'application/vnd.api+json'

/** Types with every kind of field; `vault` needs a key, `sealed` one of an administrator, `tags` are terms, `sample` shows filters. */
const TYPES = {
  components: [
    {
      name: 'seo',
      displayName: 'Seo',
      attributes: { description: { type: 'string', maxLength: 20 }, image: { type: 'media' } },
    },
    {
      name: 'choice',
      displayName: 'Choice',
      attributes: {
        books: relationTo('manyToMany', 'book'),
        tags: relationTo('manyToMany', 'tag'),
        sealed: relationTo('manyToOne', 'sealed'),
      },
    },
  ],
  contentTypes: [
    {
      singularName: 'tag',
      pluralName: 'tags',
      entityType: 'taxonomy_term',
      bundle: 'tags',
      attributes: {
        name: { type: 'string', required: true },
        weight: { type: 'integer' },
        parent: relationTo('manyToOne', 'tag'),
      },
    },
    {
      singularName: 'vault',
      pluralName: 'vaults',
      publicRead: false,
      attributes: { name: { type: 'string' } },
    },
    {
      singularName: 'comment',
      pluralName: 'comments',
      attributes: {
        body: { type: 'text', required: true },
        article: relationTo('manyToOne', 'article', { inversedBy: 'comments' }),
      },
    },
    {
      singularName: 'article',
      pluralName: 'articles',
      draftAndPublish: true,
      localized: true,
      attributes: {
        title: { type: 'string', required: true, maxLength: 100 },
        slug: { type: 'uid', targetField: 'title' },
        code: { type: 'string', unique: true },
        body: { type: 'richtext' },
        rating: { type: 'float', localized: false },
        published: { type: 'datetime' },
        type: { type: 'string' },
        words: { type: 'tags' },
        home: { type: 'link' },
        cover: { type: 'media', allowedTypes: ['images'] },
        gallery: { type: 'media', multiple: true },
        tags: relationTo('manyToMany', 'tag'),
        main: relationTo('manyToOne', 'tag'),
        vault: relationTo('manyToOne', 'vault'),
        comments: relationTo('oneToMany', 'comment', { mappedBy: 'article' }),
        seo: { type: 'component', component: 'default.seo' },
        secret: { type: 'string', private: true },
      },
    },
    {
      singularName: 'sample',
      pluralName: 'samples',
      attributes: {
        name: { type: 'string' },
        note: { type: 'text' },
        whole: { type: 'integer' },
        price: { type: 'decimal' },
        flag: { type: 'boolean' },
        day: { type: 'date' },
        moment: { type: 'datetime' },
        tags: relationTo('manyToMany', 'tag'),
        main: relationTo('manyToOne', 'tag'),
      },
    },
    {
      singularName: 'box',
      pluralName: 'boxes',
      attributes: {
        title: { type: 'string', required: true },
        owner: { ...relationTo('manyToOne', 'tag'), required: true },
        parts: relationTo('manyToMany', 'tag'),
      },
    },
    {
      singularName: 'shelf',
      pluralName: 'shelves',
      draftAndPublish: true,
      localized: true,
      attributes: {
        title: { type: 'string', required: true },
        best: relationTo('manyToOne', 'book'),
        shown: relationTo('manyToMany', 'book'),
        books: relationTo('oneToMany', 'book', { mappedBy: 'shelf' }),
        tags: relationTo('manyToMany', 'tag'),
        choice: { type: 'component', component: 'default.choice' },
      },
    },
    {
      singularName: 'book',
      pluralName: 'books',
      draftAndPublish: true,
      attributes: {
        title: { type: 'string', required: true },
        shelf: relationTo('manyToOne', 'shelf', { inversedBy: 'books' }),
      },
    },
    {
      singularName: 'memo',
      pluralName: 'memos',
      draftAndPublish: true,
      permissions: { read: ['read'], write: ['create', 'update'] },
      attributes: { title: { type: 'string' } },
    },
    {
      singularName: 'sealed',
      pluralName: 'sealeds',
      permissions: { public: [], read: [], write: [] },
      attributes: { name: { type: 'string' } },
    },
  ],
}

export type JsonApiServer = ReturnType<typeof jsonApiServer>

/** One server for all tests of a `describe`, with keys of both levels and the starter types. */
export function jsonApiServer(kind: DatabaseKind) {
  const keys = { write: '', read: '' }
  const server = shareServer(async () => {
    const settings = {
      ENTREPOT_ADMIN_KEY: ADMIN_KEY,
      ENTREPOT_ADMIN_EMAIL: ADMIN_EMAIL,
      ENTREPOT_ADMIN_PASSWORD: ADMIN_PASSWORD,
      ENTREPOT_AUTH_BASIC: 'true',
      ENTREPOT_STARTER: 'types',
    }
    return startServer(await installation(kind, settings))
  })
  const calls = caller(() => server().url)
  before(async () => {
    const figures = { name: 'Test', requests_per_month: -1, requests_per_minute: -1 }
    const plan = await calls.json('POST', '/api/v1/plans', figures)
    for (const access of ['write', 'read'] as const) {
      const body = { plan_id: plan.data.id, access }
      keys[access] = (await calls.json('POST', '/api/v1/keys', body)).data.key
    }
  })
  return { server, keys, ...calls }
}

/** Tests on a server they share, which has these types and a second language. */
export function jsonApiSuite(name: string, define: (jsonApi: JsonApiServer) => void) {
  return suite(name, define, TYPES)
}

/** Likewise with the starter types; the first suite, because they are gone after it. */
export function starterSuite(name: string, define: (jsonApi: JsonApiServer) => void) {
  return suite(name, define)
}

function suite(name: string, define: (jsonApi: JsonApiServer) => void, types?: object) {
  return (jsonApi: JsonApiServer) =>
    contentSuite(name, jsonApi.others, {
      async prepare() {
        const { json } = jsonApi
        if (types) await json('POST', '/api/v1/content-types/batch', types)
        await json('POST', '/api/v1/locales', { code: 'da', name: 'Danish' })
      },
      define: () => define(jsonApi),
    })
}

/** Shorthands for calls of one server; paths are whole. */
function caller(url: () => string) {
  const plain = createCalls(url, { contentType: MEDIA_TYPE })
  const others = createCalls(url)
  return { others, call, ok, json, create, ids, refused }

  /** Every document is checked against the schema of the specification. */
  async function call(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const answer = await plain.call(method, path, sent)
    const isDocument = answer.headers.get('content-type')?.startsWith(MEDIA_TYPE)
    if (isDocument && method !== 'HEAD') {
      checkDocument(answer.body, `${method} ${path}: ${answer.status}`, path.includes('fields'))
    }
    return answer
  }

  /** The document of an answer that must succeed. */
  async function ok(method: string, path: string, sent: Sent = {}) {
    const { status, body } = await call(method, path, sent)
    assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(body)}`)
    return body
  }

  /** For the other interfaces of the server. */
  function json(method: string, path: string, body?: unknown, key = ADMIN_KEY) {
    return others.ok(method, path, { key, body })
  }

  /** The id of a new resource of a type such as `node--article`. */
  async function create(type: string, attributes: object, relationships: object = {}) {
    const path = `/jsonapi/${type.replace('--', '/')}`
    const body = { data: { type, attributes, relationships } }
    return String((await ok('POST', path, { body })).data.id)
  }

  /** The ids a list answers, and that its count agrees with them when it is whole. */
  async function ids(path: string, sent: Sent = {}): Promise<string[]> {
    const { data, meta, links } = await ok('GET', path, sent)
    const found = data.map(({ id }: { id: string }) => id)
    if (!links.next && !links.prev) assert.equal(meta.count, found.length, path)
    return found
  }

  /** The errors of an answer that must have this status. */
  async function refused(status: number, method: string, path: string, sent: Sent = {}) {
    const answer = await call(method, path, sent)
    const told = JSON.stringify(answer.body)
    assert.equal(answer.status, status, `${method} ${path}: ${answer.status} ${told}`)
    assert.equal(answer.headers.get('content-type'), MEDIA_TYPE)
    return answer.body.errors
  }
}

/** A picture of one dot. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Linkage to resources of one type. */
export function linkTo(type: string, ...ids: string[]) {
  return { data: ids.map((id) => ({ type, id })) }
}
