import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startContentJobs } from '#content-jobs'
import { createLeases, createLookout } from '#jobs'
import { DomainError, random } from '#kernel'
import { eachDatabase, openTestDatabase, silentLog, until } from '#test-kit'
import { createFind } from '../../src/content/query/find.ts'
import type { BatchBody, ContentTypeChangeBody } from '../../src/content/types/schemas.ts'
import { readModel } from '../../src/content/types/store.ts'
import { startChild } from './children/run.ts'
import { attachContent, type TestContent, WRITER } from './support/content.ts'

const CHANGE = new URL('./children/change-type.ts', import.meta.url)
const FORCED = { dryRun: false, force: true }
/** More than are changed in one transaction. */
const MANY = 230

const BATCH: BatchBody = {
  contentTypes: [
    {
      ...{ singularName: 'page', pluralName: 'pages' },
      attributes: {
        title: { type: 'string' },
        code: { type: 'string', unique: true },
        words: { type: 'tags' },
      },
    },
  ],
}

const ARTICLES = {
  ...{ type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'topics' },
} as const
const TOPICS = {
  ...{ type: 'relation', relation: 'manyToMany', target: 'topic', inversedBy: 'articles' },
} as const
const RELATED: BatchBody = {
  contentTypes: [
    {
      ...{ singularName: 'article', pluralName: 'articles', draftAndPublish: true },
      attributes: { title: { type: 'string' }, topics: TOPICS },
    },
    {
      ...{ singularName: 'topic', pluralName: 'topics', draftAndPublish: true },
      attributes: { name: { type: 'string' }, articles: ARTICLES },
    },
  ],
}

