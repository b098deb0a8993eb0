import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, assertPrompt, until } from '#test-kit'
import { html, page, startSite } from './site.ts'
import { scraperSuite, scraping } from './support.ts'

/** Beside other test files on the same machine; alone it is well below a second. */
const SOON_MS = 10_000

export const fairness = scraperSuite('users beside each other', (api) => {
  test('scrapers finding 1: a quiet preview beside a hundred of a greedy user is answered soon', async (t) => {
    const [greedy, quiet] = [await api.userKey('greedy'), await api.userKey('quiet')]
    const site = await startSite()
    site.on('/hangs', () => {})
    site.on('/page', (_, response) => html(response, page({ title: 'Quiet' })))
    const leaving = new AbortController()
    const refused: Answer[] = []
    const body = JSON.stringify({ url: `${site.url}/hangs`, crawl: { robots: 'ignore' } })
    const asking = Array.from({ length: 100 }, async () => {
      const response = await fetch(`${api.server().url}/api/v1/scrapers/preview`, {
        ...{ method: 'POST', body, signal: leaving.signal },
        headers: { 'x-api-key': greedy.key, 'content-type': 'application/json' },
      })
      const { status, headers } = response
      refused.push({ status, headers, body: await response.json() })
    })
    await until(() => site.hits.length >= 2 && refused.length >= 78, { what: 'previews under way' })
    const startedMs = performance.now()
    const own = await api.call('POST', '/scrapers/preview', {
      ...{ body: { url: `${site.url}/page` }, key: quiet.key },
    })
    const tookMs = performance.now() - startedMs
    leaving.abort()
    await Promise.allSettled(asking)
    t.diagnostic(`beside 22 that hang: ${Math.round(tookMs)} ms`)
    assert.deepEqual([own.status, own.body.items?.[0]?.data.title], [200, 'Quiet'])
    assertPrompt(tookMs, SOON_MS)
    assert.equal(refused.length, 78)
    for (const { status, headers, body: answer } of refused) {
      assert.deepEqual([status, answer.error.code], [429, 'too_many_previews'])
      assert.match(answer.error.message, /try again in \d+ seconds/)
      assert.ok(Number(headers.get('retry-after')) >= 1)
    }
    const log = api.server().log()
    assert.doesNotMatch(log, /"level":"error"[^\n]*preview/)
    assert.doesNotMatch(log, /Too many[^\n]*stack/)
  })

  test('scrapers finding 4: long runs of one user leave the run of another its start and its pace', async (t) => {
    const [greedy, quiet] = [await api.userKey('many'), await api.userKey('few')]
    const site = await startSite({ pages: 100_000 })
    const many = scraping(() => api.server().url, greedy.key)
    const ids: number[] = []
    for (let number = 0; number < 12; number++) {
      const url = `${site.url}/p/${number + 10}`
      const crawl = { max_pages: 100_000, max_depth: 100, concurrency: 64 }
      ids.push(await many.create({ url, crawl }))
    }
    await Promise.all(ids.map((id) => many.start(id)))
    await until(() => site.hits.length >= 50, { what: 'greedy requests' })

    const own = await startSite({ pages: 20 })
    const few = scraping(() => api.server().url, quiet.key)
    const startedMs = performance.now()
    const run = await few.crawl({ url: `${own.url}/p/0`, rate_limit: 5, crawl: { max_depth: 9 } })
    const tookMs = performance.now() - startedMs
    const pages = site.hits.length
    const statuses = await Promise.all(
      ids.map(async (id) => many.ok('GET', `/scrapers/${id}/status`)),
    )
    await Promise.all(ids.map((id) => many.call('POST', `/scrapers/${id}/stop`)))
    assert.equal(run.items_collected, 20)
    const running = statuses.filter(({ status }) => status === 'running')
    assert.equal(running.length, 8, 'two slots of ten are kept for others')
    // 21 requests at five a second take four seconds.
    t.diagnostic(`20 pages at 5 a second: ${Math.round(tookMs)} ms beside ${pages} requests`)
    assertPrompt(tookMs, SOON_MS)
    await Promise.all(ids.map((id) => many.ok('DELETE', `/scrapers/${id}`)))
  })

  test('scrapers 3: a run whose owner may no longer write fails with owner_not_allowed', async () => {
    const { key, userId } = await api.userKey('leaving')
    const own = scraping(() => api.server().url, key)
    const site = await startSite()
    const id = await own.create({ url: `${site.url}/p/0`, schedule: '0 * * * *' })
    const { next_run_at } = await own.ok('GET', `/scrapers/${id}`)
    await api.ok('PATCH', `/users/${userId}`, { body: { status: 'disabled' } })
    const run = await api.finished(id, await api.start(id))
    assert.deepEqual([run.status, run.error.code], ['failed', 'owner_not_allowed'])
    assert.deepEqual(site.hits, [])
    // Scheduled ticks are skipped and logged.
    await api.server().setClockOffset(Date.parse(next_run_at) + 500 - Date.now())
    await until(async () => (await api.ok('GET', `/scrapers/${id}`)).next_run_at !== next_run_at)
    assert.equal((await api.ok('GET', `/scrapers/${id}/runs`)).meta.total, 1)
    await until(() => api.server().log().includes('its owner may not write'))
    await api.server().setClockOffset(0)
    await api.ok('PATCH', `/users/${userId}`, { body: { status: 'active' } })
    assert.equal((await api.finished(id, await api.start(id))).status, 'completed')
    await api.ok('PATCH', `/users/${userId}`, { body: { access: 'read' } })
    const lowered = await api.finished(id, await api.start(id))
    assert.equal(lowered.error.code, 'owner_not_allowed')
    await api.ok('DELETE', `/scrapers/${id}`)
  })
})
