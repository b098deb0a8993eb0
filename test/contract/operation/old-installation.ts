import type { createCalls } from '#test-kit'

type Calls = ReturnType<typeof createCalls>

export interface OldAnswer {
  readonly path: string
  readonly key: string
  readonly status: number
  readonly body: unknown
}

const TYPES = [
  {
    ...{ singularName: 'writer', pluralName: 'writers', displayName: 'Writer' },
    attributes: { name: { type: 'string', required: true } },
  },
  {
    ...{
      singularName: 'story',
      pluralName: 'stories',
      displayName: 'Story',
      draftAndPublish: true,
    },
    attributes: {
      title: { type: 'string', required: true },
      rank: { type: 'integer' },
      price: { type: 'decimal' },
      big: { type: 'biginteger' },
      ratio: { type: 'float' },
      flag: { type: 'boolean' },
      day: { type: 'date' },
      moment: { type: 'datetime' },
      words: { type: 'tags' },
      extra: { type: 'json' },
      text: { type: 'richtext' },
      writer: { type: 'relation', relation: 'manyToOne', target: 'writer' },
      cover: { type: 'media' },
    },
  },
]

/** What version 0.1 could hold, made through its API. */
export async function fillOld({ ok, data, call }: Calls) {
  for (const body of TYPES) await ok('POST', '/api/v1/content-types', { body })
  const writers: number[] = []
  for (const name of ['Ada', 'Grace', 'Ünal']) {
    writers.push((await data('POST', '/api/v1/writers', { body: { name } })).id)
  }
  const form = new FormData()
  form.set('file', new File(['a file of version 0.1'], 'old.txt'))
  await ok('POST', '/api/v1/media', { form })
  for (let n = 1; n <= 25; n++) {
    const body = {
      ...{ title: `Story ${n} ☃ Ünïcode`, rank: n % 4, price: '12.50', ratio: n / 3 },
      ...{ big: String(9_007_199_254_740_000n + BigInt(n)), flag: n % 2 === 0, day: '2026-01-31' },
      ...{ moment: '2026-01-31T12:30:00.000Z', words: ['red', `w${n % 3}`], extra: { n } },
      ...{ text: `<p>Text ${n}</p>`, writer: writers[n % 3] },
    }
    await ok('POST', '/api/v1/stories', { body })
  }
  const plan = await data('POST', '/api/v1/plans', {
    body: { name: 'Old', requests_per_month: 1_000, requests_per_minute: 500 },
  })
  const user = await data('POST', '/api/v1/users', {
    body: { email: 'old@example.org', name: 'Old' },
  })
  const { key } = await data('POST', '/api/v1/keys', {
    body: { user_id: user.id, plan_id: plan.id, name: 'old key' },
  })
  for (let n = 0; n < 5; n++) await call('GET', '/api/v1/stories', { key })
  const endpoint = { endpoint_url: 'https://receiver.example/hook', events: ['key.created'] }
  await ok('POST', '/webhooks/subscriptions', { body: endpoint })
  await ok('PUT', '/gateway/admin/routes/old', { body: { uri: '/x', upstream_id: 'entrepot' } })
  return { key: String(key) }
}

/** A hundred questions, whose answers depend on nothing but what is stored. */
export async function recordOld({ call }: Calls, key: string): Promise<OldAnswer[]> {
  const answers: OldAnswer[] = []
  for (const path of paths()) {
    const { status, body } = await call('GET', path, { key })
    answers.push({ path, key, status, body })
  }
  return answers
}

function paths(): string[] {
  const numbers = Array.from({ length: 25 }, (_, at) => at + 1)
  const sorts = ['title', 'rank', 'price', 'big', 'ratio', 'moment']
  return [
    ...numbers.map((id) => `/api/v1/stories/${id}`),
    ...sorts.flatMap((sort) => [
      `/api/v1/stories?sort=${sort}`,
      `/api/v1/stories?sort=${sort}&order=desc`,
    ]),
    ...sorts.map((sort) => `/api/stories?sort=${sort}:desc&populate=writer`),
    ...numbers.slice(0, 12).map((n) => `/api/stories?filters[title][$contains]=Story ${n}`),
    ...[0, 1, 2, 3].map((rank) => `/api/stories?filters[rank][$eq]=${rank}&sort=title`),
    ...['story 1', 'ünï', 'text', 'nothing'].map(
      (q) => `/api/v1/stories?q=${encodeURIComponent(q)}`,
    ),
    ...numbers.slice(0, 12).map((n) => `/jsonapi/node/story?page[limit]=${n}&sort=title`),
    ...[1, 2, 3].flatMap((n) => [`/api/v1/writers/${n}`, `/api/writers?pagination[page]=${n}`]),
    ...numbers.slice(0, 12).map((n) => `/api/v1/stories?per_page=5&page=${n}`),
    ...numbers.slice(0, 6).map((n) => `/cms/delivery/api/v2/content?take=${n}`),
    '/api/v1/writers',
    '/api/writers',
    '/api/v1/plans',
  ]
}
