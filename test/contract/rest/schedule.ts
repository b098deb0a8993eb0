import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Answer, promptly, until } from '#test-kit'
import { restSuite } from './support.ts'

const HOUR_MS = 3_600_000

/** Console contract §4. */
export const schedule = restSuite('schedule', ({ call, data, keys, server }) => {
  const ARTICLES = '/api/v1/articles'
  const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()
  const working = async (id: number, of = ARTICLES) =>
    (await call('GET', `${of}/${id}?status=all`, { key: keys.write })).body.data
  const live = async (id: number, of = ARTICLES) =>
    (await call('GET', `${of}/${id}`, { key: keys.read })).status === 200
  const eventsAfter = async (after: number) =>
    // An event of before may get its number only now.
    (await call('GET', `/api/v1/changes?after=${after}&limit=1000`)).body.data.filter(
      (each: { event: string }) => !each.event.endsWith('.created'),
    )
  const position = async () => (await call('GET', '/api/v1/changes?after=now')).body.meta.next_after

  after(() => server().setClockOffset(0))

  function refused({ status, body }: Answer, field: string) {
    assert.equal(status, 400, JSON.stringify(body))
    assert.equal(body.error.details[0].field, field, JSON.stringify(body))
  }

  test('console 4: an entry is published and unpublished at its times, once, within a second', async () => {
    const [publish_at, unpublish_at] = [inHours(1), inHours(2)]
    const made = await call('POST', ARTICLES, { body: { title: 'Soon', publish_at, unpublish_at } })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const { id, status } = made.body.data
    assert.equal(status, 'draft')
    assert.equal(made.body.data.publish_at, publish_at)
    assert.equal((await working(id)).unpublish_at, unpublish_at)
    const from = await position()
    await server().setClockOffset(HOUR_MS + 1)
    await promptly(1_500, () => live(id))
    const shown = await working(id)
    assert.deepEqual(
      [shown.status, shown.publish_at, shown.unpublish_at],
      [...['published', undefined], unpublish_at],
    )
    const reader = await call('GET', `${ARTICLES}/${id}`, { key: keys.read })
    assert.equal(reader.body.data.unpublish_at, undefined)
    await server().setClockOffset(2 * HOUR_MS + 1)
    await until(async () => !(await live(id)))
    assert.equal((await working(id)).unpublish_at, undefined)
    const names = (await eventsAfter(from))
      .filter((each: { id: number; type: string }) => each.id === id && each.type === 'article')
      .map((each: { event: string }) => each.event)
    assert.deepEqual(names, ['article.published', 'article.unpublished'])
    await server().setClockOffset(0)
  })

  test('console 4: a time given to a draft of a live entry leaves what is live until then', async () => {
    const { id } = await data('POST', ARTICLES, { body: { title: 'Now' } })
    await data('PATCH', `${ARTICLES}/${id}?status=draft`, { body: { title: 'Then' } })
    await data('PATCH', `${ARTICLES}/${id}`, { body: { publish_at: inHours(1) } })
    assert.equal((await working(id)).status, 'changed')
    assert.equal((await data('GET', `${ARTICLES}/${id}`)).title, 'Now')
    await server().setClockOffset(HOUR_MS + 1)
    await until(async () => (await data('GET', `${ARTICLES}/${id}`)).title === 'Then')
    await server().setClockOffset(0)
  })

  test('console 4: null takes a time away, and so does doing it by hand', async () => {
    const draft = { title: 'Never', publish_at: inHours(1) }
    const { id } = await data('POST', ARTICLES, { body: draft })
    const cleared = await data('PATCH', `${ARTICLES}/${id}`, { body: { publish_at: null } })
    assert.equal(cleared.publish_at, undefined)
    const other = await data('POST', ARTICLES, { body: { ...draft, title: 'By hand' } })
    assert.equal((await data('POST', `${ARTICLES}/${other.id}/publish`)).publish_at, undefined)
    const sentinel = await data('POST', ARTICLES, { body: { ...draft, title: 'Sentinel' } })
    await server().setClockOffset(HOUR_MS + 1)
    await until(() => live(sentinel.id))
    assert.equal(await live(id), false)
    await server().setClockOffset(0)
  })

  test('console 4: what cannot be published at its time says so, tells of it, and is not tried again', async () => {
    const { id } = await data('POST', ARTICLES, { body: { summary: 'x', publish_at: inHours(1) } })
    const from = await position()
    await server().setClockOffset(HOUR_MS + 1)
    const failed = await until(async () => {
      const shown = await working(id)
      return shown.schedule_error && shown
    })
    assert.deepEqual([failed.status, failed.publish_at], ['draft', undefined])
    const { action, code, details } = failed.schedule_error
    assert.deepEqual([action, code, details[0].field], ['publish', 'not_publishable', 'title'])
    const told = await until(async () => {
      const of = 'event_type=content.schedule_failed&limit=50'
      const { body } = await call('GET', `/webhooks/events?${of}`)
      return body.data?.find((each: { payload?: { id: number } }) => each.payload?.id === id)
    })
    assert.equal(told.payload.code, 'not_publishable', JSON.stringify(told))
    await until(() => /could not be published by its time/.test(server().log()))
    const changes = (await eventsAfter(from)).filter((each: { id: number }) => each.id === id)
    assert.deepEqual(
      changes.map((each: { event: string }) => each.event),
      ['article.updated'],
    )
    // Sent back as it was read; and a new time ends the complaint.
    const { schedule_error } = failed
    const body = { title: 'Now whole', schedule_error, publish_at: inHours(0) }
    const mended = await call('PATCH', `${ARTICLES}/${id}`, { body })
    assert.equal(mended.body.data?.schedule_error, undefined, JSON.stringify(mended.body))
    await until(() => live(id))
    await server().setClockOffset(0)
  })

  test('console 4: each language has its own time; types without drafts have none', async () => {
    const page = await data('POST', '/api/v1/pages', { body: { title: 'Hello', status: 'draft' } })
    const french = await data('POST', '/api/v1/pages', {
      body: {
        ...{ document_id: page.document_id, locale: 'fr', title: 'Bonjour' },
        publish_at: inHours(1),
      },
    })
    await server().setClockOffset(HOUR_MS + 1)
    await until(() => live(french.id, '/api/v1/pages'))
    assert.equal(await live(page.id, '/api/v1/pages'), false)
    await server().setClockOffset(0)
    refused(
      await call('POST', '/api/v1/authors', { body: { name: 'A', publish_at: inHours(1) } }),
      'publish_at',
    )
  })

  test('console 4: times that are none, or that end before they begin, are refused', async () => {
    const { id } = await data('POST', ARTICLES, { body: { title: 'T', status: 'draft' } })
    for (const wrong of ['tomorrow', '2026-02-30T00:00:00Z', -1, 1.5, true, {}, 1e17]) {
      refused(
        await call('PATCH', `${ARTICLES}/${id}`, { body: { publish_at: wrong } }),
        'publish_at',
      )
    }
    const backwards = { publish_at: inHours(2), unpublish_at: inHours(1) }
    refused(await call('PATCH', `${ARTICLES}/${id}`, { body: backwards }), 'unpublish_at')
    refused(await call('POST', ARTICLES, { body: { title: 'T', ...backwards } }), 'unpublish_at')
    await data('PATCH', `${ARTICLES}/${id}`, { body: { unpublish_at: inHours(1) } })
    refused(
      await call('PATCH', `${ARTICLES}/${id}`, { body: { publish_at: inHours(2) } }),
      'unpublish_at',
    )
    const read = await call('PATCH', `${ARTICLES}/${id}`, {
      ...{ key: keys.read, body: { publish_at: inHours(1) } },
    })
    assert.equal(read.status, 403)
  })
})
