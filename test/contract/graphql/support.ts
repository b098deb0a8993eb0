import assert from 'node:assert/strict'
import {
  ADMIN_KEY,
  type Answer,
  contentSuite,
  createCalls,
  type DatabaseKind,
  installation,
  relationTo,
  shareServer,
  startServer,
} from '#test-kit'

const AUTHOR_OF = { mappedBy: 'author' }

/** Every kind of attribute and relation; `vaults` need a key. */
const TYPES = {
  components: [
    {
      name: 'seo',
      displayName: 'Seo',
      attributes: {
        description: { type: 'string' },
        image: { type: 'media' },
        reviewer: relationTo('manyToOne', 'author'),
      },
    },
  ],
  contentTypes: [
    {
      singularName: 'author',
      pluralName: 'authors',
      attributes: {
        name: { type: 'string', required: true },
        avatar: { type: 'media' },
        posts: relationTo('oneToMany', 'post', AUTHOR_OF),
        articles: relationTo('oneToMany', 'article', AUTHOR_OF),
      },
    },
    {
      singularName: 'vault',
      pluralName: 'vaults',
      publicRead: false,
      attributes: { name: { type: 'string' } },
    },
    { singularName: 'tag', pluralName: 'tags', attributes: { name: { type: 'string' } } },
    {
      singularName: 'post',
      pluralName: 'posts',
      attributes: {
        title: { type: 'string' },
        slug: { type: 'uid', targetField: 'title' },
        body: { type: 'text' },
        rank: { type: 'integer' },
        author: relationTo('manyToOne', 'author', { inversedBy: 'posts' }),
        tags: relationTo('manyToMany', 'tag'),
        cover: { type: 'media' },
      },
    },
    {
      singularName: 'article',
      pluralName: 'articles',
      draftAndPublish: true,
      localized: true,
      attributes: {
        title: { type: 'string', required: true, maxLength: 60 },
        code: { type: 'string', unique: true },
        rank: { type: 'integer' },
        kind: { type: 'enumeration', enum: ['news', 'long-read', '3d'] },
        secret: { type: 'string', private: true },
        pin: { type: 'password' },
        author: relationTo('manyToOne', 'author', { inversedBy: 'articles' }),
        vault: relationTo('manyToOne', 'vault'),
        categories: relationTo('manyToMany', 'tag'),
        comments: relationTo('oneToMany', 'comment', { mappedBy: 'article' }),
        seo: { type: 'component', component: 'default.seo' },
        blocks: { type: 'component', component: 'default.seo', repeatable: true },
        gallery: { type: 'media', multiple: true },
      },
    },
    {
      singularName: 'comment',
      pluralName: 'comments',
      attributes: {
        body: { type: 'text' },
        article: relationTo('manyToOne', 'article', { inversedBy: 'comments' }),
      },
    },
    {
      kind: 'singleType',
      singularName: 'homepage',
      pluralName: 'homepages',
      localized: true,
      attributes: { title: { type: 'string' } },
    },
    {
      singularName: 'sample',
      pluralName: 'samples',
      attributes: {
        name: { type: 'string' },
        note: { type: 'text' },
        whole: { type: 'integer' },
        big: { type: 'biginteger' },
        price: { type: 'decimal' },
        ratio: { type: 'float' },
        flag: { type: 'boolean' },
        day: { type: 'date' },
        clock: { type: 'time' },
        moment: { type: 'datetime' },
        kind: { type: 'enumeration', enum: ['a', 'b'] },
        data: { type: 'json' },
        words: { type: 'tags' },
        owner: relationTo('manyToOne', 'author'),
      },
    },
  ],
}

type GraphqlServer = ReturnType<typeof graphqlServer>

/** One server for all tests of a database, without any content. */
export function graphqlServer(kind: DatabaseKind) {
  const server = shareServer(async () =>
    startServer(await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY })),
  )
  return { server, kind, keys: { write: '', read: '' }, ...caller(() => server().url) }
}

/** Tests on a server they share, which has these types, two languages and keys of both levels. */
export function graphqlSuite(name: string, define: (api: GraphqlServer) => void) {
  return (api: GraphqlServer) =>
    contentSuite(name, api, { prepare: () => prepare(api), define: () => define(api) })
}

async function prepare({ ok, keys }: GraphqlServer): Promise<void> {
  await ok('POST', '/api/v1/content-types/batch', { body: TYPES })
  await ok('POST', '/api/v1/locales', { body: { code: 'fr', name: 'French' } })
  const figures = { name: 'Test', requests_per_month: -1, requests_per_minute: -1 }
  const plan = await ok('POST', '/api/v1/plans', { body: figures })
  for (const access of ['write', 'read'] as const) {
    const body = { plan_id: plan.data.id, access }
    keys[access] = (await ok('POST', '/api/v1/keys', { body })).data.key
  }
}

interface Asking {
  readonly at?: string
  readonly key?: string | null
  readonly variables?: object
  readonly operationName?: string
  readonly headers?: Record<string, string>
}

/** Shorthands for calls of one server. */
function caller(url: () => string) {
  const { call, ok } = createCalls(url)
  return { call, ok, create, createMany, ask, data, refusal, storageReads }

  /** The id of a new entry. */
  async function create(plural: string, data: object, query = ''): Promise<number> {
    return (await ok('POST', `/api/${plural}${query}`, { body: { data } })).data.id
  }

  async function createMany(plural: string, items: readonly object[]): Promise<number[]> {
    const operations = items.map((data) => ({ op: 'create', data }))
    const { data, meta } = await ok('POST', `/api/v1/${plural}/bulk`, { body: { operations } })
    assert.equal(meta.failed, 0, JSON.stringify(data).slice(0, 500))
    return data.map(({ id }: { id: number }) => id)
  }

  async function ask(query: string, asking: Asking = {}): Promise<Answer> {
    const { at = '', key = null, variables, operationName, headers = {} } = asking
    const body = { query, variables, operationName }
    return call('POST', `/graphql${at}`, { key, body, headers })
  }

  /** The data of an answer without errors. */
  async function data(query: string, asking: Asking = {}) {
    const { status, body } = await ask(query, asking)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.errors, undefined, JSON.stringify(body.errors))
    return body.data
  }

  /** The code of the first error, and the whole answer. */
  async function refusal(query: string, asking: Asking = {}) {
    const { status, body } = await ask(query, asking)
    const [error] = body.errors ?? []
    assert.ok(error, `answered: ${JSON.stringify(body)}`)
    return { status, body, error, code: error.extensions.code }
  }

  /** Statements of reads that the database was asked so far. */
  async function storageReads(): Promise<number> {
    const text = await (await fetch(`${url()}/metrics`)).text()
    const [, value] = /^storage_read_statements (\d+)/m.exec(text) ?? []
    assert.ok(value, 'the metric of storage is there')
    return Number(value)
  }
}