eachDatabase('a change of a type with many entries', (kind) => {
  const open = async (more: ContentTypeChangeBody = {}, count = MANY) => {
    const content = await attachContent(await openTestDatabase(kind), BATCH)
    await content.addLocale('de')
    await content.definitions.mergeType('page', more, FORCED)
    for (let n = 0; n < count; n++) await save(content, n)
    return content
  }

  test('scale 16: languages come and go entry by entry, and every read is whole', async () => {
    const content = await open()
    const { definitions, typeOf } = content
    const beside = writeBeside(content)
    const read = readBeside(content)
    await definitions.mergeType('page', { localized: true }, FORCED)
    const written = await beside.stop()
    await read.stop()
    assert.ok(written > 0)
    const stored = await content.rows('page')
    assert.equal(stored.length, MANY + written)
    assert.deepEqual(new Set(stored.map(({ locale }) => locale)), new Set(['en']))
    assert.deepEqual(await locales(content), ['en'])
    assert.equal(typeOf('page').changing, null)

    const [first] = (await list(content)).entries
    const documentId = first?.documentId ?? ''
    const german = { documentId, locale: 'de', values: { title: 'deutsch', code: 'x' } }
    await content.entries.create(WRITER, typeOf('page'), german)
    await content.entries.create(WRITER, typeOf('page'), {
      ...{ locale: 'de', values: { title: 'nur deutsch', code: 'y' } },
    })
    await definitions.mergeType('page', { localized: false }, FORCED)
    const left = await list(content)
    assert.equal(left.total, MANY + written + 1, 'of each document one variant')
    assert.deepEqual(new Set(left.entries.map(({ locale }) => locale)), new Set([null]))
    const told = (await content.events()).filter(({ type }) => type === 'page.deleted')
    assert.deepEqual(
      told.map(({ payload }) => payload.locale),
      ['de'],
    )
    await refusedTwice(content, 'y', 'while some are stored with a locale')
    const jobs = await work(content)
    await until(async () => (await locales(content)).join() === '')
    assert.equal((await list(content)).total, MANY + written + 1)
    await jobs.stop()
  })

  test('scale 16: a unique value and an external id stay unique while languages come', async () => {
    const content = await open()
    const clashes: string[] = []
    const changing = content.definitions.mergeType('page', { localized: true }, FORCED)
    for (let n = 0; content.typeOf('page').changing || n < 5; n++) {
      for (const input of [
        { values: { code: `c${MANY - 1}` } },
        { externalId: 'e0', values: {} },
      ]) {
        const made = content.entries.create(WRITER, content.typeOf('page'), input)
        clashes.push(await made.then(() => 'made', codeOf))
      }
    }
    await changing
    assert.ok(clashes.length > 0)
    assert.deepEqual(
      clashes.filter((code) => code !== 'conflict' && code !== 'type_changed'),
      [],
    )
  })

  test('scale 16: entries that were not published go with the drafts, and come back published', async () => {
    const content = await open({ draftAndPublish: true })
    const { entries, typeOf, definitions, reader } = content
    await entries.unpublish(WRITER, typeOf('page'), { id: 1 })
    const newer = { values: { title: 'newer' } }
    await entries.update(WRITER, typeOf('page'), { id: 2 }, newer, { status: 'draft' })
    for (let n = 0; n < 20; n++) await save(content, MANY + n, 'draft')
    await definitions.mergeType('page', { draftAndPublish: false }, FORCED)
    const left = await list(content)
    assert.equal(left.total, MANY - 1)
    assert.equal(left.entries[0]?.id, 2)
    assert.equal(left.entries[0]?.values()['title'], 'title 1')
    assert.deepEqual(
      (await content.rows('page')).filter(({ live, work: own }) => live + own < 2),
      [],
    )
    assert.equal(await countPublished(content), 0, 'a type without drafts has no such time')

    content.clock.setOffset(60_000)
    await entries.update(WRITER, typeOf('page'), { id: 3 }, { values: { title: 'later' } })
    await definitions.mergeType('page', { draftAndPublish: true }, FORCED)
    const wrong = await reader
      .selectFrom('content_entries')
      .select('id')
      .where((entry) =>
        entry.or([
          entry('published_at', 'is', null),
          entry('published_at', '<>', entry.ref('updated_at')),
        ]),
      )
      .execute()
    assert.deepEqual(wrong, [])
    assert.equal(await countPublished(content), MANY - 1)
  })

  test('content-model 11: without force nothing is lost that is saved while a type is changed', async () => {
    const content = await open({ draftAndPublish: true }, MANY * 2)
    const { entries, typeOf, definitions } = content
    const plainly = { dryRun: false, force: false }
    const body = { draftAndPublish: false, localized: true }
    let isDone = false
    const changing = definitions
      .mergeType('page', body, plainly)
      .finally(() => {
        isDone = true
      })
      .then(() => 'done', codeOf)
    while (typeOf('page').changing === null && !isDone) await setImmediate()
    const newer = { values: { title: 'newer' } }
    const saving = () =>
      entries.update(WRITER, typeOf('page'), { id: 2 }, newer, { status: 'draft' })
    await until(() =>
      saving().then(
        () => true,
        (error) => codeOf(error) !== 'type_changed',
      ),
    )
    assert.equal(await changing, 'would_lose_data')
    const { draftAndPublish, localized, changing: underWay } = typeOf('page')
    assert.deepEqual([draftAndPublish, localized, underWay], [true, false, null])
    const copies = (await content.rows('page')).filter(({ id }) => id === 2)
    assert.deepEqual(
      copies.map(({ doc }) => JSON.parse(String(doc)).title),
      ['title 1', 'newer'],
    )
  })

  test('scale 16: a relation that is narrowed keeps one link, also of those written from its other end', async () => {
    // Where no write came in between, the change was over too soon: one of more entries takes longer.
    for (let count = MANY; (await narrowed(count)) === 0; count *= 2);
  })

  /** How many links were written while the relation was narrowed. */
  async function narrowed(count: number): Promise<number> {
    const content = await attachContent(await openTestDatabase(kind), RELATED)
    const { entries, typeOf, definitions } = content
    for (const name of ['a', 'b']) {
      await entries.create(WRITER, typeOf('topic'), { values: { name } })
    }
    const article = { input: { values: { topics: [1] } }, options: {} }
    await entries.createAll(WRITER, typeOf('article'), Array(count).fill(article))
    let isDone = false
    const articles = { ...ARTICLES, relation: 'oneToMany' }
    const changing = definitions
      .mergeType('topic', { attributes: { articles } }, FORCED)
      .finally(() => {
        isDone = true
      })
    let written = 0
    for (let id = 1; !isDone && id <= count; ) {
      const values = { articles: { connect: [id] } }
      const status = id % 2 === 0 ? ({ status: 'draft' } as const) : {}
      const writing = entries.update(WRITER, typeOf('topic'), { id: 2 }, { values }, status)
      if ((await writing.then(() => 'done', codeOf)) !== 'done') continue
      if (!isDone) written++
      id++
    }
    await changing
    const links = await content.reader.selectFrom('content_links').select('owner_copy').execute()
    assert.equal(new Set(links.map(({ owner_copy }) => owner_copy)).size, links.length)
    assert.ok(links.length >= count)
    return written
  }

  test('scale 16: a value that is shared over languages brings its tags along', async () => {
    const content = await open({ localized: true })
    const { entries, typeOf, definitions } = content
    const { entries: some } = await list(content)
    for (const { documentId, id } of some.slice(0, 3)) {
      const input = {
        documentId,
        locale: 'de',
        values: { title: 'd', code: `d${id}`, words: ['rot'] },
      }
      await entries.create(WRITER, typeOf('page'), input)
    }
    const words = { type: 'tags', localized: false }
    await definitions.mergeType('page', { attributes: { words } }, FORCED)
    const tagged = (word: string) =>
      list(content, {
        kind: 'compare',
        field: 'words',
        operator: 'contains',
        fold: false,
        values: [word],
      })
    assert.equal((await tagged('rot')).total, 0)
    assert.equal((await tagged('w0')).total, 2, 'of both languages')
    assert.equal((await tagged('even')).total, MANY / 2 + 2)
    const german = (await list(content)).entries.filter(({ locale }) => locale === 'de')
    assert.deepEqual(
      german.map((entry) => entry.values()['words']),
      [0, 1, 2].map((n) => wordsOf(n)),
    )
  })

  test('scale 16: while a type is being changed it says so and takes no other change', async () => {
    const content = await open()
    const { definitions, typeOf } = content
    const changing = definitions.mergeType('page', { localized: true }, FORCED)
    await until(() => typeOf('page').changing !== null)
    assert.deepEqual(typeOf('page').changing?.members, ['localized'])
    assert.equal(typeOf('page').localized, false)
    await assert.rejects(
      definitions.mergeType('page', { draftAndPublish: true }, FORCED),
      (error) => codeOf(error) === 'type_changing',
    )
    await definitions.createType({ singularName: 'other', pluralName: 'others', attributes: {} })
    await changing
    assert.deepEqual([typeOf('page').localized, typeOf('page').changing], [true, null])
  })

  test('scale 16: a change whose process is killed is finished by the worker of another', async () => {
    const first = await openTestDatabase(kind)
    const prepared = await attachContent(first, BATCH)
    for (let n = 0; n < MANY * 3; n++) await save(prepared, n)
    await first.stop()
    const asked = { settings: first.settings, name: 'page', body: { localized: true } }
    const child = startChild(CHANGE, asked)
    await until(() => child.lines.includes('begun'))
    await child.kill()
    assert.ok(!child.lines.includes('done'))
    const after = await attachContent(await openTestDatabase(kind, first.settings))
    assert.deepEqual((await stored(after))?.changing?.members, ['localized'])
    after.clock.setOffset(60_000)
    const jobs = await work(after)
    await until(async () => (await stored(after))?.definition.localized === true, {
      withinMs: 60_000,
    })
    assert.deepEqual(await locales(after), ['en'])
    assert.equal((await after.rows('page')).length, MANY * 3)
    await jobs.stop()
  })
})

