import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { MessagePort } from 'node:worker_threads'
import { CompiledQuery, type Kysely, sql } from 'kysely'
import pg from 'pg'
import { NeedsTransaction, type Store, type Tx } from '#db'
import { createSequencer } from '#events'
import { DomainError } from '#kernel'
import { eachDatabase, openTestDatabase, pagesModel, testPostgres, until } from '#test-kit'
import type { Turn } from '../../src/content/entries/turns.ts'
import type { PlannedStep } from '../../src/kernel/db/plan.ts'
import { openPlans } from '../../src/kernel/db/postgres-plan.ts'
import type { PlanRequest } from '../../src/kernel/db/sqlite/protocol.ts'
import { openContent, WRITER } from './support/content.ts'

interface Tables {
  things: { id: number; name: string | null; version: number }
}

const FORCED = { force: true, dryRun: false }

/** The turn of a write that something else overtakes: it is planned, but not sent. */
function overtakenBy(work: () => Promise<unknown>): Turn {
  let overtaking: Promise<unknown> | undefined
  return {
    beforeNumbers: async () => {},
    numbersTaken: () => {},
    async beforeSending() {
      overtaking ??= work()
      await overtaking
    },
    end: () => {},
  }
}

async function openThings(kind: 'sqlite' | 'postgres') {
  const { database } = await openTestDatabase(kind)
  const { main, dialect } = database
  await main.writer.schema
    .createTable('things')
    .addColumn('id', dialect.types.bigint, (column) => column.primaryKey())
    .addColumn('name', dialect.types.text)
    .addColumn('version', dialect.types.bigint, (column) => column.notNull())
    .execute()
  return { main, dialect }
}

function add(tx: Tx, id: number, name: string | null = null) {
  return tx.as<Tables>().insertInto('things').values({ id, name, version: 1 }).execute()
}

async function idsIn(main: Store): Promise<number[]> {
  const reader: Kysely<Tables> = main.reader
  const rows = await reader.selectFrom('things').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

function listOf(count: number, title: string, more: object = {}) {
  return Array.from({ length: count }, (_, n) => ({
    input: { values: { title: `${title} ${n}`, code: `${title} ${n}`, ...more } },
    options: {},
  }))
}

/** What this thread sends to storage threads and to PostgreSQL from now on. */
function countSent(t: TestContext) {
  const sent = { messages: 0, statements: 0 }
  const post = MessagePort.prototype.postMessage
  Object.assign(MessagePort.prototype, {
    postMessage(this: MessagePort, ...given: Parameters<typeof post>) {
      const [message] = given
      sent.messages++
      for (const each of Array.isArray(message) ? message : [message]) {
        sent.statements += statementsIn(each)
      }
      return post.apply(this, given)
    },
  })
  const query = pg.Client.prototype.query
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...given: Parameters<typeof query>) {
      sent.messages++
      return query.apply(this, given)
    },
  })
  const bind = pg.Connection.prototype.bind
  Object.assign(pg.Connection.prototype, {
    bind(this: pg.Connection, ...given: Parameters<typeof bind>) {
      sent.statements++
      return bind.apply(this, given)
    },
  })
  t.after(() => {
    Object.assign(MessagePort.prototype, { postMessage: post })
    Object.assign(pg.Client.prototype, { query })
    Object.assign(pg.Connection.prototype, { bind })
  })
  return sent
}

/** Of a message to a storage thread, which may be a plan. */
function statementsIn(message: Partial<PlanRequest>): number {
  const { cells } = message
  if (!cells) return 1
  let count = 0
  for (let at = 0; at < cells.length; at += 3 + Number(cells[at + 2])) count++
  return count
}

