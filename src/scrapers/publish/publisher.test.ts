import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createLocalBus, createRevisions } from '#bus'
import { type ContentWriter, openContentWriter } from '#content-writer'
import { createIds, random, unavailable } from '#kernel'
import { openTestDatabase, silentLog, temporaryDirectory } from '#test-kit'
import type { Output } from '../definition/definition.ts'
import type { PublishingRun } from '../engine/commit.ts'
import type { FileSource } from '../engine/fetch-file.ts'
import type { CollectedItem } from '../engine/page-writes.ts'
import { hashOf } from '../engine/urls.ts'
import { createPublisher } from './publisher.ts'

const SCRAPER = { id: 1, userId: 1, consumerId: 'a' }
const OUTPUT: Output = {
  ...{ collection: 'notes', map: new Map([['title', { from: 'title' }]]), key: 'url' },
  media: new Map([['pictures', 'pictures']]),
  ...{ publish: true, locale: null, create: false, onMissing: 'keep', onEdited: 'keep' },
}
const NOTE = {
  ...{ singularName: 'note', pluralName: 'notes' },
  attributes: { title: { type: 'string' }, pictures: { type: 'media', multiple: true } },
}
const uploads = temporaryDirectory()
const busy = () => Promise.reject(unavailable('storage_unavailable', 'busy'))
const RUN: PublishingRun = { stepsWith: () => [], undisturbed: (work) => work() }
/** Every file is there, and small. */
const SOURCE: FileSource = {
  pauseAfter: async () => false,
  open: async () => opened('text'),
}

const { db, content } = await open()

test('scrapers 19: a database that is busy when a type is to be made refuses no item', async () => {
  const { prepare } = publisherOf({ createType: busy }, { collection: 'things', create: true })
  await assert.rejects(prepare([itemOf('/a', [])], SOURCE), /busy/)
})

test('scrapers media: files leave nothing behind when what is known of one of them cannot be read', async () => {
  const known = { file_id: 1, etag: null, last_modified: null, digest: '' }
  const row = { scraper_id: SCRAPER.id, url_hash: hashOf('http://site.test/known'), ...known }
  await db.main.writer.insertInto('scrapers_files').values(row).execute()
  const { prepare } = publisherOf({ media: { ...content.media, find: busy } })
  await assert.rejects(prepare([itemOf('/b', ['/known', '/new'])], SOURCE), /busy/)
  assert.deepEqual(stored(), [])
})

test('scrapers media: files leave nothing behind when what people changed cannot be read', async () => {
  const known = { type: 'note', document_id: 'x', entry_id: 1, run_id: 1, values_hash: 'old' }
  const row = { scraper_id: SCRAPER.id, key_hash: hashOf('http://site.test/c'), ...known }
  await db.main.writer
    .insertInto('scrapers_entries')
    .values({ ...row, written: '{}', is_gone: 0, locale: null })
    .execute()
  const { prepare } = publisherOf({ findOne: busy })
  await assert.rejects(prepare([itemOf('/c', ['/other'])], SOURCE), /busy/)
  assert.deepEqual(stored(), [])
})

async function open() {
  const { database, clock } = await openTestDatabase('sqlite')
  const bus = createLocalBus({ log: silentLog })
  const writer = await openContentWriter({
    ...{ db: database, clock, random, bus, log: silentLog, publicUrl: '' },
    ids: createIds({ clock, random }),
    revisions: createRevisions({ bus, log: silentLog }),
    uploads: { directory: uploads, maxFileBytes: 1_000, maxFiles: 10, cacheBytes: 0 },
    publicReadDefault: () => true,
    appendEvents: async () => {},
  })
  after(writer.close)
  await writer.createType(NOTE)
  return { db: database, content: writer }
}

function publisherOf(
  failing: Partial<ContentWriter>,
  output: Partial<Output> = {},
  dialect = db.dialect,
) {
  return createPublisher({
    ...{ db: { ...db, dialect }, log: silentLog, clock: Date, scraper: SCRAPER, run: { id: 2 } },
    content: { ...content, ...failing },
    output: { ...OUTPUT, ...output },
  })
}

