import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { ADMIN_KEY, type DatabaseKind, installation, startServer, tell, until } from '#test-kit'
import { html, page, startSite } from './site.ts'
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

/** An end in order while a file of a page comes: the run goes on with that page, and with its file. */
export async function endDuringFile(kind: DatabaseKind, signal: 'SIGTERM' | 'SIGKILL') {
  const site = await startSite()
  let asked = 0
  site.on('/page', (_, response) =>
    html(response, page({ title: 'With a file', body: '<img src="/file.txt">' })),
  )
  site.on('/file.txt', (_, response) => {
    response.writeHead(200, { 'content-length': 5 }).write('wh')
    if (asked++ > 0) response.end('ole')
  })
  const server = await startServer(
    await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ...LOOPBACK }),
  )
  const api = scraping(() => server.url)
  const id = await api.create({
    ...{ url: `${site.url}/page`, crawl: { max_depth: 0 } },
    extract: { mode: 'fields', fields: { title: 'h1', file: 'img@src' } },
    output: { collection: 'kept', create: true, map: { title: 'title' }, media: { file: 'file' } },
  })
  const runId = await api.start(id)
  await until(() => asked === 1, { what: 'the request of the file' })
  server.signal(signal)
  await server.exited()
  await server.restart()
  const run = await api.finished(id, runId)
  assert.deepEqual([run.status, run.items_collected], ['completed', 1])
  const [{ entry }] = await api.results(id)
  const { data } = await api.ok('GET', `/kepts/${entry.id}?include=file`)
  const [file] = [data.file].flat()
  assert.equal(await (await fetch(server.url + file.url)).text(), 'whole')
}
