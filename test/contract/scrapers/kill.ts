import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { ADMIN_KEY, type DatabaseKind, installation, startServer, tell, until } from '#test-kit'
import { startSite } from './site.ts'
import { LOOPBACK, scraping } from './support.ts'

/** SIGKILL in the middle of a run, several times; then everything must be there once. */
export async function killDuringRun(kind: DatabaseKind, options: { pages: number; kills: number }) {
  const { pages, kills } = options
  const site = await startSite({ pages })
  const received: string[] = []
  site.on('/hook', (request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      if (text !== '') received.push(JSON.parse(text).type)
      response.end()
    })
  })
  const server = await startServer(
    await installation(kind, {
      ...{ ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_WEBHOOKS_ALLOW_NETS: '127.0.0.0/8' },
      ...LOOPBACK,
    }),
  )
  const api = scraping(() => server.url)
  await api.ok('POST', '/webhooks', {
    body: { url: `${site.url}/hook`, events: ['run.completed'] },
  })
  const id = await api.create({
    ...{ url: `${site.url}/p/0`, rate_limit: 100 },
    crawl: { max_depth: 20, max_pages: pages + 10 },
  })
  const runId = await api.start(id)
  for (let round = 1; round <= kills; round++) {
    const goal = Math.floor((pages * round) / (kills + 1))
    await until(() => new Set(site.paths()).size >= goal, {
      what: `${goal} pages`,
      withinMs: 120_000,
    })
    // Anywhere in the work on a page: that is the point.
    await delay(Math.random() * 100)
    server.signal('SIGKILL')
    await server.restart()
    if (kills > 1)
      tell(`kill ${round} of ${kills}: ${new Set(site.paths()).size} of ${pages} pages`)
  }
  const run = await api.finished(id, runId)
  assert.deepEqual([run.status, run.finish_reason], ['completed', 'exhausted'])
  assert.ok(run.recoveries >= 1)
  assert.deepEqual([run.items_collected, run.pages_fetched, run.pages_queued], [pages, pages, 0])
  const items: { url: string }[] = await api.results(id)
  const urls = items.map(({ url }) => new URL(url).pathname)
  assert.equal(new Set(urls).size, pages)
  assert.equal(urls.length, pages)
  await until(() => received.includes('run.completed'), { what: 'the delivery' })
  await delay(500)
  assert.equal(received.filter((type) => type === 'run.completed').length, 1)
}