eachDatabase('writes as one unit', (kind) => {
  test('scale writes: of plans at once those that fail fail alone, whole', async () => {
    const { main } = await openThings(kind)
    const ends = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        main.write(async (tx) => {
          await add(tx, n)
          if (n % 4 === 0) await sql`insert into things values (null, null, null)`.execute(tx.as())
          return () => n
        }),
      ),
    )
    const failed = ends.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))
    assert.deepEqual(failed, [0, 4, 8, 12, 16])
    const rest = Array.from({ length: 20 }, (_, n) => n).filter((n) => n % 4 > 0)
    assert.deepEqual(await idsIn(main), rest)
  })

  test('scale writes: of a plan whose statement fails at its second row nothing is kept, not even the first', async () => {
    const { main } = await openThings(kind)
    const ends = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) =>
        main.write(async (tx) => {
          const second = n % 4 === 0 ? null : 1
          await sql`insert into things values (${n}, null, 1), (${n + 100}, null, ${second})`.execute(
            tx.as(),
          )
          return () => n
        }),
      ),
    )
    const failed = ends.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))
    assert.deepEqual(failed, [0, 4])
    assert.deepEqual(await idsIn(main), [1, 2, 3, 5, 6, 7, 101, 102, 103, 105, 106, 107])
  })

  test('scale writes: a plan whose guard fails is made again, after three times in a transaction', async () => {
    const { main, dialect } = await openThings(kind)
    await main.write(async (tx) => {
      await add(tx, 1)
      return () => {}
    })
    const writer: Kysely<Tables> = main.writer
    const ways: boolean[] = []
    const change = (isBesetBy: number) =>
      main.write(async (tx) => {
        ways.push(tx.isPlan)
        const trx = tx.as<Tables>()
        const { version } = await trx
          .selectFrom('things')
          .select('version')
          .where('id', '=', 1)
          .$if(dialect.rowLocks && !tx.isPlan, (query) => query.forUpdate())
          .executeTakeFirstOrThrow()
        tx.guard(
          trx
            .selectFrom('things')
            .select('id')
            .where('id', '=', 1)
            .where('version', '=', version)
            .$if(dialect.rowLocks, (query) => query.forUpdate()),
        )
        await trx
          .updateTable('things')
          .set({ version: version + 1 })
          .where('id', '=', 1)
          .execute()
        if (tx.isPlan && ways.length <= isBesetBy) {
          await writer
            .updateTable('things')
            .set((row) => ({ version: row('version', '+', 1) }))
            .execute()
        }
        return () => version + 1
      })
    assert.equal(await change(1), 3)
    assert.deepEqual(ways.splice(0), [true, true])
    assert.equal(await change(3), 7)
    assert.deepEqual(ways, [true, true, true, false])
  })

  test('scale writes: fifty plans at once that read and write lose no update', async () => {
    const { main, dialect } = await openThings(kind)
    await main.write(async (tx) => {
      await add(tx, 1, '0')
      return () => {}
    })
    await Promise.all(
      Array.from({ length: 50 }, () =>
        main.write(async (tx) => {
          const trx = tx.as<Tables>()
          const row = await trx
            .selectFrom('things')
            .selectAll()
            .where('id', '=', 1)
            .$if(dialect.rowLocks && !tx.isPlan, (query) => query.forUpdate())
            .executeTakeFirstOrThrow()
          const same = trx.selectFrom('things').select('id').where('version', '=', row.version)
          tx.guard(dialect.rowLocks ? same.forUpdate() : same)
          const change = { name: String(Number(row.name) + 1), version: row.version + 1 }
          await trx.updateTable('things').set(change).where('id', '=', 1).execute()
          return () => {}
        }),
      ),
    )
    const reader: Kysely<Tables> = main.reader
    const { name } = await reader.selectFrom('things').select('name').executeTakeFirstOrThrow()
    assert.equal(name, '50')
  })

  test('scale writes: what reads its own changes is done in a transaction, and nothing of its plan', async () => {
    const { main } = await openThings(kind)
    const after: string[] = []
    const seen = await main.write(async (tx) => {
      await add(tx, 1)
      tx.afterCommit(() => void after.push(tx.isPlan ? 'plan' : 'transaction'))
      if (tx.isPlan) throw new NeedsTransaction()
      const rows = await tx.as<Tables>().selectFrom('things').selectAll().execute()
      return () => rows.length
    })
    assert.equal(seen, 1)
    assert.deepEqual(after, ['transaction'])
    assert.deepEqual(await idsIn(main), [1])
  })

  test('scale writes: a plan that reads what was removed meanwhile is left to a transaction', async () => {
    const { main } = await openThings(kind)
    const ways: boolean[] = []
    for (const removed of ['select former from things', 'select id from former_things']) {
      await main.write(async (tx) => {
        ways.push(tx.isPlan)
        if (tx.isPlan) await sql.raw(removed).execute(tx.as())
        await add(tx, ways.length)
        return () => {}
      })
    }
    assert.deepEqual(ways, [true, false, true, false])
    assert.deepEqual(await idsIn(main), [2, 4])
  })

  test('scale writes: what a change returns is known after the commit', async () => {
    const { main } = await openThings(kind)
    const row = await main.write(async (tx) => {
      const trx = tx.as<Tables>()
      const values = { id: 7, name: 'x', version: sql<number>`1 + 1` }
      return tx.returning(trx.insertInto('things').values(values).returning(['version', 'id']))
    })
    assert.deepEqual(row, [{ version: 2, id: 7 }])
  })

  test('scale writes: entries with equal titles at once all get a name of their own', async () => {
    const { entries, typeOf, reader } = await openContent(kind, pagesModel.TYPES)
    const made = await Promise.all(
      Array.from({ length: 60 }, () =>
        entries.create(WRITER, typeOf('page'), { values: { title: 'Same' } }),
      ),
    )
    const slugs = new Set(made.map(({ entry }) => entry.values()['slug']))
    assert.equal(slugs.size, 60)
    assert.ok(slugs.has('same') && slugs.has('same-2'))
    const rows = await reader.selectFrom('content_entries').select(['path', 'sort_order']).execute()
    assert.equal(new Set(rows.map(({ path }) => path)).size, 60)
    const orders = rows.map(({ sort_order }) => sort_order).toSorted((a, b) => a - b)
    if (kind === 'sqlite')
      assert.deepEqual(
        orders,
        Array.from({ length: 60 }, (_, n) => n + 1),
      )
    const stated = made.map(({ entry }) => entry.sortOrder).toSorted((a, b) => a - b)
    assert.deepEqual(stated, orders)
  })

  test('scale writes: of equal unique values at once one is kept and the others are refused', async () => {
    const { entries, typeOf, reader } = await openContent(kind, pagesModel.TYPES)
    const ends = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) =>
        entries.create(WRITER, typeOf('page'), { values: { title: `t${n}`, code: 'one' } }),
      ),
    )
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
    assert.equal(refused.length, 11)
    for (const { kind: why, message } of refused) {
      assert.deepEqual([why, message], ['conflict', 'code is already used'])
    }
    assert.equal((await reader.selectFrom('content_entries').select('no').execute()).length, 1)
  })

  test('scale writes: who loses every race hears that others write, not that a value is taken', async () => {
    const { entries, typeOf, reader, db } = await openContent(kind, pagesModel.TYPES)
    const write = (alongside: (tx: Tx) => Promise<void>) =>
      entries.create(WRITER, typeOf('page'), { values: { title: 'raced' } }, { alongside })
    await db.main.writer.schema
      .createTable('raced')
      .addColumn('no', 'integer', (no) => no.unique())
      .execute()
    const insert = sql`insert into raced (no) values (1)`
    const alongside = async (tx: Tx) => void (await insert.execute(tx.as()))
    await write(alongside)
    await assert.rejects(write(alongside), { kind: 'unavailable', code: 'lost_race' })
    assert.equal((await reader.selectFrom('content_entries').select('no').execute()).length, 1)
  })

  test('scale writes: changes of one entry at once follow each other, each with its event', async () => {
    const content = await openContent(kind, pagesModel.TYPES)
    const { entries, typeOf, db } = content
    const type = typeOf('page')
    const { entry } = await entries.create(WRITER, type, { values: { title: 'a', count: 0 } })
    const done = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        entries.update(WRITER, type, { id: entry.id }, { values: { count: n + 1 } }),
      ),
    )
    const versions = done.map(({ entry: now }) => now.version).toSorted((a, b) => a - b)
    assert.deepEqual(
      versions,
      Array.from({ length: 20 }, (_, n) => n + 2),
    )
    const bus = { publish: async () => {}, subscribe: () => () => {} }
    while (await createSequencer({ db, bus }).turn());
    const events = await db.main.reader
      .selectFrom('kernel_events')
      .select(['seq', 'payload'])
      .where('type', '=', 'page.updated')
      .orderBy('seq')
      .execute()
    const told = events.map(({ payload }) => JSON.parse(String(payload)).version)
    assert.deepEqual(told, versions)
  })

  test('scale writes: a hundred entries are no more messages and statements than ten', async (t) => {
    const { entries, typeOf } = await openContent(kind, pagesModel.TYPES)
    const { entry: author } = await entries.create(WRITER, typeOf('author'), { values: {} })
    const make = (count: number, title: string) =>
      entries.createAll(WRITER, typeOf('page'), listOf(count, title, { author: author.id }))
    for (const title of ['first', 'second', 'third']) await make(10, title)
    const sent = countSent(t)
    const few = await least(10)
    assert.ok(few.messages > 0)
    assert.deepEqual(await least(100), few)

    /** Of three times: what else the thread sends in between is no part of it. */
    async function least(count: number) {
      const rounds: { messages: number; statements: number }[] = []
      for (const title of ['a', 'b', 'c']) {
        Object.assign(sent, { messages: 0, statements: 0 })
        for (const one of await make(count, `${title} of ${count}`)) assert.ok('value' in one)
        rounds.push({ ...sent })
      }
      const leastOf = (name: keyof typeof sent) => Math.min(...rounds.map((each) => each[name]))
      return { messages: leastOf('messages'), statements: leastOf('statements') }
    }
  })

  test('scale writes: a new entry is one message, a change one question and one message', async (t) => {
    const { entries, typeOf } = await openContent(kind, pagesModel.TYPES)
    const type = typeOf('author')
    const { entry } = await entries.create(WRITER, type, { values: { name: 'first' } })
    const create = (n: number) => entries.create(WRITER, type, { values: { name: `new ${n}` } })
    const change = (n: number) =>
      entries.update(WRITER, type, { id: entry.id }, { values: { name: `changed ${n}` } })
    for (const n of [1, 2, 3]) await Promise.all([create(n), change(n)])
    const sent = countSent(t)
    assert.equal(await least(create), kind === 'sqlite' ? 1 : 2)
    assert.equal(await least(change), kind === 'sqlite' ? 2 : 3)

    /** Of several times: what else the thread sends in between is no part of it. */
    async function least(write: (n: number) => Promise<unknown>): Promise<number> {
      const counts: number[] = []
      for (const n of [4, 5, 6, 7]) {
        sent.messages = 0
        await write(n)
        counts.push(sent.messages)
      }
      return Math.min(...counts)
    }
  })

  test('scale writes: the second entry with a title asks whether its name is free, and is planned once', async (t) => {
    const { entries, typeOf } = await openContent(kind, pagesModel.TYPES)
    const create = (title: string) => entries.create(WRITER, typeOf('page'), { values: { title } })
    const titles = ['first', 'second', 'third', 'fourth']
    for (const title of titles) await create(title)
    await create('first')
    const sent = countSent(t)
    const counts: number[] = []
    for (const title of titles.slice(1)) {
      sent.messages = 0
      const { entry } = await create(title)
      assert.equal(entry.values()['slug'], `${title}-2`)
      counts.push(sent.messages)
    }
    // What else the thread sends in between is no part of it.
    assert.equal(Math.min(...counts), kind === 'sqlite' ? 2 : 3)
  })

  test('scale writes: a name that was given and is free again is given again, as by a server that never gave it', async () => {
    const { entries, typeOf } = await openContent(kind, pagesModel.TYPES)
    const type = typeOf('page')
    const create = () => entries.create(WRITER, type, { values: { title: 'same' } })
    for (let n = 1; n <= 24; n++) await create()
    const { entry } = await create()
    assert.equal(entry.values()['slug'], 'same-25')
    await entries.remove(WRITER, type, { id: entry.id })
    assert.equal((await create()).entry.values()['slug'], 'same-25')
    assert.equal((await create()).entry.values()['slug'], 'same-26')
  })

  test('scale writes: of a hundred entries in one plan those that cannot be kept are refused alone', async () => {
    const { entries, typeOf, reader, db } = await openContent(kind, pagesModel.TYPES)
    const type = typeOf('page')
    await entries.create(WRITER, type, { values: { title: 'before', code: 'taken' } })
    const list = listOf(100, 'page').map((each, n) => ({
      ...each,
      input: {
        values: {
          ...each.input.values,
          // One is taken, one names nobody, two are twins, one is no number.
          ...(n === 20 ? { code: 'taken' } : {}),
          ...(n === 40 ? { author: 999 } : {}),
          ...(n === 60 || n === 61 ? { code: 'twin' } : {}),
          ...(n === 80 ? { count: 'many' } : {}),
        },
      },
    }))
    const done = await entries.createAll(WRITER, type, list)
    const refused = done.flatMap((one, n) =>
      'error' in one && one.error instanceof DomainError ? [[n, one.error.message]] : [],
    )
    assert.deepEqual(refused.slice(0, 1), [[20, 'code is already used']])
    assert.deepEqual(
      refused.map(([n]) => n),
      [20, 40, 61, 80],
    )
    assert.equal(refused[2]?.[1], 'code is already used')
    assert.match(String(refused[1]?.[1]), /author names entries.*999/)
    const rows = await reader
      .selectFrom('content_entries')
      .select(['id', 'sort_order'])
      .orderBy('id')
      .execute()
    assert.equal(rows.length, 97)
    assert.equal(new Set(rows.map(({ sort_order }) => sort_order)).size, 97)
    const ids = done.flatMap((one, n) => ('value' in one && n !== 60 ? [one.value.entry.id] : []))
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
      'ids rise in the order of the list',
    )
    const events = await db.main.reader
      .selectFrom('kernel_events')
      .select('payload')
      .where('type', '=', 'page.created')
      .execute()
    const told = events.map(({ payload }) => JSON.parse(String(payload)).id)
    assert.deepEqual(
      told.toSorted((a, b) => a - b),
      rows.map(({ id }) => id),
    )
  })

  test('scale writes: of equal values in a long list the first is kept, whatever else is refused', async () => {
    const { entries, typeOf } = await openContent(kind, pagesModel.TYPES)
    const type = typeOf('page')
    await entries.create(WRITER, type, { values: { title: 'before', code: 'taken' } })
    const codes = new Map([
      [20, 'taken'],
      [50, 'twin'],
      [150, 'twin'],
    ])
    const list = listOf(220, 'page').map(({ input, options }, n) => ({
      input: { values: { ...input.values, code: codes.get(n) ?? `code ${n}` } },
      options,
    }))
    const done = await entries.createAll(WRITER, type, list)
    assert.deepEqual(
      done.flatMap((one, n) => ('error' in one ? [n] : [])),
      [20, 150],
    )
    // A plan that was made again takes new numbers, and so do those behind it.
    const ids = done.flatMap((one) => ('value' in one ? [one.value.entry.id] : []))
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    )
  })

  test('scale writes: a group that is taken apart while it is planned waits for the one before', async () => {
    const { entries, typeOf } = await openContent(kind, pagesModel.TYPES)
    const type = typeOf('page')
    /** No plan with it holds, so that it is written in a transaction. */
    const alongside = async (tx: Tx) => {
      const never = sql`select 1 where 1 = 0`.compile(tx.as())
      tx.guard({ compile: () => never })
    }
    let planned = 0
    const counted = async (tx: Tx) => {
      planned += tx.isPlan ? 1 : 0
      await alongside(tx)
    }
    const list = listOf(112, 'apart').map(({ input, options }, n) => ({
      // What the first group has the second one wants too.
      input: { values: { ...input.values, code: n === 105 ? 'apart 50' : `apart ${n}` } },
      options: n < 100 ? options : { alongside: n === 100 ? counted : alongside },
    }))
    const done = await entries.createAll(WRITER, type, list)
    assert.deepEqual(
      done.flatMap((one, n) => ('error' in one ? [n] : [])),
      [105],
    )
    assert.ok(planned > 3, 'first together, then by itself')
    const ids = done.flatMap((one) => ('value' in one ? [one.value.entry.id] : []))
    assert.ok(Math.min(...ids.slice(100)) > Math.max(...ids.slice(0, 100)))
  })

  test('scale writes: one that is refused for its external id takes no name from the others', async () => {
    const { entries, typeOf } = await openContent(kind, pagesModel.TYPES)
    const type = typeOf('page')
    await entries.create(WRITER, type, { externalId: 'null', values: { title: 'before' } })
    const list = [
      { externalId: 'null', values: { title: 'Hello' } },
      { values: { title: 'Hello' } },
    ]
    const done = await entries.createAll(
      ...[WRITER, type],
      list.map((input) => ({ input, options: {} })),
    )
    assert.deepEqual(
      done.map((one) => 'value' in one && one.value.entry.values()['slug']),
      [false, 'hello'],
    )
  })

  test('scale writes: in a list entries go behind those before them, whose place may be given', async () => {
    const { entries, typeOf } = await openContent(kind, pagesModel.TYPES)
    const list = [undefined, undefined, 10, undefined, 7, 8, undefined].map((sortOrder, n) => ({
      input: { values: { title: `t${n}` }, ...(sortOrder === undefined ? {} : { sortOrder }) },
      options: {},
    }))
    const done = await entries.createAll(WRITER, typeOf('page'), list)
    assert.deepEqual(
      done.map((one) => 'value' in one && one.value.entry.sortOrder),
      [1, 2, 10, 11, 7, 8, 12],
    )
  })

  test('scale writes: a hundred entries with one title get a hundred names in one plan', async () => {
    const { entries, typeOf } = await openContent(kind, pagesModel.TYPES)
    await entries.create(WRITER, typeOf('page'), { values: { title: 'Same' } })
    const list = Array.from({ length: 100 }, () => ({
      input: { values: { title: 'Same' } },
      options: {},
    }))
    for (const round of [1, 2]) {
      const done = await entries.createAll(WRITER, typeOf('page'), list)
      const slugs = done.flatMap((one) =>
        'value' in one ? [one.value.entry.values()['slug']] : [],
      )
      assert.equal(new Set(slugs).size, 100, `round ${round}`)
    }
  })

  test('scale writes: upserts of a list find what was there, and what the list itself has made', async () => {
    const { entries, typeOf, reader } = await openContent(kind, pagesModel.TYPES)
    const type = typeOf('page')
    const upsert = (numbers: readonly number[], count: number) =>
      entries.upsertAll(
        ...[WRITER, type, 'externalId'],
        numbers.map((n) => ({
          input: { externalId: `x${n}`, values: { title: `t${n}`, count } },
          options: {},
        })),
      )
    const first = await upsert([1, 2, 3, 4], 1)
    assert.ok(first.every((one) => 'value' in one && one.value.created))
    const second = await upsert([5, 2, 6, 5, 3], 2)
    assert.deepEqual(
      second.map((one) => 'value' in one && [one.value.created, one.value.changed]),
      [
        [true, true],
        [false, true],
        [true, true],
        [false, false],
        [false, true],
      ],
    )
    assert.equal((await reader.selectFrom('content_entries').select('no').execute()).length, 6)
  })

  test('access 8a: a list that is sent again makes nothing twice', async () => {
    const { entries, typeOf, reader, ids } = await openContent(kind, pagesModel.TYPES)
    const list = listOf(30, 'once').map((each) => ({ ...each, options: { onceId: ids.uuid() } }))
    await entries.createAll(WRITER, typeOf('page'), list.slice(0, 20))
    const again = await entries.createAll(WRITER, typeOf('page'), list)
    assert.deepEqual(
      again.map((one) => 'value' in one && one.value.entry.documentId),
      list.map(({ options }) => options.onceId),
    )
    assert.equal((await reader.selectFrom('content_entries').select('no').execute()).length, 30)
  })

  test('access 8a: tries of one request at once and one after the other make one entry', async () => {
    const { entries, typeOf, reader, ids, touched } = await openContent(kind, pagesModel.TYPES)
    const onceId = ids.uuid()
    const make = () =>
      entries.create(WRITER, typeOf('page'), { values: { title: 'x', code: 'c' } }, { onceId })
    const made = await Promise.all([make(), make(), make()])
    touched.length = 0
    made.push(await make())
    assert.deepEqual(touched, [typeOf('page').no], 'answers kept since the first try are outdated')
    assert.deepEqual(new Set(made.map(({ entry }) => entry.documentId)), new Set([onceId]))
    assert.equal((await reader.selectFrom('content_entries').select('no').execute()).length, 1)
    const events = await reader.selectFrom('content_entries').select('version').execute()
    assert.deepEqual(events, [{ version: 1 }])
  })

  test('scale writes: after a failure whose outcome is unknown no answer of the type is kept', async () => {
    const { entries, typeOf, db, touched } = await openContent(kind, pagesModel.TYPES)
    await db.main.writer.schema.dropTable('kernel_events').execute()
    await assert.rejects(
      entries.create(WRITER, typeOf('page'), { values: { title: 'x' } }),
      (error) => !(error instanceof DomainError),
    )
    assert.deepEqual(touched, [typeOf('page').no])
  })

  test('scale writes: what was planned as a draft is live when drafts were switched off before', async () => {
    const { entries, typeOf, definitions, rows } = await openContent(kind, pagesModel.TYPES)
    const turn = overtakenBy(() =>
      definitions.mergeType('page', { draftAndPublish: false }, FORCED),
    )
    const values = { title: 'x' }
    await entries.create(WRITER, typeOf('page'), { values }, { status: 'draft', turn })
    assert.deepEqual(
      (await rows('page')).map(({ live, work }) => [live, work]),
      [[1, 1]],
    )
  })

  test('scale writes: what was planned for another definition of a component is refused', async () => {
    const { entries, typeOf, definitions, reader } = await openContent(kind, pagesModel.TYPES)
    const attributes = { text: { type: 'integer' } }
    const turn = overtakenBy(() =>
      definitions.mergeComponent('default.note', { attributes }, FORCED),
    )
    const values = { title: 'x', box: { note: { text: 't' } } }
    await assert.rejects(
      entries.create(WRITER, typeOf('page'), { values }, { turn }),
      (error) => error instanceof DomainError && error.code === 'type_changed',
    )
    assert.deepEqual(await reader.selectFrom('content_entries').select('no').execute(), [])
    const { entry } = await entries.create(WRITER, typeOf('page'), {
      values: { title: 'x', box: { note: { text: 1 } } },
    })
    assert.equal(entry.version, 1)
  })

  test('scale writes: a change that was planned before does not bring back the link of a component', async () => {
    const { entries, typeOf, reader } = await openContent(kind, pagesModel.TYPES)
    const [page, author] = [typeOf('page'), typeOf('author')]
    const { entry: linked } = await entries.create(WRITER, author, { values: { name: 'n' } })
    const box = { note: { text: 't', by: linked.id } }
    const { entry } = await entries.create(WRITER, page, { values: { title: 'x', box } })
    const turn = overtakenBy(() => entries.remove(WRITER, author, { id: linked.id }))
    const input = { values: { count: 1 } }
    const { entry: now } = await entries.update(WRITER, page, { id: entry.id }, input, { turn })
    assert.equal(now.version, 3)
    assert.deepEqual(await reader.selectFrom('content_links').select('target').execute(), [])
  })

  test('scale writes: what is linked at the same time as it is removed is not linked', async () => {
    const { entries, typeOf, reader } = await openContent(kind, pagesModel.TYPES)
    for (let round = 0; round < 10; round++) {
      const { entry } = await entries.create(WRITER, typeOf('author'), { values: { name: 'n' } })
      await Promise.allSettled([
        entries.remove(WRITER, typeOf('author'), { id: entry.id }),
        entries.create(WRITER, typeOf('page'), {
          values: { title: `p${round}`, author: entry.id },
        }),
      ])
    }
    const dangling = await reader
      .selectFrom('content_links')
      .select('target')
      .where('target', 'not in', (query) =>
        query.selectFrom('content_entries').select('document_id'),
      )
      .execute()
    if (kind === 'sqlite') assert.deepEqual(dangling, [])
  })
})

