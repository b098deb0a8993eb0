import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kysely } from 'kysely'
import { openTestDatabase, silentLog } from '#test-kit'
import { createCodec } from './codec.ts'
import { readDefinition } from './definition/definition.ts'
import { createHousekeeping } from './housekeeping.ts'
import { createRunStore } from './store/runs.ts'
import { createScraperStore } from './store/scrapers.ts'
import type { ScrapersTables } from './tables.ts'

test('scrapers 4: what a live run is compared with is removed after it', async () => {
  const { database: db, clock } = await openTestDatabase('sqlite')
  const box = {
    ...{ keyId: 'a', seal: (text: string) => text, open: (text: string) => text },
    ...{ needsReseal: () => false, derive: () => Buffer.alloc(32) },
  }
  const [scrapers, runs] = [createScraperStore(createCodec(box)), createRunStore(createCodec(box))]
  const { definition } = readDefinition({ name: 'Test', url: 'http://site.test/' })
  const { turn } = createHousekeeping({ db, clock, log: silentLog, box, hasPreviousKey: false })
  const { signal } = new AbortController()
  const stopped = { status: 'stopped', reason: 'stopped', error: null, atMs: 0 } as const
  const { first, live } = await db.main.transaction(undefined, async (tx) => {
    const trx = tx.as<ScrapersTables>()
    const scraper = await scrapers.insert(trx, {
      ...{ userId: 1, consumerId: 'a', definition, nextRunAtMs: null, createdAtMs: 0 },
    })
    const start = { scraperId: scraper.id, trigger: 'manual', definition, startedAtMs: 0 } as const
    const first = await runs.insert(trx, { ...start, previousId: null })
    await runs.finish(trx, first.id, { ...stopped, status: 'completed', reason: 'exhausted' })
    await runs.remove(trx, first.id, 0)
    return { first, live: await runs.insert(trx, { ...start, previousId: first.id }) }
  })
  const reader: Kysely<ScrapersTables> = db.main.reader
  const stored = async () => {
    const rows = await reader.selectFrom('scrapers_runs').select('id').orderBy('id').execute()
    return rows.map(({ id }) => id)
  }

  await turn(signal)
  assert.deepEqual(await stored(), [first.id, live.id])
  await db.main.transaction(undefined, (tx) =>
    runs.finish(tx.as<ScrapersTables>(), live.id, stopped),
  )
  await turn(signal)
  assert.deepEqual(await stored(), [live.id])
})
