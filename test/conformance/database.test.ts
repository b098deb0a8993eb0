import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { carryOutIn, sqliteFiles, type Tx, type WriteStep } from '#db'
import { eachDatabase, emptyDatabase, openTestDatabase, type TestDatabase } from '#test-kit'

interface Tables {
  things: { id: number; name: string | null }
}

const PAUSE = new Int32Array(new SharedArrayBuffer(4))

eachDatabase('a database', (kind) => {
  const opened = openTestDatabase(kind).then(async (db) => {
    await db.database.main.writer.schema
      .createTable('things')
      .addColumn('id', db.database.dialect.types.bigint, (column) => column.primaryKey())
      .addColumn('name', db.database.dialect.types.text, (column) => column.unique())
      .execute()
    return db
  })

  test('what a committed transaction wrote is read by the next query', async () => {
    const { main } = (await opened).database
    await main.transaction(undefined, async (tx) => {
      await insert(tx, 1, 'one')
    })
    assert.deepEqual(await names(await opened, [1]), ['one'])
  })

  test('a failed transaction leaves nothing and runs nothing after it', async () => {
    const { main } = (await opened).database
    const ran: string[] = []
    await assert.rejects(
      main.transaction(undefined, async (tx) => {
        await insert(tx, 2, 'two')
        tx.afterCommit(() => void ran.push('after'))
        throw new Error('no')
      }),
      /no/,
    )
    assert.deepEqual(await names(await opened, [2]), [])
    assert.deepEqual(ran, [])
  })

  test('a joined transaction commits with the outer one', async () => {
    const { main } = (await opened).database
    const order: string[] = []
    await main.transaction(undefined, async (outer) => {
      await main.transaction(outer, async (inner) => {
        await insert(inner, 3, 'three')
        inner.afterCommit(() => void order.push('inner'))
      })
      order.push('still open')
    })
    assert.deepEqual(order, ['still open', 'inner'])
  })

  test('a refused item inside a batch is undone alone', async () => {
    const { main, dialect } = { ...(await opened).database }
    await main.transaction(undefined, async (tx) => {
      await insert(tx, 10, 'ten')
      const refused = tx.savepoint(() => insert(tx, 11, 'ten'))
      await assert.rejects(refused, (error) => dialect.isUniqueViolation(error))
      await insert(tx, 12, 'twelve')
    })
    assert.deepEqual(await names(await opened, [10, 11, 12]), ['ten', 'twelve'])
  })

  test('steps that are carried out together happen all or not at all', async () => {
    const { main, dialect } = (await opened).database
    const ran: string[] = []
    const writer: Kysely<Tables> = main.writer
    const add = (id: number, name: string): WriteStep => ({
      query: writer.insertInto('things').values({ id, name }),
      afterCommit: () => void ran.push(name),
    })
    const rename = (id: number, name: string): WriteStep => ({
      query: writer.updateTable('things').set({ name }).where('id', '=', id),
      mustChange: true,
    })
    assert.equal(await main.carryOut([add(20, 'twenty'), rename(20, 'a score')]), true)
    assert.equal(await main.carryOut([add(21, 'more'), rename(22, 'nobody')]), false)
    const refused = main.carryOut([add(23, 'third'), add(20, 'again')])
    await assert.rejects(refused, (error) => dialect.isUniqueViolation(error))
    assert.deepEqual(await names(await opened, [20, 21, 22, 23]), ['a score'])
    assert.deepEqual(ran, ['twenty'])
    // Inside a transaction they belong to it.
    await main.transaction(undefined, (tx) => carryOutIn(tx, [add(24, 'inner'), rename(24, 'in')]))
    assert.deepEqual(await names(await opened, [24]), ['in'])
    assert.deepEqual(ran, ['twenty', 'inner'])
  })

  test('a statement of several rows that fails leaves none of them, beside others that are carried out at once', async () => {
    const { main, dialect } = (await opened).database
    const writer: Kysely<Tables> = main.writer
    const add = (rows: Tables['things'][]) => [{ query: writer.insertInto('things').values(rows) }]
    await main.carryOut(add([{ id: 30, name: 'thirty' }]))
    const rename = {
      query: writer.updateTable('things').set({ name: 'same' }).where('id', '>=', 30),
    }
    const outcomes = await Promise.allSettled([
      main.carryOut(add([{ id: 31, name: 'before' }])),
      main.carryOut(
        add([
          { id: 32, name: 'first' },
          { id: 33, name: 'thirty' },
        ]),
      ),
      main.carryOut(add([{ id: 34, name: 'after' }])),
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    await assert.rejects(main.carryOut([rename]), (error) => dialect.isUniqueViolation(error))
    assert.deepEqual(await names(await opened, [30, 31, 32, 33, 34]), ['thirty', 'before', 'after'])
    await writer.deleteFrom('things').where('id', '>=', 30).execute()
  })

  test('fifty transactions at once that read and write lose no update', async () => {
    const { main, dialect } = (await opened).database
    await main.writer.insertInto('things').values({ id: 100, name: '0' }).execute()
    const once = () =>
      main.transaction(undefined, async (tx) => {
        const trx = tx.as<Tables>()
        const row = await trx
          .selectFrom('things')
          .select('name')
          .where('id', '=', 100)
          .$if(dialect.rowLocks, (query) => query.forUpdate())
          .executeTakeFirstOrThrow()
        const name = String(Number(row.name) + 1)
        await trx.updateTable('things').set({ name }).where('id', '=', 100).execute()
      })
    await Promise.all(Array.from({ length: 50 }, once))
    assert.deepEqual(await names(await opened, [100]), ['50'])
  })

  test('the database clock follows the test clock', async () => {
    const { database, clock } = await opened
    clock.setOffset(3_600_000)
    const { rows } = await sql<{
      now: number
    }>`select ${database.dialect.nowMs()} as now`.execute(database.main.reader)
    clock.setOffset(0)
    const ahead = (rows[0]?.now ?? 0) - Date.now()
    assert.ok(Math.abs(ahead - 3_600_000) < 5_000, `${ahead}`)
  })
})

test('steps that are carried out together wait for nothing of the thread that asked (sqlite)', async () => {
  const settings = await emptyDatabase('sqlite')
  const { main, dialect } = (await openTestDatabase('sqlite', settings)).database
  const { bigint } = dialect.types
  await main.writer.schema.createTable('things').addColumn('id', bigint).execute()
  const steps = [1, 2, 3].map((id) => ({ query: main.writer.insertInto('things').values({ id }) }))
  const done = main.carryOut(steps)
  // This thread reads no message until all is committed: others could write meanwhile.
  const other = new DatabaseSync(sqliteFiles(settings.dataDir).main, { readOnly: true })
  const count = other.prepare('select count(*) as n from things')
  const untilMs = performance.now() + 20_000
  while (count.get()?.['n'] !== 3 && performance.now() < untilMs) Atomics.wait(PAUSE, 0, 0, 5)
  assert.equal(count.get()?.['n'], 3)
  other.close()
  assert.equal(await done, true)
})

async function insert(tx: Tx, id: number, name: string) {
  await tx.as<Tables>().insertInto('things').values({ id, name }).execute()
}

async function names({ database }: TestDatabase, ids: number[]) {
  const rows = await database.main.reader
    .selectFrom('things')
    .select('name')
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  return rows.map((row) => row.name)
}