describe('writes as one unit on SQLite', () => {
  test('scale writes: events have their number in the commit of their write, behind those of transactions', async () => {
    const { entries, typeOf, db, telling } = await openContent('sqlite', pagesModel.TYPES)
    await db.main.transaction(undefined, (tx) =>
      telling.appendEvents(tx, [{ type: 'earlier', payload: {} }]),
    )
    await Promise.all(
      ['a', 'b', 'c'].map((title) => entries.create(WRITER, typeOf('page'), { values: { title } })),
    )
    const events = await db.main.reader
      .selectFrom('kernel_events')
      .select(['seq', 'type'])
      .orderBy('seq')
      .execute()
    assert.equal(events[0]?.['type'], 'earlier')
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, at) => at + 1),
    )
    const position = await db.main.reader
      .selectFrom('kernel_event_position')
      .select('seq')
      .execute()
    assert.deepEqual(position, [{ seq: events.length }])
  })

  test('scale writes: however many writes of both files wait, the thread serves them in a flat loop', async () => {
    const { database } = await openTestDatabase('sqlite')
    const stores = [database.main, database.aux]
    for (const { writer } of stores) {
      await writer.schema.createTable('marks').addColumn('n', 'integer').execute()
    }
    // Nothing to delete, so that no commit waits for the disk.
    const done = await Promise.all(
      Array.from({ length: 20_000 }, (_, n) =>
        stores[n % 2]?.writer.deleteFrom('marks').where('n', '=', n).executeTakeFirst(),
      ),
    )
    assert.ok(done.every((each) => each?.numDeletedRows === 0n))
  })

  test('scale writes: on a full disk all but the plan that is too large are carried out', async () => {
    const { entries, typeOf, db, reader } = await openContent('sqlite', pagesModel.TYPES)
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db.main.writer)
    const most = Number(rows[0]?.page_count) + 100
    await sql`pragma max_page_count = ${sql.lit(most)}`.execute(db.main.writer)
    const ends = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) =>
        entries.create(WRITER, typeOf('author'), {
          values: { name: n === 5 ? 'x'.repeat(1_000_000) : 'small' },
        }),
      ),
    )
    const failed = ends.flatMap((end, n) =>
      end.status === 'rejected' ? [[n, end.reason.message]] : [],
    )
    assert.deepEqual(failed, [[5, 'database or disk is full']])
    assert.equal((await reader.selectFrom('content_entries').select('no').execute()).length, 11)
  })

  test('contract item: a transaction that finds the disk full leaves nothing, and says why', async () => {
    const { database } = await openTestDatabase('sqlite')
    const { main, dialect } = database
    await main.writer.schema.createTable('marks').addColumn('n', 'text').execute()
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(main.writer)
    const most = Number(rows[0]?.page_count) + 100
    await sql`pragma max_page_count = ${sql.lit(most)}`.execute(main.writer)
    const insert = (trx: Tx, n: string) =>
      trx.as<{ marks: { n: string } }>().insertInto('marks').values({ n }).execute()
    const isFull = (error: Error) =>
      /disk is full/.test(error.message) && dialect.isUnavailable(error)
    const tooLarge = 'x'.repeat(1_000_000)
    await assert.rejects(
      main.transaction(undefined, async (tx) => {
        await insert(tx, 'before')
        await insert(tx, tooLarge)
      }),
      isFull,
    )
    // Whoever goes on all the same does not write outside of what was undone.
    await assert.rejects(
      main.transaction(undefined, async (tx) => {
        await insert(tx, 'before')
        await insert(tx, tooLarge).catch(() => {})
        await insert(tx, 'after')
      }),
    )
    await main.transaction(undefined, async (tx) => void (await insert(tx, 'small')))
    const marks = await sql<{ n: string }>`select n from marks`.execute(main.reader)
    assert.deepEqual(marks.rows, [{ n: 'small' }])
  })
})

