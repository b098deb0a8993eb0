import assert from 'node:assert/strict'
import {
  ADMIN_KEY,
  contentSuite,
  createCalls,
  type DatabaseKind,
  installation,
  type Sent,
  shareServer,
  startServer,
} from '#test-kit'

/** Types that show every kind of relation, medium and component; `vaults` need a key. */
const TYPES = {
  components: [
    {
      name: 'seo',
      displayName: 'Seo',
      attributes: {
        description: { type: 'string', maxLength: 20 },
        image: { type: 'media' },
        reviewer: { type: 'relation', relation: 'manyToOne', target: 'author' },
      },
    },
    {
      name: 'block',
      displayName: 'Block',
      attributes: { heading: { type: 'string' }, image: { type: 'media' } },
    },
  ],
  contentTypes: [
    {
      singularName: 'author',
      pluralName: 'authors',
      attributes: {
        name: { type: 'string', required: true },
        avatar: { type: 'media' },
        articles: {
          type: 'relation',
          relation: 'oneToMany',
          target: 'article',
          mappedBy: 'author',
        },
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
      draftAndPublish: true,
      attributes: {
        body: { type: 'text', required: true },
        stars: { type: 'integer' },
        article: {
          type: 'relation',
          relation: 'manyToOne',
          target: 'article',
          inversedBy: 'comments',
        },
      },
    },
    {
      singularName: 'article',
      pluralName: 'articles',
      draftAndPublish: true,
      localized: true,
      attributes: {
        title: { type: 'string', required: true, maxLength: 60 },
        slug: { type: 'uid', targetField: 'title' },
        summary: { type: 'text' },
        kind: { type: 'enumeration', enum: ['news', 'essay'] },
        code: { type: 'string', unique: true },
        rank: { type: 'integer', localized: false },
        secret: { type: 'string', private: true },
        pin: { type: 'password' },
        cover: { type: 'media' },
        gallery: { type: 'media', multiple: true },
        author: {
          type: 'relation',
          relation: 'manyToOne',
          target: 'author',
          inversedBy: 'articles',
        },
        vault: { type: 'relation', relation: 'manyToOne', target: 'vault' },
        comments: {
          type: 'relation',
          relation: 'oneToMany',
          target: 'comment',
          mappedBy: 'article',
        },
        seo: { type: 'component', component: 'default.seo' },
        blocks: { type: 'component', component: 'default.block', repeatable: true },
      },
    },
    {
      kind: 'singleType',
      singularName: 'home',
      pluralName: 'homes',
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
      },
    },
  ],
}

export type CmsServer = ReturnType<typeof cmsServer>

/** One server for all tests of a `describe`, without any content. */
export function cmsServer(kind: DatabaseKind, extra: Record<string, string> = {}) {
  const server = shareServer(async () =>
    startServer(await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ...extra })),
  )
  return { server, keys: { write: '', read: '' }, ...caller(() => server().url) }
}

/** Tests on a server they share, which has these types, their languages and keys of both levels. */
export function cmsSuite(name: string, define: (cms: CmsServer) => void) {
  return (cms: CmsServer) =>
    contentSuite(name, cms, { prepare: () => prepare(cms), define: () => define(cms) })
}

async function prepare({ ok, keys }: CmsServer): Promise<void> {
  await ok('POST', '/api/v1/content-types/batch', { body: TYPES })
  await ok('POST', '/api/v1/locales', { body: { code: 'fr', name: 'French' } })
  const chain = { code: 'fr-CH', name: 'Swiss French', fallback: 'fr' }
  await ok('POST', '/api/v1/locales', { body: chain })
  const figures = { name: 'Test', requests_per_month: -1, requests_per_minute: -1 }
  const plan = await ok('POST', '/api/v1/plans', { body: figures })
  for (const access of ['write', 'read'] as const) {
    const body = { plan_id: plan.data.id, access }
    keys[access] = (await ok('POST', '/api/v1/keys', { body })).data.key
  }
}

/** Shorthands for calls of one server; paths are whole. */
function caller(url: () => string) {
  const { call, ok } = createCalls(url)
  return { call, ok, create, createMany, ids, remove, removeMany }

  /** The id of a new entry. */
  async function create(plural: string, data: object, query = ''): Promise<number> {
    return (await ok('POST', `/api/${plural}${query}`, { body: { data } })).data.id
  }

  /** Many at once, through the versioned API: single requests would take most of the test's time. */
  async function createMany(plural: string, items: readonly object[]): Promise<number[]> {
    const operations = items.map((data) => ({ op: 'create', data }))
    return bulk(plural, operations)
  }

  async function removeMany(plural: string, gone: readonly number[]): Promise<void> {
    await bulk(
      plural,
      gone.map((id) => ({ op: 'delete', id })),
    )
  }

  async function bulk(plural: string, operations: readonly object[]): Promise<number[]> {
    const { data, meta } = await ok('POST', `/api/v1/${plural}/bulk`, { body: { operations } })
    assert.equal(meta.failed, 0, JSON.stringify(data).slice(0, 500))
    return data.map(({ id }: { id: number }) => id)
  }

  /** The ids a list answers, and that its total agrees with them. */
  async function ids(path: string, sent: Sent = {}): Promise<number[]> {
    const { data, meta } = await ok('GET', path, sent)
    const found = data.map(({ id }: { id: number }) => id)
    if (meta.pagination.total <= meta.pagination.pageSize) {
      assert.equal(meta.pagination.total, found.length, path)
    }
    return found
  }

  async function remove(plural: string, id: number): Promise<void> {
    await ok('DELETE', `/api/${plural}/${id}?locale=all`)
  }
}

/** A picture of one dot. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

export function picture(name = 'dot.png'): File {
  return new File([PNG], name, { type: 'image/png' })
}
