import assert from 'node:assert/strict'
import type { createCalls } from '#test-kit'

/** One route that takes `Idempotency-Key`. */
export interface KeyedRoute {
  readonly name: string
  readonly status: number
  /** Its answers show a secret that is kept nowhere (access contract §6). */
  readonly showsSecret?: true
  /** What the nth request is about, when it has to be there before. */
  prepare?(n: number): Promise<unknown>
  request(n: number, target: unknown): Request
  /** How often the nth request was carried out; absent where its status tells, since its name is taken then. */
  count?(target: unknown, n: number): Promise<number>
  /** What every answer says, also that to a try behind a kill. */
  check?(body: { readonly data: readonly Row[] }): void
}

interface Request {
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

type Row = Record<string, unknown>
type Ok = ReturnType<typeof createCalls>['ok']

const text = { type: 'string' }
export const TYPES = {
  contentTypes: [
    {
      ...{ singularName: 'note', pluralName: 'notes' },
      attributes: { title: text, picture: { type: 'media', multiple: true } },
    },
    {
      ...{ singularName: 'shelf', pluralName: 'shelves' },
      attributes: {
        title: text,
        notes: { type: 'relation', relation: 'oneToMany', target: 'note' },
      },
    },
    {
      ...{ singularName: 'page', pluralName: 'pages', draftAndPublish: true },
      attributes: { title: text },
    },
  ],
}

const BULK = 10
const JSONAPI = { 'content-type': 'application/vnd.api+json' }
const HOOK = 'https://example.com/hook'
const SINCE = new Date(Date.now() - 60_000).toISOString()
const SITE = { url: 'https://example.com/', name: 'site' }

/** All of them, with what they need. */
export async function createKeyedRoutes(ok: Ok): Promise<readonly KeyedRoute[]> {
  const { data: plan } = await ok('POST', '/api/v1/plans', { body: planOf('plan') })
  const { data: shelf } = await ok('POST', '/api/v1/shelves', { body: { title: 'shelf' } })
  await ok('POST', '/webhooks/event-types', { body: typeOf('test.published') })
  await ok('POST', '/webhooks/event-types', { body: typeOf('test.many') })
  return [...content(), ...definitions(), ...access(), ...scrapers(), ...webhooks()]

  function content(): KeyedRoute[] {
    const notes = countIn('/api/v1/notes', ({ title }) => title)
    return [
      {
        ...{ name: 'rest', status: 201, count: notes((n) => `rest ${n}`) },
        request: (n) => ({ path: '/api/v1/notes', body: { title: `rest ${n}` } }),
      },
      {
        ...{ name: 'child', status: 201, count: notes((n) => `child ${n}`) },
        request: (n) => ({
          ...{ path: `/api/v1/shelves/${shelf.id}/notes`, body: { title: `child ${n}` } },
        }),
      },
      {
        ...{ name: 'bulk', status: 200 },
        request: (n) => ({ path: '/api/v1/notes/bulk', body: bulkOf(titlesOf(n)) }),
        async count(target, n) {
          const each = titlesOf(n).map((title) => notes(() => title)(target, n))
          return Math.max(...(await Promise.all(each)))
        },
      },
      {
        ...{ name: 'bulk of changes', status: 200 },
        async prepare(n) {
          const made = await ok('POST', '/api/v1/notes/bulk', { body: bulkOf(titlesOf(n, 'old')) })
          return changesOf(made.data, n)
        },
        request: (_, operations) => ({ path: '/api/v1/notes/bulk', body: { operations } }),
        // What was done by a try that was killed is reported as it was, not as a record that is not there.
        check({ data }) {
          const statuses = data.map(({ status }) => status)
          assert.deepEqual(
            statuses,
            data.map((_, at) => (at % 2 ? 204 : 200)),
          )
          assert.ok(data.every(({ unchanged }) => unchanged === undefined))
        },
      },
      {
        ...{ name: 'atomic bulk', status: 200, count: notes((n) => `atomic ${n}`) },
        prepare: async () =>
          (await ok('POST', '/api/v1/notes', { body: { title: 'to remove' } })).data.id,
        request: (n, id) => ({
          path: '/api/v1/notes/bulk',
          body: {
            atomic: true,
            operations: [
              { op: 'create', data: { title: `atomic ${n}` } },
              { op: 'delete', id },
            ],
          },
        }),
      },
      {
        ...{ name: 'jsonapi', status: 201, count: notes((n) => `jsonapi ${n}`) },
        request: (n) => ({
          ...{ path: '/jsonapi/node/note', headers: JSONAPI },
          body: { data: { type: 'node--note', attributes: { title: `jsonapi ${n}` } } },
        }),
      },
      {
        ...{ name: 'chosen id', status: 201, count: notes((n) => `chosen ${n}`) },
        prepare: async () => crypto.randomUUID(),
        request: (n, id) => ({
          ...{ path: '/jsonapi/node/note', headers: JSONAPI },
          body: { data: { type: 'node--note', id, attributes: { title: `chosen ${n}` } } },
        }),
      },
      {
        ...{ name: 'upload', status: 201 },
        count: countIn('/api/v1/media', ({ name }) => name)((n) => `upload-${n}.txt`),
        request: (n) => ({
          ...{ path: '/jsonapi/node/note/picture', body: `file ${n}` },
          headers: octets(`upload-${n}.txt`),
        }),
      },
      {
        ...{ name: 'attach', status: 200 },
        prepare: async (n) =>
          (await ok('POST', '/api/v1/notes', { body: { title: `with ${n}` } })).data.document_id,
        count: countIn('/api/v1/media', ({ name }) => name)((n) => `attached-${n}.txt`),
        request: (n, id) => ({
          ...{ path: `/jsonapi/node/note/${id}/picture`, body: `file ${n}` },
          headers: octets(`attached-${n}.txt`),
        }),
      },
      {
        ...{ name: 'publish', status: 200 },
        prepare: async () =>
          (await ok('POST', '/api/v1/pages?status=draft', { body: { title: 'page' } })).data.id,
        request: (_, id) => ({ path: `/api/v1/pages/${id}/publish` }),
        count: (id) => countEvents('page.published', ({ id: own }) => own === id),
      },
    ]
  }

  function definitions(): KeyedRoute[] {
    return [
      {
        ...{ name: 'type', status: 201 },
        request: (n) => ({ path: '/api/v1/content-types', body: contentType(`kind${n}`) }),
      },
      {
        ...{ name: 'types', status: 201 },
        request: (n) => ({
          path: '/api/v1/content-types/batch',
          body: { contentTypes: [contentType(`batch${n}`)], components: [component(`many${n}`)] },
        }),
      },
      {
        ...{ name: 'component', status: 201 },
        request: (n) => ({ path: '/api/v1/components', body: component(`part${n}`) }),
      },
      {
        ...{ name: 'locale', status: 201 },
        request: (n) => ({ path: '/api/v1/locales', body: { code: codeOf(n), name: `l${n}` } }),
      },
    ]
  }

  function access(): KeyedRoute[] {
    const key = async (n: number) =>
      (await ok('POST', '/api/v1/keys', { body: keyOf(`to rotate ${n}`) })).data.id
    const client = async (n: number) =>
      (await ok('POST', '/api/v1/oauth/clients', { body: keyOf(`to rotate ${n}`) })).data.id
    return [
      {
        ...{ name: 'user', status: 201 },
        request: (n) => ({ path: '/api/v1/users', body: { email: `user${n}@example.com` } }),
      },
      {
        ...{ name: 'plan', status: 201 },
        count: countIn('/api/v1/plans', ({ name }) => name)((n) => `plan ${n}`),
        request: (n) => ({ path: '/api/v1/plans', body: planOf(`plan ${n}`) }),
      },
      {
        ...{ name: 'key', status: 201, showsSecret: true },
        count: countIn('/api/v1/keys', ({ name }) => name)((n) => `key ${n}`),
        request: (n) => ({ path: '/api/v1/keys', body: keyOf(`key ${n}`) }),
      },
      {
        ...{ name: 'rotated key', status: 201, showsSecret: true, prepare: key },
        request: (_, id) => ({ path: `/api/v1/keys/${id}/rotate`, body: {} }),
        count: (id) => countEvents('key.rotated', (payload) => payload['key_id'] === id),
      },
      {
        ...{ name: 'client', status: 201, showsSecret: true },
        count: countIn('/api/v1/oauth/clients', ({ name }) => name)((n) => `client ${n}`),
        request: (n) => ({ path: '/api/v1/oauth/clients', body: keyOf(`client ${n}`) }),
      },
      {
        ...{ name: 'rotated client', status: 201, showsSecret: true, prepare: client },
        request: (_, id) => ({ path: `/api/v1/oauth/clients/${id}/rotate-secret` }),
      },
    ]
  }

  function scrapers(): KeyedRoute[] {
    return [
      {
        ...{ name: 'pool', status: 201 },
        request: (n) => ({ path: '/api/v1/proxy-pools', body: { name: `pool${n}` } }),
      },
      {
        ...{ name: 'scraper', status: 201 },
        count: countIn('/api/v1/scrapers', ({ name }) => name)((n) => `scraper ${n}`),
        request: (n) => ({ path: '/api/v1/scrapers', body: { ...SITE, name: `scraper ${n}` } }),
      },
      {
        ...{ name: 'run', status: 201 },
        prepare: async () => (await ok('POST', '/api/v1/scrapers', { body: SITE })).id,
        request: (_, id) => ({ path: `/api/v1/scrapers/${id}/run` }),
        count: async (id) => (await ok('GET', `/api/v1/scrapers/${id}/runs`)).data.length,
      },
    ]
  }

  function webhooks(): KeyedRoute[] {
    const path = '/webhooks/subscriptions'
    const subscription = async () => (await ok('POST', path, { body: hookOf(HOOK) })).id
    const deliveries = async (id: unknown) => (await ok('GET', `${path}/${id}/deliveries`)).data
    const hooks = countIn(path, ({ endpoint_url: url }) => url)
    return [
      {
        ...{ name: 'subscription', status: 201, count: hooks((n) => `${HOOK}/own/${n}`) },
        request: (n) => ({ path, body: hookOf(`${HOOK}/own/${n}`) }),
      },
      {
        ...{ name: 'registration', status: 201, count: hooks((n) => `${HOOK}/area/${n}`) },
        request: (n) => ({
          ...{ path: '/api/v1/webhooks', body: { url: `${HOOK}/area/${n}`, events: ['*'] } },
        }),
      },
      {
        ...{ name: 'rotated secret', status: 200, prepare: subscription },
        request: (_, id) => ({ path: `${path}/${id}/rotate-secret` }),
      },
      {
        ...{ name: 'test', status: 202, prepare: subscription },
        request: (_, id) => ({ path: `${path}/${id}/test`, body: {} }),
        // Its creation has queued one, too.
        count: async (id) => (await deliveries(id)).length - 1,
      },
      {
        ...{ name: 'resend', status: 202 },
        async prepare() {
          const id = await subscription()
          return `${id}/deliveries/${(await deliveries(id))[0].id}`
        },
        request: (_, delivery) => ({ path: `${path}/${delivery}/resend` }),
      },
      {
        ...{ name: 'replay', status: 202, prepare: subscription },
        request: (_, id) => ({
          path: `${path}/${id}/replay`,
          body: { since: SINCE, scope: 'all' },
        }),
      },
      {
        ...{ name: 'event', status: 201 },
        request: (n) => ({ path: '/webhooks/events', body: eventOf('test.published', n) }),
        count: (_, n) => countEvents('test.published', (payload) => payload['n'] === n),
      },
      {
        ...{ name: 'events', status: 201 },
        request: (n) => ({
          path: '/webhooks/events/batch',
          body: { events: [eventOf('test.many', n), eventOf('test.published', -n - 1)] },
        }),
        count: (_, n) => countEvents('test.many', (payload) => payload['n'] === n),
      },
      {
        ...{ name: 'event type', status: 201 },
        request: (n) => ({ path: '/webhooks/event-types', body: typeOf(`test.type${n}`) }),
      },
    ]
  }

  /** How many rows of a list have the name of the nth request. */
  function countIn(path: string, nameOf: (row: Row) => unknown) {
    return (wanted: (n: number) => string) => async (_target: unknown, n: number) => {
      const name = wanted(n)
      let found = 0
      for (let page = 1; ; page++) {
        const { data }: { data: Row[] } = await ok('GET', `${path}?per_page=100&page=${page}`)
        found += data.filter((row) => nameOf(row) === name).length
        if (data.length < 100) return found
      }
    }
  }

  async function countEvents(type: string, isMeant: (payload: Row) => boolean): Promise<number> {
    let found = 0
    for (let after = ''; ; ) {
      const list = `/webhooks/events?event_type=${type}&limit=100&order=asc${after}`
      const { data, meta } = await ok('GET', list)
      found += data.filter(({ payload }: { payload: Row }) => isMeant(payload)).length
      if (!meta.has_more) return found
      after = `&after_id=${meta.next_after_id}`
    }
  }

  function keyOf(name: string) {
    return { name, plan_id: plan.id }
  }
}

function titlesOf(n: number, word = 'bulk'): string[] {
  return Array.from({ length: BULK }, (_, at) => `${word} ${n} ${at}`)
}

/** Every other one is removed. */
function changesOf(made: readonly Row[], n: number) {
  return made.map(({ id }, at) =>
    at % 2 ? { op: 'delete', id } : { op: 'update', id, data: { title: `changed ${n}` } },
  )
}

function bulkOf(titles: readonly string[]) {
  return { operations: titles.map((title) => ({ op: 'create', data: { title } })) }
}

function octets(name: string) {
  return {
    'content-type': 'application/octet-stream',
    'content-disposition': `file; filename="${name}"`,
  }
}

function contentType(name: string) {
  return { singularName: name, pluralName: `${name}s`, attributes: { title: text } }
}

function component(name: string) {
  return { name, attributes: { title: text } }
}

function codeOf(n: number): string {
  const letter = (at: number) => String.fromCharCode(97 + (at % 26))
  return `q${letter(Math.floor(n / 26))}${letter(n)}`
}

function planOf(name: string) {
  return { name, requests_per_minute: 60, requests_per_month: 1000 }
}

function hookOf(endpoint_url: string) {
  return { endpoint_url, events: ['*'] }
}

function typeOf(name: string) {
  return { name, description: 'Made for a test' }
}

function eventOf(event_type: string, n: number) {
  return { event_type, payload: { n } }
}