describe('writes as one unit on PostgreSQL', () => {
  test('scale writes: plans read no whole tables, however small these were when they were asked first', async () => {
    const { main } = await openThings('postgres')
    const text = `select current_setting('enable_seqscan') as scans`
    const query = { compile: () => CompiledQuery.raw(text) }
    const rows = await main.write(async (tx) => {
      const asked = await tx.as().executeQuery(query)
      const returned = await tx.returning<{ scans: string }>(query)
      return () => [...asked.rows, ...returned()]
    })
    assert.deepEqual(rows, [{ scans: 'off' }, { scans: 'off' }])
  })

  const SLEEP = 'select 1 as n, pg_sleep($1)::text'
  const stepOf = (text: string, ...params: unknown[]): PlannedStep => ({
    ...{ sql: text, params, must: false, isEvent: false, returns: true },
  })

  async function openLines(
    connections: number,
    most = Number.POSITIVE_INFINITY,
    more: Partial<Parameters<typeof openPlans>[0]> = {},
  ) {
    const { url } = await testPostgres()
    const name = `lines ${randomUUID()}`
    let opened = 0
    const made = new Set<number>()
    const plans = openPlans({
      ...{ connections, idleMs: 60_000, ...more },
      async connect() {
        if (++opened > most) throw new Error('too many connections')
        const client = new pg.Client({
          ...{ connectionString: url, pipeline: true, application_name: name },
        })
        client.on('error', () => {})
        await client.connect()
        made.add(opened)
        return client
      },
    })
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    after(() => Promise.all([plans.close(), pool.end()]))
    return { ...plans, pool, asleep, name, made }

    /** The process whose statement sleeps, once there is one. */
    function asleep(): Promise<number> {
      const asked = `select pid from pg_stat_activity where application_name = $1 and wait_event = 'PgSleep'`
      return until(async () => (await pool.query(asked, [name])).rows[0]?.pid)
    }
  }

  test('scale writes: when no further connection can be had a plan shares one', async () => {
    const { carryOut, asleep } = await openLines(2, 1)
    const slow = carryOut([stepOf(SLEEP, 0.3)])
    await asleep()
    const second = await carryOut([stepOf('select 2 as n')])
    assert.deepEqual(second, { isDone: true, returned: [[{ n: 2 }]] })
    assert.equal((await slow).isDone, true)
  })

  /** A plan that writes a row and then sleeps for as long as the table says, which others may change. */
  async function openSleeping() {
    const lines = await openLines(1)
    const { pool } = lines
    const name = randomUUID().replaceAll('-', '')
    await pool.query(`create table marks_${name} (n int)`)
    await pool.query(`create table sleeps_${name} as select 0 as seconds`)
    const planOf = (label: string) => [
      stepOf(`insert into marks_${name} values (1) returning n`),
      stepOf(`select pg_sleep((select seconds from sleeps_${name}))::text as ${label}`),
    ]
    const sleep = (seconds: number) => pool.query(`update sleeps_${name} set seconds = ${seconds}`)
    const end = async (pid: number) => pool.query('select pg_terminate_backend($1)', [pid])
    const count = async () =>
      (await pool.query(`select count(*)::int as n from marks_${name}`)).rows[0]?.n
    return { ...lines, planOf, sleep, end, count }
  }

  test('scale writes: a plan that waited for a connection which broke takes another one', async () => {
    const { carryOut, asleep, planOf, sleep, end } = await openSleeping()
    await carryOut(planOf('first'))
    await sleep(60)
    // The second time it gets a name, which the connection has to learn.
    const broken = carryOut(planOf('first'))
    const pid = await asleep()
    const waiting = carryOut([stepOf('select 2 as n')])
    await sleep(0)
    await end(pid)
    assert.deepEqual(await waiting, { isDone: true, returned: [[{ n: 2 }]] })
    assert.equal((await broken).isDone, true)
  })

  test('scale writes: a plan whose connection broke before its commit is carried out once, on another one', async () => {
    const { carryOut, asleep, planOf, sleep, end, count } = await openSleeping()
    await carryOut(planOf('first'))
    await sleep(60)
    const broken = carryOut(planOf('first'))
    const pid = await asleep()
    await sleep(0)
    await end(pid)
    assert.equal((await broken).isDone, true)
    assert.equal(await count(), 2)
  })

  test('scale writes: a plan whose connections all break is refused, and nothing of it is kept', async () => {
    const { carryOut, asleep, planOf, sleep, end, count } = await openSleeping()
    await carryOut(planOf('first'))
    await sleep(60)
    const broken = assert.rejects(carryOut(planOf('first')), /terminat/)
    const ended = new Set<number>()
    while (ended.size < 3) {
      const pid = await asleep()
      if (!ended.has(pid)) await end(pid)
      ended.add(pid)
    }
    await broken
    assert.equal(await count(), 1)
  })

  test('scale writes: connections for plans that nobody uses are closed, but for one, which a full server would not give again', async () => {
    const { carryOut, asleep, pool, name } = await openLines(2, 2, { idleMs: 50 })
    const count = async () => {
      const asked =
        'select count(*)::int as count from pg_stat_activity where application_name = $1'
      return (await pool.query(asked, [name])).rows[0]?.count
    }
    const slow = carryOut([stepOf(SLEEP, 0.3)])
    await asleep()
    await carryOut([stepOf('select 1 as n')])
    assert.equal(await count(), 2)
    await slow
    await until(async () => (await count()) === 1)
    // Several times as long as one that is not used is kept.
    await delay(200)
    assert.equal((await carryOut([stepOf('select 1 as n')])).isDone, true)
  })

  test('scale writes: however many statements there are, those in use have names and a connection knows few', async () => {
    const { carryOut, made } = await openLines(1, undefined, { statements: { named: 5, told: 8 } })
    const names = 'select count(*)::int as n from pg_prepared_statements'
    const known: unknown[] = []
    for (let n = 0; n < 60; n++) {
      await carryOut([stepOf(`select ${Math.floor(n / 3)} as n`)])
      const carried = await carryOut([stepOf(names)])
      if (carried.isDone) known.push(carried.returned[0]?.[0]?.['n'])
    }
    assert.ok(
      known.every((count) => Number(count) <= 11),
      String(known),
    )
    assert.ok(Number(known.at(-1)) > 0)
    assert.ok(made.size > 1, 'it was replaced')
  })
})
