import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import type { Kysely } from 'kysely'
import { createLocalBus } from '#bus'
import { createAddressRule } from '#http'
import { random, unavailable } from '#kernel'
import { openTestDatabase, silentLog, until } from '#test-kit'
import { createCodec } from '../codec.ts'
import { readDefinition } from '../definition/definition.ts'
import { createLifecycle } from '../lifecycle.ts'
import { createPoolStore } from '../store/pools.ts'
import { createRunStore } from '../store/runs.ts'
import { createScraperStore } from '../store/scrapers.ts'
import type { ScrapersTables } from '../tables.ts'
import type { PublishingRun } from './commit.ts'
import { type CrawlerDeps, startCrawler } from './crawler.ts'

const { database: db, clock } = await openTestDatabase('sqlite')
const bus = createLocalBus({ log: silentLog })
after(bus.close)
const box = { seal: (text: string) => text, open: (text: string) => text }
const codec = createCodec(box)
const [scrapers, runs] = [createScraperStore(codec), createRunStore(codec)]
const lifecycle = createLifecycle({
  ...{ db, clock, bus, scrapers, runs, publicUrl: '', toEventSteps: () => [] },
})
const reader: Kysely<ScrapersTables> = db.main.reader
const site = await startSite()

test('scrapers 9: a run that was claimed and not begun is given back when the server stops', async () => {
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<boolean>()
  const id = await startRun()
  const crawler = start({
    mayWrite() {
      asked.resolve()
      return gate.promise
    },
  })
  await asked.promise
  const stopped = crawler.stop()
  gate.resolve(true)
  await stopped
  assert.deepEqual(await stateOf(id), { status: 'pending', lease_owner: null, recoveries: 0 })
  assert.equal(site.hits(), 0)
})

test('scrapers 9: a run that was begun and asks for nothing yet is given back when the server stops', async () => {
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const id = await startRun({ output: { collection: 'notes' } })
  const crawler = start({
    async openPublisher() {
      asked.resolve()
      await gate.promise
      return PUBLISHER
    },
  })
  await asked.promise
  const stopped = crawler.stop()
  gate.resolve()
  await stopped
  assert.deepEqual(await stateOf(id), { status: 'running', lease_owner: null, recoveries: 0 })
  assert.equal(site.hits(), 0)
})

test('scrapers 3: a run that cannot write just now is taken up again and fails of nothing', async () => {
  const id = await startRun({ output: { collection: 'notes' } })
  let opened = 0
  const crawler = start({
    async openPublisher() {
      if (++opened === 1) throw unavailable('type_changed', 'try again')
      return PUBLISHER
    },
  })
  await until(async () => (await stateOf(id)).status === 'completed')
  await crawler.stop()
  assert.deepEqual(await stateOf(id), { status: 'completed', lease_owner: null, recoveries: 1 })
})

test('scrapers 9: the log tells a run that was given back from one whose worker was lost', async () => {
  for (const [lease_owner, taken] of [
    [null, 'info Taken up again; its worker gave it back, as it does when its server stops'],
    ['another thread', 'warn Taken up again after its worker was lost'],
  ] as const) {
    const id = await startRun({ crawl: { max_retries: 0 } })
    const left = { status: 'running', lease_owner, lease_until: lease_owner && 0 }
    await db.main.writer.updateTable('scrapers_runs').set(left).where('id', '=', id).execute()
    const crawler = start({})
    await until(async () => !['pending', 'running'].includes((await stateOf(id)).status))
    await crawler.stop()
    const lines = reader.selectFrom('scrapers_log').selectAll().where('run_id', '=', id)
    const told = (await lines.execute()).map(({ level, message }) => `${level} ${message}`)
    assert.ok(told.includes(taken), told.join('; '))
  }
})

test('scrapers 3: to wait for a type or the database is no recovery in vain', async () => {
  const id = await startRun({ output: { collection: 'notes' } })
  const lostTwice = { status: 'running', recoveries: 2, idle_recoveries: 2 }
  await db.main.writer.updateTable('scrapers_runs').set(lostTwice).where('id', '=', id).execute()
  let opened = 0
  const crawler = start({
    async openPublisher() {
      if (++opened === 1) throw unavailable('type_changed', 'try again')
      return PUBLISHER
    },
  })
  await until(async () => !['pending', 'running'].includes((await stateOf(id)).status))
  await crawler.stop()
  assert.deepEqual(await stateOf(id), { status: 'completed', lease_owner: null, recoveries: 4 })
})

