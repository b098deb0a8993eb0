import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import {
  ADMIN_KEY,
  type Answer,
  contentSuite,
  type DatabaseKind,
  relationTo,
  type Sent,
} from '#test-kit'
import { contentServer } from '../content/support.ts'

export { ADMIN_KEY }

export const MOUNT = '/cms/delivery/api/v2'
export const CONTENT = `${MOUNT}/content`
export const MEDIA = `${MOUNT}/media`

/** Types with every kind of field; `vault` needs a key, `page` varies by culture. */
const TYPES = {
  components: [
    {
      name: 'quote',
      attributes: {
        text: { type: 'string' },
        picture: { type: 'media' },
        speaker: relationTo('manyToOne', 'author'),
      },
    },
  ],
  contentTypes: [
    {
      singularName: 'author',
      pluralName: 'authors',
      attributes: {
        name: { type: 'string', required: true },
        slug: { type: 'uid', targetField: 'name' },
        bio: { type: 'text' },
        portrait: { type: 'media' },
        friend: relationTo('manyToOne', 'author'),
        articles: relationTo('oneToMany', 'article', { mappedBy: 'author' }),
      },
    },
    {
      singularName: 'vault',
      pluralName: 'vaults',
      publicRead: false,
      attributes: {
        name: { type: 'string' },
        slug: { type: 'uid', targetField: 'name' },
        file: { type: 'media' },
      },
    },
    {
      singularName: 'article',
      pluralName: 'articles',
      draftAndPublish: true,
      attributes: {
        title: { type: 'string', required: true },
        slug: { type: 'uid', targetField: 'title' },
        summary: { type: 'text' },
        body: { type: 'richtext', format: 'full_html' },
        rating: { type: 'decimal' },
        votes: { type: 'integer' },
        featured: { type: 'boolean' },
        day: { type: 'date' },
        releasedAt: { type: 'datetime' },
        words: { type: 'tags' },
        home: { type: 'link' },
        facts: { type: 'json' },
        serial: { type: 'biginteger' },
        cover: { type: 'media' },
        gallery: { type: 'media', multiple: true },
        author: relationTo('manyToOne', 'author', { inversedBy: 'articles' }),
        related: relationTo('manyToMany', 'article'),
        vault: relationTo('manyToOne', 'vault'),
        lead: { type: 'component', component: 'default.quote' },
        quotes: { type: 'component', component: 'default.quote', repeatable: true },
        secret: { type: 'string', private: true },
      },
    },
    {
      singularName: 'page',
      pluralName: 'pages',
      draftAndPublish: true,
      localized: true,
      attributes: {
        title: { type: 'string', required: true },
        slug: { type: 'uid', targetField: 'title' },
        text: { type: 'text' },
        votes: { type: 'integer' },
      },
    },
    {
      singularName: 'note',
      pluralName: 'notes',
      attributes: {
        name: { type: 'string' },
        weight: { type: 'integer' },
        mass: { type: 'float' },
      },
    },
  ],
}

/** A picture of one dot. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

// biome-ignore lint/suspicious/noExplicitAny: tests look into items of every shape
export type Item = any

export type DeliveryServer = ReturnType<typeof deliveryServer>

/** Tests on a server they share, which has these types and a second language. */
export function deliverySuite(name: string, define: (delivery: DeliveryServer) => void) {
  return (delivery: DeliveryServer) =>
    contentSuite(name, delivery.calls, {
      prepare: () => prepare(delivery),
      define: () => define(delivery),
    })
}

async function prepare({ data }: DeliveryServer): Promise<void> {
  await data('POST', '/api/v1/content-types/batch', { body: TYPES })
  await data('POST', '/api/v1/locales', { body: { code: 'da', name: 'Danish' } })
}

/** One server for all tests of a `describe`. */
export function deliveryServer(kind: DatabaseKind, extra: Record<string, string> = {}) {
  const { server, ...calls } = contentServer(kind, extra)
  const { call, data } = calls
  return { server, calls, call, data, get, ok, ids, refused, create, upload, settings, keyOf, raw }

  /** As anybody asks: without a key. */
  function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return call('GET', path, { key: null, headers })
  }

  /** The body of an answer that must succeed. */
  async function ok(path: string, headers: Record<string, string> = {}) {
    const { status, body } = await get(path, headers)
    assert.equal(status, 200, `${path}: ${status} ${JSON.stringify(body)}`)
    return body
  }

  /** The ids of a list, in order; its total when it is whole. */
  async function ids(query: string, headers: Record<string, string> = {}): Promise<string[]> {
    const { total, items } = await ok(`${CONTENT}?take=1000&${query}`, headers)
    assert.equal(total, items.length, query)
    return items.map(({ id }: { id: string }) => id)
  }

  /** The problem of an answer that must have this status. */
  async function refused(status: number, path: string, headers: Record<string, string> = {}) {
    const answer = await get(path, headers)
    const told = JSON.stringify(answer.body)
    assert.equal(answer.status, status, `${path}: ${answer.status} ${told}`)
    assert.equal(answer.headers.get('content-type'), 'application/problem+json', path)
    assert.equal(answer.body.type, 'Error')
    assert.equal(answer.body.status, status)
    assert.equal(typeof answer.body.detail, 'string')
    return answer.body
  }

  /** The new record; `document_id` is the id that delivery shows. */
  function create(plural: string, body: object, sent: Sent = {}) {
    return data('POST', `/api/v1/${plural}`, { ...sent, body })
  }

  async function upload(name: string, about: object = {}) {
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(PNG)]), name)
    const answer = await fetch(`${server().url}/api/v1/media`, {
      method: 'POST',
      body: form,
      headers: { 'x-api-key': ADMIN_KEY },
    })
    const { data: file } = JSON.parse(await answer.text())
    return data('PATCH', `/api/v1/media/${file.id}`, { body: about })
  }

  /** Changes settings of the area; null takes a value back. */
  async function settings(body: object) {
    const { status, body: told } = await call('PATCH', '/api/v1/settings/delivery', { body })
    assert.equal(status, 200, JSON.stringify(told))
  }

  async function keyOf(access: 'read' | 'write', perMinute = -1) {
    const figures = { requests_per_month: -1, requests_per_minute: perMinute }
    const name = `${access} ${perMinute} ${Math.random()}`
    const plan = await data('POST', '/api/v1/plans', { body: { name, ...figures } })
    return data('POST', '/api/v1/keys', { body: { plan_id: plan.id, access } })
  }

  /** Sends exactly this target, which `fetch` would tidy, to whichever address of the server. */
  function raw(
    target: string,
    options: { method?: string; host?: string | undefined; headers?: Record<string, string> } = {},
  ): Promise<{ status: number; body: string }> {
    const { hostname, port } = new URL(server().url)
    const { method = 'GET', host = hostname, headers = {} } = options
    return new Promise((resolve, reject) => {
      const sent = httpRequest({ host, port, path: target, method, headers }, (answer) => {
        let body = ''
        answer.setEncoding('utf8').on('data', (chunk) => {
          body += chunk
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
      })
      sent.on('error', reject).end()
    })
  }
}
