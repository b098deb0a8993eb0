import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY, createCalls, installation, startServer, tell } from '#test-kit'
import { html, page, startSite } from '../contract/scrapers/site.ts'
import { LOOPBACK, scraping } from '../contract/scrapers/support.ts'

const RUNS = Number(process.env['RUNS'] ?? 100)
const MOST_MS = 500
/** Writes that the crawling thread makes. */
const CRAWLED = /^(update "scrapers_(runs|pages)"|insert into "scrapers_(pages|items|log)")/

test(`scrapers §3: ${RUNS} runs that begin at once hold up no other writer (sqlite)`, async (t) => {
  const site = await startSite()
  // Pages that take a while to read: the thread has something else to do between any two writes.
  const body = '<p>A paragraph, and <a href="/p/1">a link</a>.</p>'.repeat(2_000)
  site.on('/long', (_, response) => html(response, page({ title: 'Long', body })))
  const settings = { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_STARTER: 'types', ...LOOPBACK }
  const server = await startServer(await installation('sqlite', settings))
  const api = scraping(() => server.url)
  await api.ok('PATCH', '/settings/scrapers', { body: { max_concurrent_runs: 2 * RUNS } })
  const crawl = { follow: 'none' }
  const ids = await Promise.all(
    Array.from({ length: RUNS }, (_, n) => api.create({ url: `${site.url}/long?${n}`, crawl })),
  )
  const started = await Promise.all(ids.map(async (id) => [id, await api.start(id)] as const))
  const finished = started.map(([id, runId]) => api.finished(id, runId))
  const waits = await writeUntil(Promise.all(finished))
  for (const run of await Promise.all(finished)) assert.equal(run.status, 'completed')
  const held = holdsIn(server.log()).filter(({ firstSql }) => CRAWLED.test(firstSql))
  const longestMs = Math.max(0, ...held.map(({ durationMs }) => durationMs))
  t.diagnostic(`holds of more than 100 ms: ${held.length}, the longest ${longestMs.toFixed(0)} ms`)
  t.diagnostic(`${waits.length} other writes, the longest ${Math.max(...waits).toFixed(0)} ms`)
  assert.ok(longestMs < MOST_MS, `the writer was held for ${longestMs} ms`)

  /** One entry after the other until the runs are over; answers how long each took. */
  async function writeUntil(over: Promise<unknown>): Promise<number[]> {
    const calls = createCalls(() => server.url)
    const times: number[] = []
    let isOver = false
    void over.finally(() => {
      isOver = true
    })
    while (!isOver) {
      const sentMs = performance.now()
      await calls.ok('POST', '/api/v1/articles', { body: { title: `Beside ${times.length}` } })
      times.push(performance.now() - sentMs)
      if (times.length % 100 === 0) tell(`${times.length} entries are written`)
    }
    return times
  }
})

interface Hold {
  readonly durationMs: number
  readonly firstSql: string
}

/** What the server says of transactions for which others waited. */
function holdsIn(log: string): Hold[] {
  return log.split('\n').flatMap((line) => {
    if (!line.includes('"long_transaction"')) return []
    const hold: Hold = JSON.parse(line)
    return hold
  })
}