async function stored({ reader }: TestContent) {
  return (await readModel(reader)).types.find(
    ({ definition }) => definition.singularName === 'page',
  )
}

async function work(content: TestContent) {
  const { db, bus, clock, ids, revisions, telling } = content
  const leases = createLeases({
    db,
    owner: `test ${random.bytes(4).toString('hex')}`,
    random,
    log: silentLog,
  })
  const lookout = createLookout({ db, clock, log: silentLog, random })
  after(lookout.stop)
  const jobs = await startContentJobs({
    ...{ db, bus, clock, ids, revisions, leases, lookout, log: silentLog, random },
    ...telling,
    ...{ owner: 'test', uploads: { directory: '', cacheBytes: 0, formats: false, maxPixels: 0 } },
    publicReadDefault: () => true,
    keptRevisions: () => 10,
  })
  after(() => jobs.stop())
  return jobs
}

function wordsOf(n: number): string[] {
  return [`w${n}`, n % 2 === 0 ? 'even' : 'odd']
}

function save({ entries, typeOf }: TestContent, n: number, status?: 'draft') {
  const values = { title: `title ${n}`, code: `c${n}`, words: wordsOf(n) }
  const input = { values, externalId: `e${n}` }
  return entries.create(WRITER, typeOf('page'), input, status ? { status } : {})
}

