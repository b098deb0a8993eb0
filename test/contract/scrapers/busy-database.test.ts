import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { ADMIN_KEY, installation, startServer, until } from '#test-kit'
import { html, page, startSite } from './site.ts'
import { LOOPBACK, scraping } from './support.ts'

test('scrapers 19: a database that is busy for too long refuses no item, its page comes again', async () => {
  // The crawling thread has one connection for what plans ask.
  const { api, site, lock, url } = await start({
    ENTREPOT_STORAGE_CONNECTIONS: '20',
    ENTREPOT_STORAGE_READ_TIMEOUT_MS: '30000',
  })
  const gate = Promise.withResolvers<void>()
  const runs: Started[] = []
  for (const name of ['one', 'two']) {
    site.on(`/${name}`, async (_, response) => {
      await gate.promise
      html(response, page({ title: name }))
    })
    const own = scraping(() => url, (await api.userKey(name)).key)
    const id = await own.create({ url: `${site.url}/${name}`, output: OUTPUT })
    runs.push({ id, runId: await own.start(id) })
  }
  await until(() => site.paths().length === 2, { what: 'both pages' })
  const unlock = await lock('content_entries')
  gate.resolve()
  await until(async () => (await Promise.all(runs.map(runOf))).some(isMoved), PATIENTLY)
  await unlock()
  for (const run of runs) await assertPublished(run)

  function runOf({ id, runId }: Started): Promise<Shown> {
    return api.ok('GET', `/scrapers/${id}/runs/${runId}`)
  }

  async function assertPublished({ id, runId }: Started) {
    assert.equal((await api.finished(id, runId)).status, 'completed')
    const items: { entry: unknown }[] = await api.results(id)
    assert.equal(items.length, 1)
    assert.notEqual(items[0]?.entry, null)
  }
})

test('scrapers 19: a thread that could not read the model when it first published reads it again', async () => {
  const { api, site, lock } = await start({ ENTREPOT_STORAGE_READ_TIMEOUT_MS: '2000' })
  const id = await api.create({ url: `${site.url}/p/19`, output: OUTPUT })
  const unlock = await lock('content_types')
  const runId = await api.start(id)
  const isTold = async () => isMoved(await api.ok('GET', `/scrapers/${id}/runs/${runId}`))
  await until(isTold, PATIENTLY)
  await unlock()
  const { status, error } = await api.finished(id, runId)
  assert.deepEqual({ status, error }, { status: 'completed', error: null })
})

const NOTE = {
  ...{ singularName: 'note', pluralName: 'notes' },
  attributes: { title: { type: 'string' } },
}
const OUTPUT = { collection: 'notes', map: { title: 'title' } }
const PATIENTLY = { what: 'a run that waits no longer', withinMs: 60_000 }

interface Started {
  readonly id: number
  readonly runId: number
}

interface Shown {
  readonly status: string
  readonly recoveries: number
}

function isMoved({ status, recoveries }: Shown): boolean {
  return recoveries > 0 || (status !== 'pending' && status !== 'running')
}

async function start(extra: Record<string, string>) {
  const given = await installation('postgres', {
    ...{ ENTREPOT_ADMIN_KEY: ADMIN_KEY, ...LOOPBACK, ...extra },
  })
  const { url } = await startServer(given)
  const operator = new pg.Client({ connectionString: given['ENTREPOT_DATABASE_URL'] })
  await operator.connect()
  after(() => operator.end())
  const api = scraping(() => url)
  await api.ok('POST', '/content-types', { body: NOTE })
  return { api, site: await startSite(), lock, url }

  /** Until it is told otherwise nobody reads the table. */
  async function lock(table: string) {
    await operator.query('begin')
    await operator.query(`lock table ${table} in access exclusive mode`)
    return async () => void (await operator.query('commit'))
  }
}
