import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeSuite } from './support.ts'

const TYPE = {
  ...{ singularName: 'story', pluralName: 'stories', draftAndPublish: true, localized: true },
  attributes: {
    title: { type: 'string', required: true, maxLength: 20 },
    code: { type: 'string', unique: true },
    rank: { type: 'integer', localized: false },
    next: { type: 'relation', relation: 'manyToOne', target: 'story' },
  },
}
const IMPORT = '/api/v1/content-types/story/import'
const ID = '0a8bd2e5-7a9c-5d1e-8f00-000000000001'
const LEAP_SECOND = '2026-12-31T23:59:60Z'
const OTHER = '0a8bd2e5-7a9c-5d1e-8f00-000000000002'
const CREATED = '2019-02-03T04:05:06.007Z'
const LIVE = {
  ...{ values: { title: 'Live', rank: 1 }, updated_at: '2020-01-01T00:00:00.000Z' },
  published_at: '2020-01-02T00:00:00.000Z',
}
const WORKING = { values: { title: 'Drafted', rank: 2 }, updated_at: '2021-01-01T00:00:00.000Z' }

/** decision 142 */
export const entryImport = storeSuite('import of entries', ({ call, data, ok }) => {
  const put = (...records: object[]) => data('POST', IMPORT, { body: { records } })

  test('content-dialects 12: an imported entry has the id, the times and both copies it had', async () => {
    await ok('POST', '/api/v1/locales', { body: { code: 'de', name: 'German' } })
    await ok('POST', '/api/v1/content-types', { body: TYPE })
    const record = {
      document_id: ID,
      external_id: 'old',
      created_at: CREATED,
      live: LIVE,
      working: WORKING,
    }
    const [made] = await put(record)
    assert.equal(made.status, 201)
    const shown = await data('GET', `/api/v1/stories/${made.id}`)
    const drafted = await data('GET', `/api/v1/stories/${made.id}?status=all`)
    assert.deepEqual(
      [shown, drafted].map(({ title, updated_at, published_at }) => [
        title,
        updated_at,
        published_at,
      ]),
      [
        ['Live', LIVE.updated_at, LIVE.published_at],
        ['Drafted', WORKING.updated_at, LIVE.published_at],
      ],
    )
    assert.deepEqual(
      [drafted.document_id, drafted.external_id, drafted.created_at],
      [ID, 'old', CREATED],
    )
    // Those of both copies, and none of what came in between.
    assert.equal((await data('GET', `/api/v1/stories/${made.id}/revisions`)).length, 2)
    const [again] = await put({ ...record, live: undefined })
    assert.deepEqual([again.status, again.unchanged], [200, true])
  })

  test('content-dialects 12: another language comes by itself and leaves the first one as it was', async () => {
    const german = { values: { title: 'Fassung', rank: 9 }, updated_at: '2022-01-01T00:00:00.000Z' }
    const [made] = await put({ document_id: ID, locale: 'de', live: null, working: german })
    assert.equal(made.status, 201)
    const [first] = await data('GET', '/api/v1/stories?status=all&locale=en')
    assert.deepEqual(
      [first.rank, first.updated_at, first.status],
      [2, WORKING.updated_at, 'changed'],
    )
  })

  test('content-dialects 12: what was live without what is required now is live; live: null takes it back', async () => {
    const [made] = await put({ document_id: OTHER, live: { values: { title: null, code: 'x' } } })
    assert.equal(made.status, 201)
    assert.equal((await call('GET', `/api/v1/stories/${made.id}`)).status, 200)
    await put({ document_id: OTHER, live: null, working: { values: {} } })
    assert.equal((await call('GET', `/api/v1/stories/${made.id}`)).status, 404)
  })

  test('content-dialects 12: each record is refused by itself, with its reason', async () => {
    const outcomes = await put(
      { document_id: crypto.randomUUID(), working: { values: { title: 'x'.repeat(21) } } },
      { document_id: crypto.randomUUID(), working: { values: { code: 'x' } } },
      { document_id: crypto.randomUUID(), working: { values: { next: crypto.randomUUID() } } },
      { document_id: crypto.randomUUID(), locale: 'fr', working: { values: {} } },
      { document_id: crypto.randomUUID() },
      { document_id: crypto.randomUUID(), working: { values: { title: 'Fine', next: OTHER } } },
      // A time that cannot be kept is not taken for now.
      { document_id: crypto.randomUUID(), created_at: LEAP_SECOND, working: { values: {} } },
    )
    const statuses = outcomes.map(({ status }: { status: number }) => status)
    assert.deepEqual(statuses, [400, 409, 422, 400, 400, 201, 400], JSON.stringify(outcomes))
    assert.match(outcomes[0].error.message, /title/)
  })

  test('content-dialects 12: of records that claim the same unique value one has it', async () => {
    const claim = (code: string, document_id: string = crypto.randomUUID()) => ({
      ...{ document_id, working: { values: { title: 'Claim', code } } },
    })
    const statusesOf = (outcomes: readonly { status: number }[]) =>
      outcomes.map(({ status }) => status)
    const first = claim('same')
    assert.deepEqual(statusesOf(await put(first, claim('same'), claim('other'))), [201, 409, 201])
    // What one record gives up the next may have.
    const freed = await put(claim('new', first.document_id), claim('same'))
    assert.deepEqual(statusesOf(freed), [200, 201], JSON.stringify(freed))
    const codes = Array.from({ length: 10 }, (_, n) => `at once ${n}`)
    const both = await Promise.all(
      [codes, codes.toReversed()].map((each) => put(...each.map((code) => claim(code)))),
    )
    assert.deepEqual(statusesOf(both.flat()).toSorted(), [
      ...codes.map(() => 201),
      ...codes.map(() => 409),
    ])
    const stored = await data('GET', '/api/v1/stories?status=all&per_page=100')
    const claimed = stored.flatMap(({ code }: { code: string | null }) => code ?? [])
    assert.deepEqual(claimed.toSorted(), [...new Set([...claimed])].toSorted())
    for (const code of ['same', 'other', 'new', ...codes]) assert.ok(claimed.includes(code), code)
  })

  test('content-dialects 12: imports are for administrators and for types that exist', async () => {
    const body = { records: [{ document_id: ID, working: { values: {} } }] }
    assert.equal((await call('POST', IMPORT, { body, key: null })).status, 401)
    const unknown = await call('POST', '/api/v1/content-types/nothing/import', { body })
    assert.equal(unknown.status, 404)
    assert.equal((await call('POST', IMPORT, { body: { records: [] } })).status, 400)
  })

  test('content-dialects 12: a file may have the uuid it is given, once', async () => {
    const send = async (uuid: string) => {
      const form = new FormData()
      form.set('uuid', uuid)
      form.set('file', new Blob(['a']), 'a.txt')
      return call('POST', '/api/v1/media', { form })
    }
    assert.equal((await send(ID)).status, 201)
    assert.equal((await call('GET', `/api/v1/media/${ID}`)).status, 200)
    assert.equal((await send(ID)).status, 409)
    assert.equal((await send('none')).status, 400)
  })
})