test('scrapers media: a file that cannot be replaced now is not made a second time', async () => {
  const items = [itemOf('/d', ['/replaced'])]
  const first = await publisherOf({}).prepare(items, SOURCE)
  await first.publish(RUN)
  const changed: FileSource = { ...SOURCE, open: async () => opened('changed') }
  const { prepare } = publisherOf({ media: { ...content.media, replace: busy } })
  const second = await prepare(items, changed)
  await assert.rejects(second.publish(RUN), /busy/)
  const files = await db.main.reader.selectFrom('content_files').select('name').execute()
  assert.deepEqual(files, [{ name: 'replaced' }])
})

test('scrapers 19: a race that is lost again and again refuses no item', async () => {
  const other = { scraper_id: SCRAPER.id, url_hash: 'raced', file_id: 1, digest: '' }
  const row = { ...other, etag: null, last_modified: null }
  await db.main.writer.insertInto('scrapers_files').values(row).execute()
  const publishing = await publisherOf({}).prepare([itemOf('/e', [])], SOURCE)
  const told: string[] = []
  const quicker: PublishingRun = {
    ...RUN,
    stepsWith({ lines }) {
      told.push(...lines.map(({ message }) => message))
      return [{ query: db.main.writer.insertInto('scrapers_files').values(row) }]
    },
  }
  await assert.rejects(publishing.publish(quicker), { kind: 'unavailable', code: 'lost_race' })
  assert.deepEqual(told, [])
  await publishing.publish(RUN)
  const notes = await db.main.reader.selectFrom('content_entries').select('external_id').execute()
  assert.ok(notes.some(({ external_id }) => external_id === 'http://site.test/e'))
})

test('scrapers 19: several items whose transaction the database gave up are published again', async () => {
  const deadlock = new Error('deadlock detected')
  const dialect = { ...db.dialect, isDeadlock: (error: unknown) => error === deadlock }
  let tries = 0
  const upsert: ContentWriter['entries']['upsert'] = (...given) => {
    const [, , , { externalId }] = given
    if (externalId?.endsWith('/i') && ++tries === 1) return Promise.reject(deadlock)
    return content.entries.upsert(...given)
  }
  const entries = { ...content.entries, upsert }
  const { prepare } = publisherOf({ entries }, {}, dialect)
  const refused = { ...itemOf('/h', []), value: { title: ['no', 'text'] } }
  const told: unknown[] = []
  await (await prepare([refused, itemOf('/i', [])], SOURCE)).publish({
    ...RUN,
    stepsWith({ entries: made, lines }) {
      told.push([made.map((entry) => entry !== null), lines.length])
      return []
    },
  })
  assert.deepEqual(told, [[[false, true], 1]])
})

test('scrapers 4: what is missing is taken away entry by entry, and no more of it once the run is left', async () => {
  const items = [itemOf('/f', []), itemOf('/g', [])]
  const { prepare } = publisherOf({})
  await (await prepare(items, SOURCE)).publish(RUN)
  const leaving = new AbortController()
  const remove: ContentWriter['entries']['remove'] = (...given) => {
    leaving.abort()
    return content.entries.remove(...given)
  }
  const count = () => db.main.reader.selectFrom('content_entries').select('no').execute()
  const before = await count()
  const next = createPublisher({
    ...{ db, log: silentLog, clock: Date, scraper: SCRAPER, run: { id: 3 } },
    content: { ...content, entries: { ...content.entries, remove } },
    output: { ...OUTPUT, onMissing: 'delete' },
  })
  await assert.rejects(next.settleMissing(leaving.signal), { name: 'AbortError' })
  assert.equal((await count()).length, before.length - 1)
})

function stored(): string[] {
  const names = readdirSync(uploads).filter((name) => name !== '.incoming')
  return [...names, ...readdirSync(join(uploads, '.incoming'))]
}

function itemOf(path: string, pictures: string[]): CollectedItem {
  const url = `http://site.test${path}`
  const value = { title: path, pictures }
  return {
    ...{ runId: 2, scraperId: SCRAPER.id, url, urlKey: url, key: url, keyHash: hashOf(url), value },
    ...{
      pageHash: hashOf(url),
      statusCode: 200,
      contentType: 'text/html',
      depth: 0,
      fetchedAtMs: 0,
    },
    ...{ change: 'new', contentHash: '', data: JSON.stringify(value) },
  }
}

function opened(text: string) {
  const body = {
    end: 'complete' as const,
    cancel: () => {},
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(text)
    },
  }
  return { kind: 'opened' as const, body, etag: null, lastModified: null }
}
