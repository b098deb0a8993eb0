import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertPrompt, runBeside, until } from '#test-kit'
import { threadsOf } from './processes.ts'
import { html, page } from './site.ts'
import { scraperSuite } from './support.ts'

export const running = scraperSuite('runs', (api) => {
  test('scrapers 3: a run is readable at once, runs to its end, and the status view follows', async () => {
    const { url } = api.site()
    const id = await api.create({ url: `${url}/p/0`, crawl: { max_depth: 10 } })
    const idle = await api.ok('GET', `/scrapers/${id}/status`)
    const nothing = { id, status: 'idle', last_run: null, items_count: 0 }
    assert.deepEqual(idle, { ...nothing, run_id: null, next_run_at: null })
    const started = await api.call('POST', `/scrapers/${id}/run`)
    assert.equal(started.status, 201)
    const { run_id: runId } = started.body
    assert.deepEqual(started.body, { run_id: runId, status: 'started' })
    assert.equal(started.headers.get('location'), `/api/v1/scrapers/${id}/runs/${runId}`)
    const early = await api.ok('GET', `/scrapers/${id}/runs/${runId}`)
    assert.equal(early.id, runId)
    const run = await api.finished(id, runId)
    assert.deepEqual(
      [run.status, run.finish_reason, run.pages_fetched, run.items_collected, run.pages_queued],
      ['completed', 'exhausted', 20, 20, 0],
    )
    const status = await api.ok('GET', `/scrapers/${id}/status`)
    assert.deepEqual(
      [status.status, status.items_count, status.last_run],
      ['completed', 20, run.started_at],
    )
    assert.equal((await api.ok('GET', `/scrapers/${id}`)).status, 'completed')
    const runs = await api.ok('GET', `/scrapers/${id}/runs?status=completed&trigger=manual`)
    assert.deepEqual(
      runs.data.map((each: { id: number }) => each.id),
      [runId],
    )
  })

  test('scrapers §3: a thread that was held up for longer than a lease goes on with its runs', async () => {
    const site = api.site()
    const gate = Promise.withResolvers<void>()
    site.on('/held', async (_, response) => {
      await gate.promise
      html(response, page({ title: 'Held' }))
    })
    const id = await api.create({ url: `${site.url}/held` })
    const runId = await api.start(id)
    await until(() => site.paths().includes('/held'), { what: 'the request' })
    await runBeside(api.server(), `update scrapers_runs set lease_until = 1 where id = ${runId}`)
    await until(
      async () => {
        const [row] = await runBeside(
          api.server(),
          `select lease_until from scrapers_runs where id = ${runId}`,
        )
        return Number(row?.['lease_until']) > 1
      },
      { what: 'the renewed lease', withinMs: 60_000 },
    )
    gate.resolve()
    const { status, recoveries } = await api.finished(id, runId)
    assert.deepEqual({ status, recoveries }, { status: 'completed', recoveries: 0 })
    assert.equal(site.paths().filter((path) => path === '/held').length, 1)
  })

  test('scrapers §3: the crawling thread gives way to those that answer requests', async (t) => {
    if (process.platform !== 'linux') return t.skip('priorities of threads are known on Linux')
    await api.crawl({ url: `${api.site().url}/p/19` })
    const threads = threadsOf(api.server().pid)
    const crawling = threads.filter(({ name }) => name === 'crawler')
    assert.deepEqual(
      crawling.map(({ nice }) => nice),
      [10],
    )
    const others = threads.filter(({ name }) => name !== 'crawler')
    assert.ok(others.length > 3)
    for (const { name, nice } of others) assert.equal(nice, 0, name)
  })

  test('scrapers 3: of 50 simultaneous starts one makes a run, the others are refused', async () => {
    const site = api.site()
    site.on('/slow', () => {})
    const id = await api.create({ url: `${site.url}/slow` })
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => api.call('POST', `/scrapers/${id}/run`)),
    )
    const refused = answers.filter(({ status }) => status === 409)
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    assert.equal(refused.length, 49)
    for (const { body } of refused) {
      assert.deepEqual(body.error, {
        code: 'scraper_already_running',
        message: 'Scraper is already running',
      })
    }
    assert.equal((await api.ok('GET', `/scrapers/${id}/runs`)).meta.total, 1)
    await until(() => site.paths().includes('/slow'), { what: 'the request' })
    assert.equal(site.paths().filter((path) => path === '/slow').length, 1)
    await api.ok('POST', `/scrapers/${id}/stop`)
  })

  test('scrapers 4: a stop ends a run whose server never answers within a second', async () => {
    const site = api.site()
    site.on('/start', (_, response) => html(response, page({ title: 'Start', links: ['/never'] })))
    site.on('/never', () => {})
    const id = await api.create({ url: `${site.url}/start` })
    const runId = await api.start(id)
    await until(() => site.paths().includes('/never'), { what: 'the request' })
    const startedMs = performance.now()
    const stopped = await api.call('POST', `/scrapers/${id}/stop`)
    const tookMs = performance.now() - startedMs
    assert.deepEqual([stopped.status, stopped.body], [200, { run_id: runId, status: 'stopped' }])
    assertPrompt(tookMs, 1_000)
    const run = await api.ok('GET', `/scrapers/${id}/runs/${runId}`)
    assert.deepEqual(
      [run.status, run.finish_reason, run.items_collected],
      ['stopped', 'stopped', 1],
    )
    assert.equal((await api.results(id)).length, 1)
    const again = await api.call('POST', `/scrapers/${id}/stop`)
    assert.deepEqual([again.status, again.body.error.message], [409, 'Scraper is not running'])
    site.on('/never', (_, response) => html(response, page({ title: 'Late' })))
    const next = await api.finished(id, await api.start(id))
    assert.deepEqual([next.status, next.items_collected], ['completed', 2])
  })

  test('scrapers 6: deleting a running scraper ends its requests and everything of it', async () => {
    const site = api.site()
    const id = await api.create({
      ...{
        url: `${site.url}/p/0`,
        rate_limit: 5,
        schedule: '* * * * * *',
        crawl: { max_depth: 9 },
      },
    })
    await until(() => site.paths().length >= 3, { what: 'three requests' })
    assert.equal((await api.call('DELETE', `/scrapers/${id}`)).status, 204)
    const seen = site.hits.length
    assert.equal((await api.call('GET', `/scrapers/${id}`)).status, 404)
    await api.server().setClockOffset(60_000)
    await api.ok('GET', '/scrapers')
    const other = await api.crawl({ url: `${site.url}/p/19` })
    assert.equal(other.status, 'completed')
    const late = site.hits
      .slice(seen)
      .filter(({ path }) => !['/p/19', '/robots.txt'].includes(path))
    assert.deepEqual(late, [])
    await api.server().setClockOffset(0)
  })

  test('scrapers 8: max_pages is never exceeded, whatever runs at once', async () => {
    const site = api.site()
    site.reset()
    const run = await api.crawl({
      url: `${site.url}/p/0`,
      crawl: { max_pages: 7, max_depth: 10, concurrency: 16 },
    })
    assert.deepEqual([run.finish_reason, run.pages_fetched], ['max_pages', 7])
    assert.equal(site.paths().length, 7)
    assert.ok(run.pages_queued > 0)
  })

  test('scrapers 8: max_items and max_duration_seconds end a run as completed', async () => {
    const site = api.site()
    const items = await api.crawl({ url: `${site.url}/p/0`, crawl: { max_items: 4, max_depth: 9 } })
    assert.deepEqual(
      [items.status, items.finish_reason, items.items_collected],
      ['completed', 'max_items', 4],
    )
    site.on('/hanging', () => {})
    site.on('/first', (_, response) =>
      html(response, page({ title: 'First', links: ['/hanging'] })),
    )
    const timed = await api.crawl({ url: `${site.url}/first`, crawl: { max_duration_seconds: 1 } })
    assert.deepEqual([timed.status, timed.finish_reason], ['completed', 'max_duration'])
  })

  test('scrapers 3: a run that cannot fetch its start fails and says why', async () => {
    const { url } = api.site()
    const run = await api.crawl({ url: `${url}/nothing` })
    assert.deepEqual([run.status, run.error.code], ['failed', 'start_url_failed'])
    const closed = await api.crawl({ url: 'http://127.0.0.1:1/', crawl: { max_retries: 0 } })
    assert.deepEqual([closed.status, closed.error.code], ['failed', 'start_url_failed'])
    const only = await api.crawl({ url: `${url}/nothing`, crawl: { max_pages: 1 } })
    assert.deepEqual(
      [only.status, only.finish_reason, only.error.code],
      ['failed', 'error', 'start_url_failed'],
    )
    const site = api.site()
    site.on('/never', () => {})
    const late = await api.crawl({ url: `${url}/never`, crawl: { max_duration_seconds: 1 } })
    assert.deepEqual([late.status, late.error?.code], ['failed', 'start_url_failed'])
  })

  test('scrapers 3: a finished run can be deleted with its results, a live one cannot', async () => {
    const site = api.site()
    site.on('/live', () => {})
    const id = await api.create({ url: `${site.url}/p/19` })
    const { id: runId } = await api.finished(id, await api.start(id))
    assert.equal((await api.call('DELETE', `/scrapers/${id}/runs/${runId}`)).status, 204)
    assert.equal((await api.call('GET', `/scrapers/${id}/runs/${runId}`)).status, 404)
    assert.deepEqual(await api.results(id), [])
    assert.equal((await api.ok('GET', `/scrapers/${id}`)).status, 'idle')
    await api.finished(id, await api.start(id))
    await api.ok('PATCH', `/scrapers/${id}`, { body: { url: `${site.url}/nothing` } })
    const failed = await api.finished(id, await api.start(id))
    await api.ok('DELETE', `/scrapers/${id}/runs/${failed.id}`)
    for (const path of ['', '/status'])
      assert.equal((await api.ok('GET', `/scrapers/${id}${path}`)).status, 'completed')
    await api.ok('PATCH', `/scrapers/${id}`, { body: { url: `${site.url}/live` } })
    const live = await api.start(id)
    const refused = await api.call('DELETE', `/scrapers/${id}/runs/${live}`)
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'run_active'])
    await api.ok('POST', `/scrapers/${id}/stop`)
  })

  test('scrapers 5: a lower rate_limit slows a live run within a second', async () => {
    const site = api.site()
    const links = Array.from({ length: 80 }, (_, number) => `/one/${number}`)
    site.on('/many', (_, response) => html(response, page({ title: 'Many', links })))
    for (const link of links) site.on(link, (_, response) => html(response, page({ title: link })))
    const id = await api.create({ url: `${site.url}/many`, rate_limit: 20 })
    const runId = await api.start(id)
    await until(() => site.paths().filter((path) => path.startsWith('/one')).length >= 10, {})
    await api.ok('PATCH', `/scrapers/${id}`, { body: { rate_limit: 1 } })
    const changedMs = performance.now()
    await until(() => performance.now() - changedMs > 3_500, {})
    const late = site.hits.filter(
      ({ atMs, path }) => path.startsWith('/one') && atMs > changedMs + 1_000,
    )
    assert.ok(late.length <= 4, `${late.length} requests`)
    await api.ok('POST', `/scrapers/${id}/stop`)
    assert.equal((await api.finished(id, runId)).status, 'stopped')
  })
})