type Filter = Parameters<ReturnType<typeof createFind>['find']>[1]['filter']

function list({ db, model, typeOf }: TestContent, filter: Filter = null) {
  const { find } = createFind({ db, model, countPlan: () => {} })
  return find(
    { level: 'write' },
    {
      ...{ type: typeOf('page'), state: 'live', locale: { kind: 'all' }, filter, search: '' },
      ...{ sort: [], include: [], page: { kind: 'offset', start: 0, limit: 10_000, count: true } },
    },
  )
}

async function countPublished(content: TestContent): Promise<number | null> {
  const filter = { kind: 'not', of: { kind: 'missing', field: 'publishedAt' } } as const
  return (await list(content, filter)).total
}

async function locales({ reader, typeOf }: TestContent): Promise<string[]> {
  const rows = await reader.selectFrom(typeOf('page').table).select('locale').distinct().execute()
  const registered = await reader
    .selectFrom('content_entries')
    .select('locale')
    .distinct()
    .execute()
  return [...new Set([...rows, ...registered].map(({ locale }) => locale))].toSorted()
}

/** Creates and changes entries of the type all the time; how many it made. */
function writeBeside(content: TestContent) {
  let stopped = false
  let made = 0
  const running = (async () => {
    while (!stopped) {
      const one = content.entries.create(WRITER, content.typeOf('page'), {
        values: { title: 'beside', code: `beside ${made}` },
      })
      if ((await one.then(() => 'made', codeOf)) === 'made') made++
      const values = { title: `again ${made}` }
      await content.entries
        .update(WRITER, content.typeOf('page'), { id: 1 }, { values })
        .catch(codeOf)
    }
  })()
  return {
    async stop() {
      stopped = true
      await running
      return made
    },
  }
}

/** No entry is missing or doubled at any moment. */
function readBeside(content: TestContent) {
  let stopped = false
  const running = (async () => {
    while (!stopped) {
      const { entries, total } = await list(content)
      assert.equal(entries.length, total)
      assert.ok(entries.length >= MANY, `${entries.length}`)
      assert.equal(new Set(entries.map(({ documentId }) => documentId)).size, entries.length)
      assert.equal(new Set(entries.map(({ locale }) => locale)).size, 1)
    }
  })()
  return {
    async stop() {
      stopped = true
      await running
    },
  }
}

async function refusedTwice({ entries, typeOf }: TestContent, code: string, message: string) {
  await assert.rejects(
    entries.create(WRITER, typeOf('page'), { values: { code } }),
    (error) => codeOf(error) === 'conflict',
    message,
  )
}

function codeOf(error: unknown): string {
  if (error instanceof DomainError) return error.code
  throw error
}
