import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import {
  ADMIN_KEY,
  createCalls,
  eachDatabase,
  installation,
  openTestDatabase,
  startServer,
  type TestServer,
} from '#test-kit'
import { attachContent } from '../conformance/support/content.ts'
import { seedEntries } from '../conformance/support/seed-entries.ts'

const ENTRIES = Number(process.env['TEST_ENTRIES'] ?? 250_000)
const DRAFTED = 10_000
const LONGEST_WAIT_MS = 250
const TYPE = '/api/v1/content-types/page'

eachDatabase('a change of a type with 250,000 entries', (kind) => {
  test('scale 16: no other writer waits long for it', async (t) => {
    const env = await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY })
    await seed(env)
    const server = await startServer(env)
    const { ok, data } = createCalls(() => server.url)
    const total = async () => (await ok('GET', '/api/v1/pages?per_page=1')).meta.total
    // What is loaded and compiled with the first writes is none of a change.
    const warming = startWriting(server)
    await data('PATCH', TYPE, { body: { description: 'Pages' } })
    await delay(2_000)
    await warming.stop()
    const waits: [string, number][] = []
    for (const [what, body] of [
      ['localised', { localized: true }],
      ['not localised', { localized: false }],
      ['with drafts', { draftAndPublish: true }],
      ['without drafts', { draftAndPublish: false }],
      ['an attribute less', { attributes: { rank: null } }],
    ] as const) {
      const writing = startWriting(server)
      const startedMs = performance.now()
      await ok('PATCH', `${TYPE}?force=true`, { body })
      while ('changing' in (await data('GET', TYPE))) await delay(100)
      const tookMs = Math.round(performance.now() - startedMs)
      const longestMs = Math.round(await writing.stop())
      waits.push([what, longestMs])
      t.diagnostic(`${what}: done after ${tookMs} ms, longest wait ${longestMs} ms`)
      assert.equal(await total(), ENTRIES, what)
      await settled(server)
    }
    for (const line of longTransactions(server)) t.diagnostic(line)
    assert.deepEqual(
      waits.filter(([, longestMs]) => longestMs >= LONGEST_WAIT_MS),
      [],
    )
  })

  test('content-model 8: 10,000 entries lose their drafts in steps, and no writer waits long', async (t) => {
    const server = await startServer(await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY }))
    const { ok, data } = createCalls(() => server.url)
    const attributes = { title: { type: 'string' } }
    for (const name of ['page', 'note']) {
      const names = { singularName: name, pluralName: `${name}s`, draftAndPublish: name === 'page' }
      await data('POST', '/api/v1/content-types', { body: { ...names, attributes } })
    }
    for (let from = 0; from < DRAFTED; from += 500) {
      const operations = Array.from({ length: 500 }, (_, n) => ({
        ...{ op: 'create', data: { title: `p${from + n}`, status: n % 2 ? 'draft' : 'published' } },
      }))
      await ok('POST', '/api/v1/pages/bulk', { body: { operations } })
    }
    await data('PATCH', '/api/v1/pages/1?status=draft', { body: { title: 'newer' } })
    const dry = await data('PATCH', `${TYPE}?dry_run=true`, { body: { draftAndPublish: false } })
    const lost = { draft: DRAFTED / 2, changed: 1 }
    assert.deepEqual(dry.changes[0].entriesByStatus, lost)
    const writing = startWriting(server)
    const startedMs = performance.now()
    await ok('PATCH', `${TYPE}?force=true`, { body: { draftAndPublish: false } })
    while ('changing' in (await data('GET', TYPE))) await delay(100)
    const tookMs = Math.round(performance.now() - startedMs)
    const longestMs = Math.round(await writing.stop())
    t.diagnostic(`done after ${tookMs} ms, longest wait ${longestMs} ms`)
    assert.equal((await ok('GET', '/api/v1/pages?per_page=1')).meta.total, DRAFTED / 2)
    assert.equal((await data('GET', '/api/v1/pages/1')).title, 'p0')
    assert.ok(longestMs < LONGEST_WAIT_MS, `${longestMs} ms`)
  })

  async function seed(env: Readonly<Record<string, string>>) {
    const settings = {
      ...{ url: env['ENTREPOT_DATABASE_URL'], dataDir: env['ENTREPOT_DATA_DIR'] ?? '' },
      ...{ readers: 2, readTimeoutMs: 60_000, scanTimeoutMs: 60_000 },
    }
    const opened = await openTestDatabase(kind, settings)
    const attributes = { title: { type: 'string' }, rank: { type: 'integer' } }
    const content = await attachContent(opened, {
      contentTypes: [
        { singularName: 'page', pluralName: 'pages', attributes },
        { singularName: 'note', pluralName: 'notes', attributes },
      ],
    })
    await seedEntries(content, 'page', ENTRIES)
    await opened.stop()
  }
})

/** Creates entries of another type all the time. */
function startWriting(server: TestServer) {
  const { data } = createCalls(() => server.url)
  let stopped = false
  let longestMs = 0
  const running = (async () => {
    while (!stopped) {
      const startedMs = performance.now()
      await data('POST', '/api/v1/notes', { body: { title: 'beside' } })
      longestMs = Math.max(longestMs, performance.now() - startedMs)
    }
  })()
  return {
    async stop() {
      stopped = true
      await running
      return longestMs
    },
  }
}

/** The indexes that follow a change are built one by one, and each is told of. */
async function settled(server: TestServer) {
  const built = () => server.log().split('an index was built').length
  for (let seen = -1; seen !== built(); ) {
    seen = built()
    await delay(3_000)
  }
}

/** What held SQLite's writer for more than 100 ms. */
function longTransactions(server: TestServer): string[] {
  return server
    .log()
    .split('\n')
    .filter((line) => line.includes('transaction') && line.includes('durationMs'))
    .map((line) => line.slice(0, 300))
}
