import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY, createCalls, installation, startServer } from '#test-kit'

const TYPE = {
  ...{ singularName: 'scroll', pluralName: 'scrolls' },
  // Without an index: parts of it are looked for in every entry.
  attributes: { title: { type: 'string' }, text: { type: 'text', searchable: false } },
}
const BATCHES = 8
const IN_A_BATCH = 40
const LONG = 'lorem ipsum '.repeat(8_000)

/** Too short for any scan of what is stored here; the limits of other reads are as always. */
const SETTINGS = {
  ENTREPOT_ADMIN_KEY: ADMIN_KEY,
  ENTREPOT_STORAGE_READ_TIMEOUT_MS: '10',
  ENTREPOT_STORAGE_SCAN_TIMEOUT_MS: '10',
}

test('finding 16: a search past its deadline is 503 with Retry-After in the shape of its dialect, never 500', async () => {
  const server = await startServer(await installation('sqlite', SETTINGS))
  const { call, data } = createCalls(() => server.url)
  await data('POST', '/api/v1/content-types', { body: TYPE })
  for (let batch = 0; batch < BATCHES; batch++) {
    const operations = Array.from({ length: IN_A_BATCH }, (_, n) => ({
      ...{ op: 'create', data: { title: `${batch} ${n}`, text: LONG } },
    }))
    const { body } = await call('POST', '/api/v1/scrolls/bulk', { body: { operations } })
    assert.equal(body.meta?.created, IN_A_BATCH, JSON.stringify(body).slice(0, 500))
  }
  const jsonapi =
    'filter[t][condition][path]=text&filter[t][condition][operator]=CONTAINS&filter[t][condition][value]=nowhere'
  const shapes = [
    ['/api/v1/scrolls?filters[text][$contains]=nowhere', ({ error }: Body) => error?.code],
    ['/api/scrolls?filters[text][$containsi]=nowhere', ({ error }: Body) => error?.name],
    [`/jsonapi/node/scroll?${jsonapi}`, ({ errors }: Body) => errors?.[0]?.status],
    [`${DELIVERY}?filter=properties.text:!nowhere&sort=properties.text:asc`, problemOf],
  ] as const
  for (const [path, shown] of shapes) {
    for (let n = 0; n < 3; n++) {
      const { status, headers, body } = await call('GET', path)
      assert.equal(status, 503, `${path}: ${JSON.stringify(body)}`)
      assert.match(headers.get('retry-after') ?? '', /^\d+$/)
      assert.ok(shown(body), JSON.stringify(body))
    }
  }
  assert.equal((await call('GET', '/api/v1/scrolls?fields=title&sort=title')).status, 200)
  assert.doesNotMatch(server.log(), /its storage thread is replaced/)
})

const DELIVERY = '/cms/delivery/api/v2/content'

function problemOf({ title, status, type }: Body) {
  return type === 'Error' && status === 503 && title
}

interface Body {
  readonly type?: string
  readonly title?: string
  readonly status?: number
  readonly error?: { readonly code?: string; readonly name?: string }
  readonly errors?: readonly { readonly status?: string }[]
}
