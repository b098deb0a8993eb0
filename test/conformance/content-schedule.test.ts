import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { eachDatabase, silentLog } from '#test-kit'
import { createPruning } from '../../src/content/revisions/prune.ts'
import { findDue, isAnyDue } from '../../src/content/schedule/due.ts'
import { createScheduleRun } from '../../src/content/schedule/run.ts'
import { openContent, type TestContent, WRITER } from './support/content.ts'

const NEVER = new AbortController().signal
/** Longer than it takes to write what is due then. */
const SOON_MS = 60_000

eachDatabase('times and revisions of entries', (kind) => {
  const opened = openContent(kind, {
    contentTypes: [
      {
        singularName: 'story',
        pluralName: 'stories',
        draftAndPublish: true,
        attributes: { title: { type: 'string', required: true }, text: { type: 'text' } },
      },
    ],
  })

  const node = ({ db, bus, clock, ids, model, telling }: TestContent) =>
    createScheduleRun({ ...{ db, bus, clock, ids, model, log: silentLog }, ...telling })

  test('console 4: of two nodes that see the same entries due, each entry is published by one', async () => {
    const content = await opened
    const { entries, typeOf, db, clock, events, reader } = content
    const type = typeOf('story')
    for (let n = 0; n < 20; n++) {
      const values = n % 4 === 0 ? { text: 'no title' } : { title: `Story ${n}` }
      const input = { values, publishAtMs: clock.now() + SOON_MS }
      await entries.create(WRITER, type, input, { status: 'draft' })
    }
    assert.deepEqual(await findDue(db, clock.now()), [])
    const last = (await events()).at(-1)?.ord ?? 0
    clock.setOffset(SOON_MS)
    const due = await findDue(db, clock.now())
    assert.equal(due.length, 20)
    const nodes = [node(content), node(content)]
    await Promise.all(nodes.map((each) => each.run(due, NEVER)))
    for (const each of nodes) each.close()
    const told = await events(last)
    const count = (name: string) => told.filter((each) => each.type === name).length
    assert.deepEqual(
      [count('story.published'), count('content.schedule_failed'), count('story.updated')],
      [15, 5, 5],
    )
    assert.deepEqual(await findDue(db, clock.now()), [])
    const rows = await reader
      .selectFrom('content_entries')
      .select(['has_live', 'version'])
      .execute()
    assert.equal(rows.filter((row) => row.has_live === 1).length, 15)
    assert.ok(rows.every((row) => row.version === 2))
  })

  test('console 4: whether an entry is due is asked of an index, also of a table nobody has counted', async () => {
    const { reader, entries, typeOf } = await opened
    await entries.create(WRITER, typeOf('story'), { values: { title: 'Never due' } })
    const question = sql`select ${isAnyDue(reader)(sql<number>`${1}`)} as answer`
    const explain = kind === 'sqlite' ? sql`explain query plan` : sql`explain`
    const { rows } = await sql`${explain} ${question}`.execute(reader)
    const plan = JSON.stringify(rows)
    assert.match(plan, /content_entries_publish_at.*content_entries_unpublish_at/s)
  })

  test('content-model 2: what a scraper wrote is not kept, what it overwrites is', async () => {
    const { entries, typeOf, reader } = await opened
    const type = typeOf('story')
    const source = { scraper_id: 1, run_id: 1, url: 'http://a', fetched_at: 'now' }
    const scrape = (title: string) =>
      entries.upsert(WRITER, type, 'externalId', {
        ...{ values: { title }, externalId: 'scraped', source },
      })
    const { entry } = await scrape('one')
    await scrape('two')
    await scrape('three')
    await entries.update(WRITER, type, { id: entry.id }, { values: { title: 'by hand' } })
    await scrape('four')
    const { no } = await reader
      .selectFrom('content_entries')
      .select('no')
      .where('id', '=', entry.id)
      .executeTakeFirstOrThrow()
    const kept = await reader
      .selectFrom('content_revisions')
      .select('body')
      .where('entry_no', '=', no)
      .execute()
    assert.equal(kept.length, 1)
    assert.match(kept[0]?.body ?? '', /by hand/)
  })

  test('console 4: the worker removes what is too old, and goes with its entry', async () => {
    const { entries, typeOf, reader, db } = await opened
    const type = typeOf('story')
    const { entry } = await entries.create(WRITER, type, { values: { title: 'v0' } })
    for (let n = 1; n < 9; n++) {
      await entries.update(WRITER, type, { id: entry.id }, { values: { title: `v${n}` } })
    }
    const count = async () =>
      (await reader.selectFrom('content_revisions').select('fresh').execute()).length
    const before = await count()
    let most = 10
    const pruning = createPruning({ db, keptRevisions: () => most })
    await pruning.prune(NEVER)
    assert.equal(await count(), before)
    const fresh = await reader
      .selectFrom('content_revisions')
      .select('fresh')
      .where('fresh', '=', 1)
      .execute()
    assert.equal(fresh.length, 0)
    most = 2
    await pruning.prune(NEVER)
    assert.equal(await count(), before - 6)
    await entries.remove(WRITER, type, { id: entry.id })
    assert.equal(await count(), before - 8)
  })
})
