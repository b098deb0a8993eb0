import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { createLocalBus } from '#bus'
import type { Entry } from '#content'
import type { ContentQuery } from '#content-query'
import type { Cells } from '#db'
import { weakEtag } from '#http-text'
import { eachDatabase, openTestDatabase, silentLog, until } from '#test-kit'
import { createFreshness } from '../../src/content/freshness.ts'
import { createFind } from '../../src/content/query/find.ts'
import { NONE_RENEWED } from '../../src/content/query/load/current.ts'
import { toEntries } from '../../src/content/query/load/load.ts'
import { createResponseCache } from '../../src/content/response-cache.ts'
import { attachContent } from './support/content.ts'
import { counts, testKilled } from './write-unit/killed.ts'
import { createNotices } from './write-unit/notices.ts'
import { openCarrier } from './write-unit/open.ts'
import { BATCH, COUNTER, createPages, knownFrom } from './write-unit/pages.ts'
import { type Carrier, statement, type WritePlan } from './write-unit/plan.ts'
import { openSqliteCarrier } from './write-unit/sqlite.ts'
import { createWriteUnit } from './write-unit/unit.ts'

const READER = { level: 'write' } as const

function shown(entries: readonly Entry[]): string {
  return entries.map(showOne).join(',')
}

function showOne(entry: Entry): string {
  const { id, documentId, path, createdAtMs, updatedAtMs, revisionId } = entry
  const members = { id, documentId, path, createdAtMs, updatedAtMs, revisionId }
  return JSON.stringify({ ...entry.values(), ...members })
}

