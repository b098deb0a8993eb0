import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { type AnyTables, type Database, startDatabase } from '#db'
import { createClock } from '#kernel'
import {
  eachDatabase,
  emptyDatabase,
  openTestDatabase,
  silentLog,
  type TestDatabase,
  temporaryDirectory,
  until,
} from '#test-kit'

const ROWS = 20_000

async function withRows(kind: 'sqlite' | 'postgres', timeouts = {}): Promise<TestDatabase> {
  const opened = await openTestDatabase(kind, { ...(await emptyDatabase(kind)), ...timeouts })
  const { main, dialect } = opened.database
  await main.writer.schema
    .createTable('rows')
    .addColumn('id', dialect.types.bigint, (column) => column.primaryKey())
    .addColumn('name', dialect.types.text)
    .execute()
  for (let at = 0; at < ROWS; at += 1_000) {
    const values = Array.from({ length: 1_000 }, (_, i) => ({ id: at + i, name: `name ${at + i}` }))
    await main.writer.insertInto('rows').values(values).execute()
  }
  return opened
}

/** Compares every row with every other: far longer than any test may take. */
function endlessScan({ dialect }: Database, db: Kysely<AnyTables>) {
  return db
    .selectFrom('rows as a')
    .crossJoin('rows as b')
    .crossJoin('rows as c')
    .select((query) => query.fn.countAll<number>().as('n'))
    .where(dialect.withinDeadline('c.id'))
    .where(sql<boolean>`a.name || b.name || c.name = 'never'`)
    .execute()
}

function indexedRead(db: Kysely<AnyTables>, id: number) {
  return db.selectFrom('rows').select('name').where('id', '=', id).executeTakeFirst()
}

/** As exports do it: page by page. */
async function exportRows(db: Kysely<AnyTables>): Promise<number> {
  let count = 0
  for (let after = -1; ; ) {
    const page = db.selectFrom('rows').selectAll().where('id', '>', after).orderBy('id').limit(200)
    const rows = await page.execute()
    count += rows.length
    if (rows.length === 0) return count
    after = Number(rows.at(-1)?.['id'])
  }
}

eachDatabase('storage under load', (kind) => {
  test('an indexed read and a write are answered before a scan, an export and a writer end', async () => {
    const { database } = await withRows(kind, { scanTimeoutMs: 8_000 })
    const { main } = database
    const ended: string[] = []
    let stopped = false

    const scan = endlessScan(database, main.scanner)
      .then(() => ended.push('scan, by itself'))
      .catch(() => ended.push('scan'))
    const exporting = (async () => {
      do assert.ok((await exportRows(main.reader)) >= ROWS)
      while (!stopped)
      ended.push('export')
    })()
    const writing = (async () => {
      for (let id = ROWS; !stopped; id++) {
        await main.transaction(undefined, async (tx) => {
          await tx.as<AnyTables>().insertInto('rows').values({ id, name: 'new' }).execute()
        })
      }
      ended.push('writer')
    })()

    for (let n = 0; n < 25; n++) {
      const row = await indexedRead(main.reader, n)
      assert.equal(row?.name, `name ${n}`)
    }
    await main.writer.updateTable('rows').set({ name: 'changed' }).where('id', '=', 1).execute()
    assert.equal(ended.join(), '')
    stopped = true
    await Promise.all([scan, exporting, writing])
    assert.ok(ended.includes('scan'), 'the scan was ended by its deadline')
  })

  test('scans that come while exports run take their turn without any other query', async () => {
    const { main } = (await withRows(kind)).database
    const exports = Array.from({ length: 3 }, () => exportRows(main.reader))
    const scans = Array.from({ length: 5 }, () =>
      main.scanner.selectFrom('rows').select('id').where('name', 'like', '%99').execute(),
    )
    const found = await Promise.all(scans)
    assert.deepEqual(
      found.map((rows) => rows.length),
      Array(5).fill(ROWS / 100),
    )
    await Promise.all(exports)
  })

  test('a query past its deadline fails alone and reads go on', async () => {
    const { database } = await withRows(kind, { readTimeoutMs: 300, scanTimeoutMs: 300 })
    const { main } = database
    // Without `withinDeadline` the database cannot be asked to stop: the thread is replaced.
    const uninterruptible = main.reader
      .selectFrom('rows as a')
      .innerJoin('rows as b', (join) => join.onTrue())
      .select((query) => query.fn.countAll<number>().as('n'))
      .where(sql<boolean>`a.name || b.name = 'never'`)
      .where('a.id', '<', 1_000)
      .execute()
    /** Operation finding 7: whoever asked may ask again, which is 503 and not 500. */
    const isLate = (error: Error) =>
      /too long|statement timeout/.test(error.message) && database.dialect.isUnavailable(error)
    const refused = assert.rejects(uninterruptible, isLate)
    assert.equal((await indexedRead(main.reader, 7))?.name, 'name 7')
    await refused
    await assert.rejects(endlessScan(database, main.scanner), isLate)
    const reads = await Promise.all(
      Array.from({ length: 50 }, (_, id) => indexedRead(main.reader, id)),
    )
    assert.equal(reads.length, 50)
  })
})