test('scrapers 3: a run whose proxies cannot be read just now is given back', async () => {
  const pools = createPoolStore(box)
  await db.main.transaction(undefined, async (tx) => {
    const pool = {
      name: 'eu',
      strategy: 'round_robin',
      proxies: [site.url],
      createdAtMs: 0,
    } as const
    await pools.insert(tx.as<ScrapersTables>(), pool)
  })
  const id = await startRun({ proxy_pool: 'eu' })
  const failed = Promise.withResolvers<void>()
  let asked = 0
  const crawler = start({
    pools: {
      ...pools,
      async find(...given) {
        if (++asked === 1) return pools.find(...given)
        failed.resolve()
        throw unavailable('storage_unavailable', 'try again')
      },
    },
  })
  await failed.promise
  await crawler.stop()
  const { status, lease_owner } = await stateOf(id)
  assert.deepEqual({ status, lease_owner }, { status: 'running', lease_owner: null })
})

test('scrapers 4: a run that is stopped while entries are taken away is stopped', async () => {
  const { id, asked } = await startSettling()
  await asked
  await db.main.writer
    .updateTable('scrapers_runs')
    .set({ stop_requested: 1 })
    .where('id', '=', id)
    .execute()
  await until(async () => (await stateOf(id)).status === 'stopped')
})

test('scrapers 9: a run that is taking entries away is given back when the server stops', async () => {
  const { id, crawler, asked } = await startSettling()
  await asked
  await crawler.stop()
  assert.deepEqual(await stateOf(id), { status: 'running', lease_owner: null, recoveries: 0 })
})

/** A run whose entries are more than it takes away before it is left. */
async function startSettling() {
  const id = await startRun({ output: { collection: 'notes', on_missing: 'delete' } })
  const asked = Promise.withResolvers<void>()
  const crawler = start({
    openPublisher: async () => ({
      ...PUBLISHER,
      async settleMissing(signal) {
        asked.resolve()
        await once(signal, 'abort')
        signal.throwIfAborted()
      },
    }),
  })
  return { id, crawler, asked: asked.promise }
}

/** Publishes nothing. */
const PUBLISHER = {
  prepare: async () => ({
    publish: async ({ stepsWith }: PublishingRun) =>
      void (await db.main.carryOut(stepsWith({ entries: [], lines: [] }))),
    discard: async () => {},
  }),
  settleMissing: async () => {},
}

function start(deps: Partial<CrawlerDeps>) {
  const crawler = startCrawler({
    ...{ db, clock, random, bus, log: silentLog, owner: 'this thread', scrapers, runs, lifecycle },
    ...{ pools: createPoolStore(box), userAgent: 'test' },
    settings: () => ({ maxConcurrentRuns: 1 }),
    rule: () => createAddressRule({ allowLoopback: true, allowNets: [] }),
    renderer: { findProblem: () => null, forRun: neverAsked, stop: async () => {} },
    mayWrite: async () => true,
    openPublisher: neverAsked,
    ...deps,
  })
  after(crawler.stop)
  return crawler
}

/** Runs of earlier tests are over for the crawlers of later ones. */
async function startRun(body: object = {}): Promise<number> {
  await db.main.writer.updateTable('scrapers_runs').set({ status: 'stopped' }).execute()
  const { definition } = readDefinition({ name: 'Test', url: site.url, ...body })
  return db.main.transaction(undefined, async (tx) => {
    const scraper = await scrapers.insert(tx.as<ScrapersTables>(), {
      ...{ userId: 1, consumerId: 'a', definition, nextRunAtMs: null, createdAtMs: 0 },
    })
    return (await lifecycle.start(scraper, 'manual', { tx })).id
  })
}

function stateOf(id: number) {
  const columns = ['status', 'lease_owner', 'recoveries'] as const
  const run = reader.selectFrom('scrapers_runs').select(columns).where('id', '=', id)
  return run.executeTakeFirstOrThrow()
}

function neverAsked(): never {
  throw new Error('nobody asks for this')
}

async function startSite() {
  let count = 0
  const server = createServer((_, response) => {
    count++
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Page</title>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}/`, hits: () => count }
}