eachDatabase('writes as one unit', (kind) => {
  async function open() {
    const database = await openTestDatabase(kind)
    const content = await attachContent(database, BATCH)
    const { db, clock, ids, model } = content
    for (const text of COUNTER) await sql.raw(text).execute(db.main.writer)
    const type = content.typeOf('page')
    const bus = createLocalBus({ channel: `unit-${ids.uuid()}`, log: silentLog })
    const published: unknown[] = []
    const counted = {
      subscribe: bus.subscribe,
      publish: async (topic: string, message: Parameters<typeof bus.publish>[1]) => {
        published.push(message)
        await bus.publish(topic, message)
      },
    }
    const freshness = createFreshness({ bus: createNotices(counted) })
    const carrier = await openCarrier(database.settings)
    after(() => carrier.close())
    after(() => bus.close())
    const { find } = createFind({ db, model, countPlan: () => {} })
    const query: ContentQuery = {
      ...{ type, state: 'working', locale: { kind: 'all' }, filter: null, search: '', sort: [] },
      ...{ page: { kind: 'offset', start: 0, limit: 100, count: false }, include: [] },
    }
    const pages = createPages(type, { clock, ids })
    const unit = createWriteUnit({ carrier, freshness })
    return { ...content, ...unit, type, pages, carrier, freshness, find, query, published, toPage }

    /** The rows of a write as the entries of a page. */
    function toPage(rows: readonly Cells[]): readonly Entry[] {
      const loaded = { rows: [rows], values: [], renewed: NONE_RENEWED }
      return toEntries(loaded, type, rows, 0, [])
    }
  }

  const opened = open()

  test('scale writes: the rows of a write, shown as a page is, are the bytes of the page', async () => {
    const { write, pages, find, query, toPage } = await opened
    const written = await Promise.all(
      ['a', 'a', 'a', 'été "b"'].map((title) => write(async () => pages.create(title))),
    )
    const [first] = written
    assert.ok(first)
    const changed = await write(async () => pages.rename(knownFrom(first.rows[0]), 'new', 7))
    const rows = [changed, ...written.slice(1)].flatMap((each) => [...each.rows])
    const id = (row: Cells) => Number(row[1])
    rows.sort((one, other) => id(one) - id(other))
    const { entries } = await find(READER, query)
    assert.equal(shown(toPage(rows)), shown(entries))
    const slugs = entries.map((entry) => String(entry.values()['slug']))
    assert.deepEqual(slugs.toSorted(), ['a', 'a-2', 'a-3', 'ete-b'])
  })

  test('scale writes: a plan that fails fails alone, and leaves neither rows nor events', async () => {
    const { write, pages, db } = await opened
    const before = await counts(db)
    const broken = (plan: WritePlan): WritePlan => ({
      ...plan,
      steps: [
        ...plan.steps,
        {
          statement: statement('broken', 'insert into unit_counter values (null, 1, 2)'),
          values: [],
        },
      ],
    })
    const ends = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        write(async () => (n % 4 === 0 ? broken(pages.create('x')) : pages.create('x'))),
      ),
    )
    const failed = ends.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))
    assert.deepEqual(failed, [0, 4, 8, 12, 16])
    assert.deepEqual(
      await counts(db),
      before.map((count) => count + 15),
    )
  })

  test('scale writes: a guard that fails sends the plan back, and after three times it is made while nobody else writes', async () => {
    const { write, pages } = await opened
    const { rows } = await write(async () => pages.create('guarded'))
    let current = knownFrom(rows[0])
    const change = async (title: string) => {
      const done = await write(async () => pages.rename(current, title))
      current = knownFrom(done.rows[0])
      return done
    }
    const once = await write(async () => {
      const plan = pages.rename(current, 'mine')
      if (current.version === 1) await change('theirs')
      return plan
    })
    assert.equal(once.attempts, 2)
    current = knownFrom(once.rows[0])
    assert.equal(current.version, 3)
    let made = 0
    let late: Promise<unknown> = Promise.resolve()
    const alone = await write(async () => {
      const plan = pages.rename(current, 'mine at last')
      const others = change(`theirs ${++made}`)
      // Alone: what others send waits until this one is done.
      if (made <= 3) await others
      else late = others.catch(() => {})
      return plan
    })
    assert.equal(alone.attempts, 4)
    current = knownFrom(alone.rows[0])
    assert.equal(current.version, 7)
    await late
  })

  test('scale writes: a reader never meets an old answer after a write, nor one whose tag is of another', async () => {
    const { write, pages, find, query, freshness, type } = await opened
    const cache = createResponseCache({ freshness, maxAgeMs: 60_000, maxBytes: 1e8 })
    const first = await write(async () => pages.create('read'))
    let current = knownFrom(first.rows[0])
    const id = current.id
    const only = {
      kind: 'compare',
      field: 'id',
      operator: 'eq',
      fold: false,
      values: [id],
    } as const
    let acknowledged = 0
    let isOver = false
    let hits = 0
    const read = async () => {
      while (!isOver) {
        const least = acknowledged
        const { body, tag } = await answer()
        const { count } = JSON.parse(body)
        assert.ok(count >= least, `${count} was shown when ${least} was acknowledged`)
        assert.equal(tag, weakEtag(Buffer.from(body)))
      }
    }
    const answer = async () => {
      const known = cache.find('page')
      if (known) hits++
      if (known) {
        // A hit needs no turn of the loop, but writers need theirs.
        await delay(0)
        return { body: String(known.body), tag: known.etag }
      }
      const begun = cache.begin()
      const text = shown((await find(READER, { ...query, filter: only })).entries)
      const tag = weakEtag(Buffer.from(text))
      const response = { etag: tag, headers: {}, bodyHeaders: {}, body: text }
      cache.keep('page', begun, [type.no], response)
      return { body: text, tag }
    }
    const readers = Array.from({ length: 4 }, read)
    for (let count = 1; count <= 300; count++) {
      const done = await write(async () => pages.rename(current, 'read', count))
      current = knownFrom(done.rows[0])
      acknowledged = count
      if (count % 10 === 0) await delay(2)
    }
    isOver = true
    await Promise.all(readers)
    assert.ok(hits > 0)
  })

  test('scale writes: many writes are told to other nodes by few notices', async () => {
    const { write, pages, published } = await opened
    await until(() => published.length > 0)
    await delay(20)
    published.length = 0
    const startedMs = performance.now()
    await Promise.all(Array.from({ length: 200 }, () => write(async () => pages.create('noticed'))))
    await delay(20)
    const most = (performance.now() - startedMs) / 5 + 1
    assert.ok(published.length >= 1 && published.length <= most, `${published.length} of ${most}`)
  })

  testKilled(kind, 4)
})

describe('a full disk', () => {
  test('scale writes: SQLite undoes the whole group, of which all but the one that is too large are then carried out', async () => {
    const opened = await openTestDatabase('sqlite')
    const content = await attachContent(opened, BATCH)
    const { db, clock, ids } = content
    for (const text of COUNTER) await sql.raw(text).execute(db.main.writer)
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db.main.writer)
    const path = join(opened.settings.dataDir, 'entrepot.db')
    const carrier: Carrier = openSqliteCarrier(path, Number(rows[0]?.page_count) + 100)
    after(() => carrier.close())
    const { write } = createWriteUnit({ carrier, freshness: { touch: () => {} } })
    const pages = createPages(content.typeOf('page'), { clock, ids })
    const ends = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) =>
        write(async () => pages.create(n === 5 ? 'x'.repeat(1_000_000) : 'small')),
      ),
    )
    const failed = ends.flatMap((end, n) =>
      end.status === 'rejected' ? [[n, end.reason.message]] : [],
    )
    assert.deepEqual(failed, [[5, 'database or disk is full']])
    assert.deepEqual(await counts(db), [11, 11, 11])
  })
})