test('what is ready does not wait for a try that was asked in the same turn and takes long', async () => {
  const { main } = (await withRows('sqlite')).database
  const quick = { steps: [{ sql: 'select name from rows where id = ?', fed: [] }] }
  const long = `with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 1000000)
    select count(*) from counted`
  const slow = { steps: [{ sql: long, fed: [] }] }
  const askQuick = () =>
    Promise.all(Array.from({ length: 7 }, (_, id) => main.ask(quick, [[id]], 'read')))
  await askQuick()
  let isSlowDone = false

  const ready = askQuick()
  const tried = main.ask(slow, [[]], 'try').then((answer) => {
    isSlowDone = true
    return answer
  })
  const answers = await ready
  // Of one message all would be answered by now.
  await setImmediate()

  assert.deepEqual(answers[6]?.rows, [[['name 6']]])
  assert.equal(isSlowDone, false)
  assert.deepEqual((await tried).rows, [[[1_000_000]]])
})

test('finding 16: a scan ends by its own limit, once, while other threads read and want to scan', async () => {
  const opened = await withRows('sqlite', { readTimeoutMs: 200, scanTimeoutMs: 1_500 })
  const { database } = opened
  const { attachDatabase } = await import('#db')
  const other = await attachDatabase(opened.connect().address, {
    clock: opened.clock,
    log: silentLog,
  })
  const isLate = (error: Error) => database.dialect.isUnavailable(error)
  const startedMs = performance.now()
  let ended = false
  const scan = assert.rejects(endlessScan(database, database.main.scanner), isLate).finally(() => {
    ended = true
  })
  const waiting = other.main.scanner.selectFrom('rows').select('id').where('id', '=', 5).execute()
  // In the way of the scan, if they were sent to the reader that scans.
  for (let n = 0; !ended; n++) {
    const names = await Promise.all(
      Array.from({ length: 20 }, (_, at) => indexedRead(other.main.reader, (n + at) % ROWS)),
    )
    assert.ok(names.every((row) => row?.name?.startsWith('name')))
  }
  await scan
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs >= 1_400, `the scan was cut after ${tookMs} ms`)
  assert.deepEqual(await waiting, [{ id: 5 }])
  await other.close()
})

test('finding 16: the slot of a thread that ends while it scans is free for others', async () => {
  const opened = await withRows('sqlite', { readTimeoutMs: 200, scanTimeoutMs: 1_000 })
  const { database } = opened
  const { attachDatabase } = await import('#db')
  const other = await attachDatabase(opened.connect().address, {
    clock: opened.clock,
    log: silentLog,
  })
  void endlessScan(database, other.main.scanner).catch(() => {})
  await indexedRead(other.main.reader, 1)
  await other.close()
  const found = await database.main.scanner
    .selectFrom('rows')
    .select('id')
    .where('id', '=', 7)
    .execute()
  assert.deepEqual(found, [{ id: 7 }])
})

test('the log names the file whose writers waited for a long transaction: those of the other did not', async (t) => {
  const told: object[] = []
  const sizes = { readers: 1, readTimeoutMs: 5_000, scanTimeoutMs: 30_000 }
  const { database, stop } = await startDatabase(
    { ...(await emptyDatabase('sqlite')), ...sizes },
    {
      clock: createClock(),
      log: { ...silentLog, info: (facts: object) => void told.push(facts) },
      onThreadFailure: assert.fail,
    },
  )
  t.after(stop)
  await database.aux.transaction(undefined, async () => {
    const sinceMs = performance.now()
    while (performance.now() - sinceMs < 120) await sql`select 1`.execute(database.main.writer)
  })
  await until(() => told.length > 0)
  assert.partialDeepStrictEqual(told, [{ type: 'long_transaction', file: 'aux' }])
})

test('a second server on the same data directory is refused with one clear line', async () => {
  const settings = { ...(await emptyDatabase('sqlite')), dataDir: temporaryDirectory() }
  const first = await openTestDatabase('sqlite', settings)
  await assert.rejects(openTestDatabase('sqlite', settings), /Another Entrepot \(process \d+\) is/)
  await first.stop()
  await (await openTestDatabase('sqlite', settings)).stop()
})
