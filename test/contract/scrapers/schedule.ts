import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '#test-kit'
import { html, page } from './site.ts'
import { scraperSuite } from './support.ts'

const HOUR_MS = 3_600_000

export const schedules = scraperSuite('schedules', (api) => {
  test('scrapers 11: a schedule starts runs at its ticks', async () => {
    const { url } = api.site()
    const id = await api.create({ url: `${url}/p/19`, schedule: '0 * * * *' })
    const { next_run_at } = await api.ok('GET', `/scrapers/${id}`)
    await moveTo(Date.parse(next_run_at) + 500)
    const run = await until(async () => (await runsOf(id))[0], { what: 'a run' })
    assert.equal(run.trigger, 'schedule')
    assert.equal((await api.finished(id, run.id)).status, 'completed')
    const after = await api.ok('GET', `/scrapers/${id}`)
    assert.equal(Date.parse(after.next_run_at) - Date.parse(next_run_at), HOUR_MS)
    await reset(id)
  })

  test('scrapers 11: a tick while the scraper runs is skipped and logged', async () => {
    const site = api.site()
    site.on(
      '/hang',
      (_, response) => void setTimeout(() => html(response, page({ title: 'x' })), 60_000).unref(),
    )
    const id = await api.create({ url: `${site.url}/hang`, schedule: '*/5 * * * *' })
    const runId = await api.start(id)
    const { next_run_at } = await api.ok('GET', `/scrapers/${id}`)
    await moveTo(Date.parse(next_run_at) + 500)
    const line = await until(async () => {
      const log = await api.ok('GET', `/scrapers/${id}/runs/${runId}/log?level=warn`)
      return log.data[0]
    })
    assert.match(line.message, /skipped/)
    assert.equal((await runsOf(id)).length, 1)
    await api.ok('POST', `/scrapers/${id}/stop`)
    await reset(id)
  })

  function runsOf(id: number) {
    return api.ok('GET', `/scrapers/${id}/runs`).then(({ data }) => data)
  }

  function moveTo(atMs: number) {
    return api.server().setClockOffset(atMs - Date.now())
  }

  async function reset(id: number) {
    await api.ok('DELETE', `/scrapers/${id}`)
    await api.server().setClockOffset(0)
  }
})
