import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { startContentJobs } from '#content-jobs'
import { createLeases, createLookout } from '#jobs'
import { DomainError, type Log, random } from '#kernel'
import { eachDatabase, silentLog, until } from '#test-kit'
import { createDefinitions } from '../../src/content/types/definitions.ts'
import { createIndexed } from '../../src/content/types/ready.ts'
import { openContent, type TestContent, WRITER } from './support/content.ts'

const PLAINLY = { dryRun: false, force: false }
/** By then every request that knew a removed type has ended. */
const DROPPED_AFTER_MS = 180_000
const FORCED = { dryRun: false, force: true }

eachDatabase('upkeep of values tables', (kind) => {
  const opened = openContent(kind, {
    contentTypes: [
      {
        singularName: 'ship',
        pluralName: 'ships',
        draftAndPublish: true,
        attributes: {
          name: { type: 'string' },
          crew: { type: 'integer' },
          home: { type: 'relation', relation: 'manyToOne', target: 'port' },
          words: { type: 'tags' },
        },
      },
      { singularName: 'port', pluralName: 'ports', attributes: { name: { type: 'string' } } },
    ],
  })

  async function work(content: TestContent, log: Log = silentLog) {
    const { db, bus, clock, ids, revisions, telling } = content
    const leases = createLeases({ db, owner: 'test', random, log: silentLog })
    const lookout = createLookout({ db, clock, log: silentLog, random })
    after(lookout.stop)
    const jobs = await startContentJobs({
      ...{ db, bus, clock, ids, revisions, leases, lookout, log, random },
      ...telling,
      ...{ owner: 'test', uploads: { directory: '', cacheBytes: 0, formats: false, maxPixels: 0 } },
      publicReadDefault: () => true,
      keptRevisions: () => 10,
    })
    after(() => jobs.stop())
    return jobs
  }

  const states = async ({ reader }: TestContent, table: string) => {
    const rows = await reader
      .selectFrom('content_indexes')
      .select(['name', 'state'])
      .where('table_name', '=', table)
      .execute()
    return new Map(rows.map(({ name, state }) => [name, state]))
  }

  /** Dropping what does not exist fails. */
  const dropIndex = (db: Kysely<unknown>, name: string) =>
    sql`drop index ${sql.id(name)}`.execute(db)

  test('a type that could not be finished leaves nothing behind', async () => {
    const content = await opened
    const { reader } = content
    const left = async () => [
      await reader.selectFrom('content_indexes').select('name').orderBy('name').execute(),
      await reader.selectFrom('content_search_types').selectAll().orderBy('type_no').execute(),
    ]
    const before = await left()
    const attributes = { name: { type: 'string', unique: true } }
    const raft = { singularName: 'raft', pluralName: 'rafts', attributes }
    const failing = () => Promise.reject(new Error('no receipt'))
    const making = content.definitions.createBatch({ contentTypes: [raft] }, failing)
    await assert.rejects(making, /no receipt/)
    assert.deepEqual(await left(), before)
  })

  test('a new attribute gets its indexes from the worker, a new type has them at once', async () => {
    const content = await opened
    const { definitions, typeOf, entries, db } = content
    const { no, table } = typeOf('ship')
    assert.ok([...(await states(content, table)).values()].every((state) => state === 'ready'))
    await entries.create(WRITER, typeOf('ship'), { values: { name: 'Ada', crew: 3 } })
    const attributes = { length: { type: 'float' }, code: { type: 'string', unique: true } }
    await definitions.mergeType('ship', { attributes }, PLAINLY)
    const length = typeOf('ship').attribute.get('length')?.no
    const code = typeOf('ship').attribute.get('code')?.no
    const live = `content_v${no}_live_a${length}_id`
    assert.equal((await states(content, table)).get(live), 'wanted')
    assert.equal((await states(content, table)).get(`content_v${no}_a${code}_unique_live`), 'ready')
    await dropIndex(db.main.writer, `content_v${no}_a${code}_unique_live`)
    await assert.rejects(dropIndex(db.main.writer, live))

    const isIndexed = createIndexed({ db, model: content.model })
    const fields = [{ type: typeOf('ship'), attribute: 'length' }]
    assert.equal(await isIndexed(fields), false)

    const jobs = await work(content)
    await until(async () => (await states(content, table)).get(live) === 'ready')
    await until(() => isIndexed(fields))
    await definitions.mergeType('ship', { attributes: { length: null } }, PLAINLY)
    await until(async () => !(await states(content, table)).has(live))
    await assert.rejects(dropIndex(db.main.writer, live), 'it was dropped')
    await jobs.stop()
  })

  test('what a removed attribute held is erased, and documents take the new shape', async () => {
    const content = await opened
    const { definitions, typeOf, entries, db } = content
    const port = await entries.create(WRITER, typeOf('port'), { values: { name: 'Riga' } })
    const home = port.entry.documentId
    const values = { name: 'Eve', crew: 5, home, words: ['a', 'b'] }
    await entries.create(WRITER, typeOf('ship'), { values })
    const { table, attribute } = typeOf('ship')
    const numbers = ['crew', 'home', 'words'].map((name) => attribute.get(name)?.no ?? 0)
    const gone = { crew: null, home: null, words: null }
    await definitions.mergeType('ship', { attributes: gone }, FORCED)
    const jobs = await work(content)
    await until(async () => !(await states(content, table)).has(`${table}_tidy`))
    const reader: Kysely<Record<string, Record<string, unknown>>> = db.main.reader
    const rows = await reader.selectFrom(table).selectAll().execute()
    for (const row of rows) {
      assert.equal(row[`a${numbers[0]}`], null)
      assert.equal(row['shape'], typeOf('ship').shape)
      assert.doesNotMatch(String(row['doc']), /crew|words/)
    }
    for (const rest of ['content_links', 'content_tags']) {
      const left = await reader
        .selectFrom(rest)
        .select('attribute_no')
        .where('attribute_no', 'in', numbers)
        .execute()
      assert.deepEqual(left, [])
    }
    await jobs.stop()
  })

  test('what is saved while values are converted is converted too', async () => {
    const content = await opened
    const { definitions, entries, typeOf, reader } = content
    const attributes = { figure: { type: 'integer' } }
    await definitions.createType({ singularName: 'box', pluralName: 'boxes', attributes })
    const ids: number[] = []
    for (let figure = 0; figure < 260; figure++) {
      const { entry } = await entries.create(WRITER, typeOf('box'), { values: { figure } })
      ids.push(entry.id)
    }
    const former = typeOf('box')
    const changing = definitions.mergeType(
      'box',
      { attributes: { figure: { type: 'string' } } },
      PLAINLY,
    )
    let saved = 0
    for (let isOutdated = false; !isOutdated; ) {
      const id = ids[(saved * 7) % ids.length] ?? 1
      const values = { figure: 1_000 + saved }
      try {
        await entries.update(WRITER, former, { id }, { values })
        saved++
      } catch (error) {
        assert.ok(error instanceof DomainError && error.code === 'type_changed')
        isOutdated = true
      }
    }
    await changing
    assert.ok(saved > 0)
    const type = typeOf('box')
    const [before, now] = [former, type].map((each) => `a${each.attribute.get('figure')?.no}`)
    const wrong = await sql<{ id: number }>`
      select id from ${sql.table(type.table)} where cast(${sql.ref(before ?? '')} as text) <> ${sql.ref(now ?? '')}`.execute(
      reader,
    )
    assert.deepEqual(wrong.rows, [])
  })

  test('a deletion that was interrupted is finished by the worker', async () => {
    const content = await opened
    const { db, ids, changes, model, entries, typeOf, reader } = content
    const interrupted = createDefinitions({
      ...{ db, clock: content.clock, ids, changes, model, log: silentLog },
      ...content.telling,
      cleanup: { run: async () => {} },
      touch: () => {},
      ...{ owner: 'test', uploads: { directory: '', cacheBytes: 0, formats: false, maxPixels: 0 } },
      publicReadDefault: () => true,
    })
    await interrupted.createType({
      singularName: 'wreck',
      pluralName: 'wrecks',
      attributes: { name: { type: 'string' } },
    })
    const { no, table } = typeOf('wreck')
    for (const name of ['a', 'b'])
      await entries.create(WRITER, typeOf('wreck'), { values: { name } })
    await interrupted.removeType('wreck', FORCED)
    assert.equal(model().findType('wreck'), undefined)
    const jobs = await work(content)
    const emptied = async () =>
      (await reader.selectFrom('content_entries').select('id').where('type_no', '=', no).execute())
        .length === 0
    await until(emptied)
    // Requests that began before find it, and nothing in it.
    assert.deepEqual(await reader.selectFrom(table).select('id').execute(), [])
    await jobs.stop()
    content.clock.setOffset(DROPPED_AFTER_MS)
    const later = await work(content)
    await until(async () => (await states(content, table)).size === 0)
    content.clock.setOffset(0)
    const left = await reader
      .selectFrom('content_entries')
      .select('id')
      .where('type_no', '=', no)
      .execute()
    assert.deepEqual(left, [])
    await assert.rejects(reader.selectFrom(table).select('id').execute())
    const told = (await content.events()).filter(({ type }) => type === 'wreck.deleted')
    assert.deepEqual(
      told.map(({ payload, live }) => [payload.id, payload.url, live]),
      [1, 2].map((id) => [id, `https://api.example/api/v1/wrecks/${id}`, true]),
    )
    await later.stop()
  })

  test('every entry of a removed type is told as deleted, each with its variant, in short steps', async () => {
    const content = await opened
    const { definitions, entries, typeOf, events } = content
    await content.addLocale('fr')
    await definitions.createType({
      ...{ singularName: 'buoy', pluralName: 'buoys', draftAndPublish: true, localized: true },
      attributes: { name: { type: 'string' } },
    })
    const type = typeOf('buoy')
    for (let n = 0; n < 120; n++) {
      const status = n % 2 === 0 ? 'published' : 'draft'
      await entries.create(WRITER, type, { values: { name: `b${n}` } }, { status })
    }
    const before = (await events()).at(-1)?.ord ?? 0
    await definitions.removeType('buoy', FORCED)
    const told = await events(before)
    assert.deepEqual(
      told.map(({ type: name, live, payload }) => [
        name,
        payload.id,
        payload.locale,
        live,
        payload.live,
      ]),
      Array.from({ length: 120 }, (_, n) => {
        const live = n % 2 === 0
        return ['buoy.deleted', n + 1, 'en', live, live]
      }),
    )
    const { formerTypes } = content.model()
    assert.equal(formerTypes.find(({ singularName }) => singularName === 'buoy')?.readLevel, 'none')
  })

  test('a type that loses languages and drafts tells which entries went and which lost newer values', async () => {
    const content = await opened
    const { definitions, entries, typeOf, events } = content
    await definitions.createType({
      ...{ singularName: 'tide', pluralName: 'tides', draftAndPublish: true, localized: true },
      attributes: { name: { type: 'string' } },
    })
    const create = (name: string, status: 'published' | 'draft') =>
      entries.create(WRITER, typeOf('tide'), { values: { name } }, { status })
    const live = await create('live', 'published')
    await create('draft', 'draft')
    const { entry: changed } = await create('changed', 'published')
    const newer = { values: { name: 'newer' } }
    await entries.update(WRITER, typeOf('tide'), { id: changed.id }, newer, { status: 'draft' })
    const { documentId } = live.entry
    const french = { values: { name: 'vif' }, documentId, locale: 'fr' }
    await entries.create(WRITER, typeOf('tide'), french, { status: 'published' })
    const told = async (after: number) =>
      (await events(after)).map(({ type, payload, live: isLive }) => [
        ...[type, payload.id, payload.locale, payload.status, isLive],
      ])
    const last = async () => (await events()).at(-1)?.ord ?? 0
    let before = await last()
    await definitions.mergeType('tide', { localized: false }, FORCED)
    assert.deepEqual(await told(before), [['tide.deleted', 4, 'fr', 'published', true]])
    before = await last()
    await definitions.mergeType('tide', { draftAndPublish: false }, FORCED)
    assert.deepEqual(await told(before), [
      ['tide.deleted', 2, null, 'draft', false],
      ['tide.updated', 3, null, 'published', false],
    ])
    before = await last()
    await definitions.mergeType('tide', { draftAndPublish: true, localized: true }, FORCED)
    assert.deepEqual(await told(before), [])
  })

  test('content-model 11: a table that went before its index was built keeps no other waiting', async () => {
    const content = await opened
    const { definitions, typeOf, db } = content
    for (const [one, many] of [
      ['brig', 'brigs'],
      ['yawl', 'yawls'],
    ] as const) {
      const name = { name: { type: 'string' } }
      await definitions.createType({ singularName: one, pluralName: many, attributes: name })
    }
    const length = { attributes: { length: { type: 'float' } } }
    for (const name of ['brig', 'yawl']) await definitions.mergeType(name, length, PLAINLY)
    const [gone, kept] = [typeOf('brig').table, typeOf('yawl').table]
    const isOpen = async (table: string) =>
      [...(await states(content, table)).values()].some((state) => state !== 'ready')
    assert.deepEqual([await isOpen(gone), await isOpen(kept)], [true, true])
    const warned: object[] = []
    const log = { ...silentLog, warn: (about: object) => void warned.push(about) }
    await sql`drop table ${sql.table(gone)}`.execute(db.main.writer)
    const jobs = await work(content, log)
    await until(async () => !(await isOpen(kept)))
    assert.equal(await isOpen(gone), true)
    const tables = warned.map((about) => Object(about).table)
    assert.ok(tables.length > 0 && tables.every((table) => table === gone), JSON.stringify(warned))
    await jobs.stop()
  })
})
