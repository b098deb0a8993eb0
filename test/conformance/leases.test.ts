import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { Database } from '#db'
import { random } from '#kernel'
import { assertPrompt, eachDatabase, openTestDatabase, silentLog, until } from '#test-kit'
import { createLeases, LeaseLostError } from '../../src/kernel/jobs/leases.ts'
import { createLedLoop } from '../../src/kernel/jobs/led-loop.ts'
import { startChild } from './children/run.ts'

const HOLD = new URL('./children/hold.ts', import.meta.url)

const LONG = { ttlMs: 60_000 }

eachDatabase('a lease', (kind) => {
  const opened = openTestDatabase(kind)

  test('what works under it keeps all others away, and its end lets them in', async () => {
    const { database } = await opened
    const { tryHold } = leases(database, 'a')
    const result = await tryHold('one', LONG, async () => {
      assert.deepEqual(await tryHold('one', LONG, async () => 'inner'), { held: false })
      assert.deepEqual(await tryHold('other', LONG, async () => 1), { held: true, result: 1 })
      return 'outer'
    })
    assert.deepEqual(result, { held: true, result: 'outer' })
    assert.equal((await tryHold('one', LONG, async () => {})).held, true)
  })

  test('work that fails releases it and fails with its own error', async () => {
    const { tryHold } = leases((await opened).database, 'a')
    const failing = tryHold('fails', LONG, async () => {
      throw new Error('mine')
    })
    await assert.rejects(failing, /mine/)
    assert.equal((await tryHold('fails', LONG, async () => {})).held, true)
  })

  test('of many that wait for it one works at a time, and each has its turn', async () => {
    const { database } = await opened
    let inside = 0
    let turns = 0
    const wait = (owner: string) =>
      leases(database, owner).hold('queue', { ttlMs: 300 }, async () => {
        assert.equal(++inside, 1)
        await new Promise((resolve) => setImmediate(resolve))
        inside--
        turns++
      })
    await Promise.all(Array.from({ length: 5 }, () => wait('a')))
    assert.equal(turns, 5)
  })

  test('the heartbeat keeps it far beyond its time', async () => {
    const { database } = await opened
    const { tryHold } = leases(database, 'a')
    // On a busy machine a thread may stand still for a third of a second.
    await tryHold('kept', { ttlMs: 1_000 }, async (signal) => {
      const start = await expiry(database, 'kept')
      await until(async () => (await expiry(database, 'kept')) > start + 2_000)
      assert.equal(signal.aborted, false)
      assert.deepEqual(await tryHold('kept', LONG, async () => {}), { held: false })
    })
  })

  test('the signal is aborted when it was stolen, and the thief keeps it', async () => {
    const { database } = await opened
    const { tryHold } = leases(database, 'a')
    await tryHold('stolen', { ttlMs: 150 }, async (signal) => {
      await database.main.writer
        .updateTable('kernel_leases')
        .set({ lease_owner: 'thief/1' })
        .where('name', '=', 'stolen')
        .execute()
      if (!signal.aborted) await once(signal, 'abort')
      assert.ok(signal.reason instanceof LeaseLostError)
    })
    assert.equal(await holderOf(database, 'stolen'), 'thief/1')
  })

  test('it is free when its time ran out by the clock of the database', async () => {
    const { database, clock } = await opened
    await put(database, 'expired', 'a/dead', clock.now() + 30_000)
    const { tryHold } = leases(database, 'a')
    assert.equal((await tryHold('expired', LONG, async () => {})).held, false)
    clock.setOffset(30_010)
    assert.equal((await tryHold('expired', LONG, async () => {})).held, true)
    clock.setOffset(0)
  })

  test('that of somebody who died before the clock was set back is held for its own time only', async () => {
    const { database, clock } = await opened
    const { tryHold } = leases(database, 'a')
    const held = async (name: string) => (await tryHold(name, LONG, async () => {})).held
    await put(database, 'ahead', 'a/1', clock.now() + LONG.ttlMs + 3_600_000)
    assert.equal(await held('ahead'), true)
    await put(database, 'now', 'a/1', clock.now() + LONG.ttlMs - 1_000)
    assert.equal(await held('now'), false)
  })

  test('that of another process is dead only where there can be no other', async () => {
    const { database, clock } = await opened
    await put(database, 'foreign', 'b/1', clock.now() + 30_000)
    const { held } = await leases(database, 'a').tryHold('foreign', LONG, async () => {})
    assert.equal(held, database.dialect.singleProcess)
  })

  test('stopping ends the waiting for it and tells the work', async () => {
    const { database } = await opened
    const { hold } = leases(database, 'a')
    const stop = new AbortController()
    const { signal } = stop
    const working = Promise.withResolvers<void>()
    const first = hold('stop', { ttlMs: 300, signal }, async (given) => {
      working.resolve()
      await once(given, 'abort')
      return 'ended'
    })
    await working.promise
    const second = hold('stop', { ttlMs: 300, signal }, async () => 'never')
    const refused = assert.rejects(second, { name: 'AbortError' })
    stop.abort()
    assert.equal(await first, 'ended')
    await refused
    assert.equal(await holderOf(database, 'stop'), undefined)
  })

  test('of several led loops one runs, and another follows when it stops', async () => {
    const { database } = await opened
    const turns: string[] = []
    const [first, second] = ['1', '2'].map((name) =>
      createLedLoop({
        name: 'led',
        everyMs: 5,
        ttlMs: 300,
        run: async () => turns.push(name),
        leases: leases(database, 'a'),
        log: silentLog,
        random,
      }),
    )
    const leader = await until(() => turns.length >= 5 && turns[0])
    assert.deepEqual([...new Set(turns)], [leader])
    await (leader === '1' ? first : second)?.stop()
    const count = turns.length
    await until(() => turns.length >= count + 5)
    assert.ok(!turns.slice(count).includes(leader))
    await Promise.all([first?.stop(), second?.stop()])
    assert.equal(await holderOf(database, 'led'), undefined)
  })
})

