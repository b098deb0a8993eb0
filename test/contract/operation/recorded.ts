import assert from 'node:assert/strict'
import type { Answer, createCalls } from '#test-kit'

type Calls = ReturnType<typeof createCalls>

export interface Recorded {
  readonly path: string
  readonly status: number
  readonly body: unknown
}

const ENTRIES = 40

/** Content of every kind, an account with key and plan, usage, a subscription, a route, files. */
export async function fillInstallation({ ok, data, call }: Calls) {
  for (let n = 0; n < ENTRIES; n++) {
    const body = {
      ...{
        title: `Entry ${n} Ünïcode ☃`,
        rank: n % 7,
        big: String(9_007_199_254_740_993n + BigInt(n)),
      },
      ...{ price: '12.50', ratio: n / 3, flag: n % 2 === 0, day: '2026-01-31', clock: '12:30:00' },
      ...{
        moment: '2026-01-31T12:30:00.000Z',
        words: ['red', `tag${n % 5}`],
        extra: { n, deep: [1] },
      },
      ...{ kind: n % 2 ? 'news' : 'essay', body: `<p>Text ${n}</p>`, mail: 'a@example.org' },
      parts: [{ note: `part ${n}` }, { note: 'second' }],
    }
    const { document_id: id } = await data('POST', '/api/v1/articles', { body })
    if (n % 3 === 0) await ok('POST', `/api/v1/articles/${id}/publish`).catch(() => {})
  }
  const form = new FormData()
  form.set('file', new File([new Uint8Array(70_000).map((_, at) => at % 251)], 'large.bin'))
  const media = await data('POST', '/api/v1/media', { form })
  const file = Array.isArray(media) ? media[0] : media
  const plan = await data('POST', '/api/v1/plans', {
    body: { name: 'Small', requests_per_month: 1_000, requests_per_minute: 1_000 },
  })
  const user = await data('POST', '/api/v1/users', {
    body: { email: 'ada@example.org', name: 'Ada' },
  })
  const issued = await data('POST', '/api/v1/keys', {
    body: { user_id: user.id, name: 'reader', plan_id: plan.id },
  })
  const key = String(issued.key)
  for (let n = 0; n < 10; n++) await call('GET', '/api/v1/articles?per_page=1', { key })
  const endpoint = { endpoint_url: 'https://receiver.example/hook', events: ['key.created'] }
  await ok('POST', '/webhooks/subscriptions', { body: endpoint })
  await ok('PUT', '/gateway/admin/routes/open', { body: { uri: '/x', upstream_id: 'entrepot' } })
  const consumer = { username: 'ada', plugins: { 'key-auth': { key: 'secret-of-ada' } } }
  await ok('PUT', '/gateway/admin/consumers', { body: consumer })
  return { key, fileUrl: String(file.url ?? file.path ?? '') }
}

/** Two hundred questions, over every interface, whose answers do not depend on when they are asked. */
export async function record({ call }: Calls, more: readonly string[]): Promise<Recorded[]> {
  const recorded: Recorded[] = []
  for (const path of [...paths(), ...more]) {
    const { status, body } = await call('GET', path)
    recorded.push({ path, status, body })
  }
  return recorded
}

export async function assertRecorded({ call }: Calls, recorded: readonly Recorded[]) {
  const others: string[] = []
  for (const { path, status, body } of recorded) {
    const answer: Answer = await call('GET', path)
    try {
      assert.deepEqual({ status: answer.status, body: answer.body }, { status, body })
    } catch (error) {
      others.push(`${path}: ${error instanceof Error ? error.message : error}`)
    }
  }
  assert.deepEqual(others, [])
}

function paths(): string[] {
  const ids = Array.from({ length: ENTRIES }, (_, at) => at + 1)
  const sorts = ['title', 'rank', 'price', 'big', 'ratio', 'moment', 'day']
  return [
    ...ids.map((id) => `/api/v2/articles/${id}`),
    ...ids.map((id) => `/api/v1/articles/${id}`),
    ...ids.slice(0, 10).map((id) => `/api/v1/articles?limit=3&after=${id}`),
    ...sorts.flatMap((sort) => [
      `/api/v1/articles?sort=${sort}&per_page=50`,
      `/api/v1/articles?sort=${sort}&order=desc&per_page=7`,
    ]),
    ...[1, 2, 3, 4].map((page) => `/api/v1/articles?per_page=10&page=${page}`),
    ...[0, 1, 2, 3, 4, 5, 6].map((rank) => `/api/articles?status=draft&filters[rank][$eq]=${rank}`),
    ...sorts.map((sort) => `/api/articles?status=draft&sort=${sort}:desc`),
    ...['Entry', 'entry 1', 'ünï', 'tag3', 'part', '9007199254740995', 'nothing'].flatMap((q) => [
      `/api/v1/articles?q=${encodeURIComponent(q)}`,
      `/api/v1/search?q=${encodeURIComponent(q)}`,
      `/api/articles?status=draft&_q=${encodeURIComponent(q)}`,
    ]),
    ...ids.slice(0, 20).map((n) => `/api/articles?filters[title][$contains]=Entry ${n}&populate=*`),
    ...ids.slice(0, 20).map((n) => `/jsonapi/node/article?filter[rank]=${n % 8}&page[limit]=${n}`),
    ...ids.slice(0, 10).map((n) => `/cms/delivery/api/v2/content?take=${n}&skip=${n}`),
    ...['authors', 'articles', 'home'].map((name) => `/api/v1/${name}`),
    '/api/v1/content-types',
    '/api/v1/locales',
    '/api/v1/users',
    '/api/v1/plans',
    '/api/v1/media',
    '/api/upload/files',
    '/api/home',
    '/webhooks/subscriptions',
    '/webhooks/event-types',
    '/gateway/admin/routes',
    '/gateway/admin/consumers',
    '/gateway/admin/routes/open',
  ]
}
