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

  test('scrapers 11: every tick while the scraper runs is skipped, and each is logged', async () => {
    const site = api.site()
    site.on('/long', () => {})
    const id = await api.create({ url: `${site.url}/long`, schedule: '0 * * * *' })
    const runId = await api.start(id)
    for (let hour = 1; hour <= 3; hour++) {
      const { next_run_at } = await api.ok('GET', `/scrapers/${id}`)
      await moveTo(Date.parse(next_run_at) + 500)
      await until(async () => (await skippedTicks(id, runId)) === hour, { what: `line ${hour}` })
    }
    assert.equal((await runsOf(id)).length, 1)
    await api.ok('POST', `/scrapers/${id}/stop`)
    await reset(id)
  })

  test('scrapers 11: ticks missed while no node was up give one run, or none by the setting', async () => {
    const { url } = api.site()
    for (const [catch_up, wanted] of [
      ['one', 1],
      ['none', 0],
    ] as const) {
      await api.ok('PATCH', '/settings/scrapers', { body: { catch_up } })
      // Five ticks lie between the clock of this server and that of the next one.
      await api.server().setClockOffset(-5 * HOUR_MS)
      const id = await api.create({ url: `${url}/p/19`, schedule: '0 * * * *' })
      const other = await api.create({ url: `${url}/p/19`, schedule: '0 * * * *' })
      await api.ok('PATCH', `/scrapers/${other}`, { body: { schedule_enabled: false } })
      const { next_run_at } = await api.ok('GET', `/scrapers/${id}`)
      assert.ok(Date.now() - Date.parse(next_run_at) > 4 * HOUR_MS)
      // In order, or another process would have to wait for the lease of this one.
      api.server().signal('SIGTERM')
      await api.server().restart()
      const moved = await until(async () => {
        const shown = await api.ok('GET', `/scrapers/${id}`)
        return shown.next_run_at !== next_run_at && shown
      })
      assert.ok(Date.parse(moved.next_run_at) > Date.now())
      const runs = await runsOf(id)
      assert.equal(runs.length, wanted, catch_up)
      for (const run of runs) {
        assert.equal(run.trigger, 'schedule')
        assert.equal((await api.finished(id, run.id)).status, 'completed')
      }
      assert.deepEqual(await runsOf(other), [])
      await api.ok('DELETE', `/scrapers/${id}`)
      await api.ok('DELETE', `/scrapers/${other}`)
    }
    await api.ok('PATCH', '/settings/scrapers', { body: { catch_up: null } })
  })

  test('scrapers 11: a tick missed for more than a day is not made up', async () => {
    const { url } = api.site()
    const weekly = `0 0 * * ${new Date(Date.now() - 3 * 24 * HOUR_MS).getUTCDay()}`
    await api.server().setClockOffset(-6 * 24 * HOUR_MS)
    const id = await api.create({ url: `${url}/p/19`, schedule: weekly })
    const { next_run_at } = await api.ok('GET', `/scrapers/${id}`)
    await api.server().setClockOffset(0)
    await until(async () => (await api.ok('GET', `/scrapers/${id}`)).next_run_at !== next_run_at)
    assert.deepEqual(await runsOf(id), [])
    await reset(id)
  })

  async function skippedTicks(id: number, runId: number): Promise<number> {
    const log = await api.ok('GET', `/scrapers/${id}/runs/${runId}/log?level=warn`)
    return log.data.filter(({ message }: { message: string }) => /tick.*skipped/i.test(message))
      .length
  }

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