test('the lease of a killed process is taken over when its time ends, not before', async () => {
  const { database, settings } = await openTestDatabase('postgres')
  const ttlMs = 600
  const child = startChild(HOLD, { settings, owner: 'a', name: 'x', ttlMs })
  assert.equal(await child.line(), 'held')
  const { tryHold, hold } = leases(database, 'b')
  const start = await expiry(database, 'x')
  await until(async () => (await expiry(database, 'x')) > start + 2 * ttlMs)
  assert.equal((await tryHold('x', LONG, async () => {})).held, false)

  await child.kill()
  const killedAtMs = performance.now()
  const endedAfterMs = await hold('x', { ttlMs }, async () => performance.now() - killedAtMs)
  assertPrompt(endedAfterMs, 3 * ttlMs)
})

test('the lease of a killed process is taken at once on a database of one process', async () => {
  const before = await openTestDatabase('sqlite')
  await before.stop()
  const { settings } = before
  const child = startChild(HOLD, { settings, owner: 'a', name: 'x', ttlMs: 60_000 })
  assert.equal(await child.line(), 'held')
  await child.kill()

  const { database } = await openTestDatabase('sqlite', settings)
  assert.equal((await leases(database, 'b').tryHold('x', LONG, async () => {})).held, true)
})

function leases(db: Database, owner: string) {
  return createLeases({ db, owner, random, log: silentLog })
}

async function put({ main }: Database, name: string, owner: string, until: number) {
  const row = { name, lease_owner: owner, lease_until: until }
  await main.writer.insertInto('kernel_leases').values(row).execute()
}

async function find({ main }: Database, name: string) {
  return main.reader
    .selectFrom('kernel_leases')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirst()
}

async function expiry(database: Database, name: string): Promise<number> {
  return (await find(database, name))?.lease_until
}

async function holderOf(database: Database, name: string): Promise<string | undefined> {
  return (await find(database, name))?.lease_owner
}
