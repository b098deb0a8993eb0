import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Store } from '#db'
import { eachDatabase, emptyDatabase, openTestDatabase, temporaryDirectory, until } from '#test-kit'
import { startCutProxy } from './journal/cut-proxy.ts'
import {
  type Boot,
  boot,
  createSink,
  type Faults,
  handled,
  positionsLeft,
  segmentFiles,
} from './journal/sink.ts'

const RECORDS = 1_203

eachDatabase('the journal', (kind) => {
  const opened = openTestDatabase(kind).then(async (db) => {
    await createSink(db.database)
    return db
  })

  test('every record of every thread is handled once, and an orderly stop leaves no file', async () => {
    const db = await opened
    const directory = temporaryDirectory()
    const process = boot(db, directory, { limits: { maxSegmentBytes: 4_000 } })
    process.drain.start()
    const writers = ['a', 'b', 'c'].map((name) => process.writer(name))
    const names: string[] = []
    for (let i = 0; i < RECORDS; i++) {
      const name = `all-${String(i).padStart(5, '0')}`
      names.push(name)
      assert.equal(writers[i % 3]?.append({ name }), true)
      if (i % 100 === 0) await process.drain.drainAll()
    }
    for (const writer of writers) writer.close()
    await process.drain.stop()
    process.journal.close()
    assert.deepEqual(await handled(db.database, 'all-'), names)
    assert.deepEqual(segmentFiles(directory), [])
    assert.deepEqual(await positionsLeft(db.database, process.journal), [])
    assert.deepEqual(process.warnings, [])
  })

  test('what a dead process left is drained by the next start, and counted only once', async () => {
    const db = await opened
    const directory = temporaryDirectory()
    const first = boot(db, directory)
    const writer = first.writer()
    append(writer, 'left-', 0, 700)
    await first.drain.drainAll()
    append(writer, 'left-', 700, 900)
    first.die()
    const second = boot(db, directory)
    await second.drain.drainAll()
    assert.equal((await handled(db.database, 'left-')).length, 900)
    assert.equal(new Set(await handled(db.database, 'left-')).size, 900)
    assert.deepEqual(segmentFiles(directory), [])
    assert.deepEqual(await positionsLeft(db.database, first.journal), [])
    second.die()
  })

  test('a journal whose directory was moved away ends in order, and what it held is drained where it is found', async () => {
    const db = await opened
    const directory = join(temporaryDirectory(), 'journal')
    const first = boot(db, directory)
    const writer = first.writer()
    append(writer, 'moved-', 0, 100)
    const elsewhere = join(temporaryDirectory(), 'moved')
    renameSync(directory, elsewhere)
    writer.close()
    await first.drain.stop()
    first.journal.close()
    assert.equal(first.warnings.length, 1, 'that it could not be drained')
    const second = boot(db, elsewhere)
    await second.drain.drainAll()
    assert.equal((await handled(db.database, 'moved-')).length, 100)
    assert.deepEqual(segmentFiles(elsewhere), [])
    second.die()
  })

  test('a segment cut at any byte loses only the record that was cut', async () => {
    const db = await opened
    const directory = temporaryDirectory()
    const whole = segmentOf(db, ['cut-1', 'cut-2', 'cut-3'])
    const lengths = [...Array(whole.length + 1).keys()]
    for (const length of lengths) {
      writeFileSync(join(directory, `cut${length}-x.1-1.journal`), whole.subarray(0, length))
    }
    const process = boot(db, directory)
    await process.drain.drainAll()
    const frame = whole.length / 3
    const expected = (n: number) => lengths.filter((length) => length >= n * frame).length
    const found = Map.groupBy(await handled(db.database, 'cut-'), (name) => name)
    for (const n of [1, 2, 3]) assert.equal(found.get(`cut-${n}`)?.length, expected(n))
    // Every cut inside a record is told, no clean end is.
    assert.equal(process.warnings.length, lengths.length - 4)
    assert.deepEqual(segmentFiles(directory), [])
    process.die()
  })

  test('records behind a damaged one survive', async () => {
    const db = await opened
    const directory = temporaryDirectory()
    const whole = segmentOf(db, ['bad-1', 'bad-2', 'bad-3'])
    const frame = whole.length / 3
    for (let at = frame; at < 2 * frame; at++) {
      const damaged = Buffer.from(whole)
      damaged[at] = (damaged[at] ?? 0) ^ 0x41
      writeFileSync(join(directory, `bad${at}-x.1-1.journal`), damaged)
    }
    const zeroed = Buffer.concat([whole.subarray(0, frame), Buffer.alloc(300_000), whole])
    writeFileSync(join(directory, 'badzero-x.1-1.journal'), zeroed)
    const process = boot(db, directory)
    await process.drain.drainAll()
    const found = Map.groupBy(await handled(db.database, 'bad-'), (name) => name)
    assert.equal(found.get('bad-1')?.length, frame + 2)
    assert.equal(found.get('bad-2')?.length, 1)
    assert.equal(found.get('bad-3')?.length, frame + 1)
    assert.ok(process.warnings.length >= frame + 1)
    process.die()
  })

  test('a record that is being written is waited for, not skipped', async () => {
    const db = await opened
    const directory = temporaryDirectory()
    const late = segmentOf(db, ['live-2'])
    const process = boot(db, directory)
    const writer = process.writer()
    writer.append({ name: 'live-1' })
    const path = join(directory, segmentFiles(directory)[0] ?? '')
    appendFileSync(path, late.subarray(0, 11))
    await process.drain.drainAll()
    assert.deepEqual(await handled(db.database, 'live-'), ['live-1'])
    appendFileSync(path, late.subarray(11))
    await process.drain.drainAll()
    assert.deepEqual(await handled(db.database, 'live-'), ['live-1', 'live-2'])
    assert.deepEqual(process.warnings, [])
    writer.close()
    await process.drain.stop()
    process.die()
  })

  test('a segment shorter than what is drained of it, as after power loss, is done', async () => {
    const db = await opened
    const directory = temporaryDirectory()
    const first = boot(db, directory)
    append(first.writer(), 'short-', 0, 3)
    await first.drain.drainAll()
    truncateSync(join(directory, segmentFiles(directory)[0] ?? ''), 10)
    first.die()
    const second = boot(db, directory)
    await second.drain.drainAll()
    assert.equal((await handled(db.database, 'short-')).length, 3)
    assert.deepEqual(segmentFiles(directory), [])
    second.die()
  })

  test('only a segment that its thread has left is removed while the process runs', async () => {
    const db = await opened
    const directory = temporaryDirectory()
    const process = boot(db, directory, { limits: { maxSegmentBytes: 100 } })
    const writer = process.writer()
    append(writer, 'rotate-', 0, 10)
    assert.ok(segmentFiles(directory).length > 2)
    await process.drain.drainAll()
    assert.equal(segmentFiles(directory).length, 1)
    append(writer, 'rotate-', 10, 11)
    writer.close()
    await process.drain.stop()
    assert.equal((await handled(db.database, 'rotate-')).length, 11)
    assert.deepEqual(segmentFiles(directory), [])
    process.die()
  })

  test('an old segment is left although it is small', async () => {
    const db = await opened
    const directory = temporaryDirectory()
    const process = boot(db, directory, { limits: { maxSegmentAgeMs: 60_000 } })
    const writer = process.writer()
    append(writer, 'old-', 0, 10)
    assert.equal(segmentFiles(directory).length, 1)
    db.clock.setOffset(61_000)
    let count = 10
    await until(() => {
      append(writer, 'old-', count, ++count)
      return segmentFiles(directory).length === 2
    })
    db.clock.setOffset(0)
    await process.drain.drainAll()
    assert.equal(segmentFiles(directory).length, 1)
    assert.equal((await handled(db.database, 'old-')).length, count)
    process.die()
  })

  test('a full journal refuses records until it is drained', async () => {
    const db = await opened
    const directory = temporaryDirectory()
    const limits = { maxTotalBytes: 2_000 }
    const first = boot(db, directory, { limits })
    const writers = [first.writer('a'), first.writer('b')]
    let count = 0
    let lastRoom = 0
    while (writers[count % 2]?.append({ name: `full-${count}` })) {
      count++
      if (writers[0]?.hasRoom()) lastRoom = count
    }
    assert.ok(count > 10)
    assert.ok(lastRoom < count, 'requests are turned away before answers are')
    await first.drain.drainAll()
    for (const writer of writers) {
      assert.equal(writer.hasRoom(), true)
      assert.equal(writer.append({ name: 'full-again' }), true)
    }
    assert.equal((await handled(db.database, 'full-')).length, count)
    first.die()
  })

  test('large records, of which few fit into one look, are all drained', async () => {
    const db = await opened
    const process = boot(db, temporaryDirectory())
    const writer = process.writer()
    const padding = 'x'.repeat(50_000)
    for (let i = 0; i < 40; i++) writer.append({ name: `large-${i}`, padding })
    process.drain.start()
    await until(async () => (await handled(db.database, 'large-')).length > 0)
    writer.close()
    await process.drain.stop()
    assert.equal((await handled(db.database, 'large-')).length, 40)
    assert.equal(process.journal.waitingBytes(), 0)
    process.die()
  })

  test('records of one turn wait for each other, and each is in the file when its answer may go', async () => {
    const db = await opened
    const directory = temporaryDirectory()
    const process = boot(db, directory)
    const writer = process.writer()
    // More than the buffer holds, so that it takes several writes.
    const padding = 'é'.repeat(5_000)
    const found: boolean[] = []
    for (let i = 0; i < 20; i++) {
      writer.appendSoon({ name: `soon-${i}.`, padding }, (isWritten) => {
        found.push(isWritten && contains(directory, `soon-${i}.`))
      })
    }
    assert.equal(writer.append({ name: 'soon-at-once' }), true)
    assert.equal(found.length, 0)
    assert.equal(contains(directory, 'soon-0.'), false)
    await until(() => found.length > 0)
    assert.deepEqual(found, Array(20).fill(true))
    writer.appendSoon({ name: 'soon-last' }, (isWritten) => found.push(isWritten))
    writer.close()
    assert.deepEqual(found, Array(21).fill(true))
    await process.drain.stop()
    assert.equal((await handled(db.database, 'soon-')).length, 22)
    process.die()
  })

  test('a journal that cannot be written refuses, and goes on when it can', async () => {
    const db = await opened
    const directory = temporaryDirectory()
    const process = boot(db, directory, { limits: { maxSegmentBytes: 100 } })
    const writer = process.writer()
    append(writer, 'unwritable-', 0, 3)
    await process.drain.drainAll()
    renameSync(directory, `${directory}-away`)
    assert.equal(writer.append({ name: 'unwritable-no' }), false)
    const told: boolean[] = []
    writer.appendSoon({ name: 'unwritable-soon' }, (isWritten) => told.push(isWritten))
    writer.appendSoon({ name: 'unwritable-soon' }, (isWritten) => told.push(isWritten))
    await until(() => told.length === 2)
    assert.deepEqual(told, [false, false])
    // contract item: nobody is let in whose answer would have to be cut off.
    assert.equal(writer.hasRoom(), false)
    renameSync(`${directory}-away`, directory)
    await until(() => writer.hasRoom())
    append(writer, 'unwritable-', 3, 5)
    await process.drain.drainAll()
    assert.equal((await handled(db.database, 'unwritable-')).length, 5)
    assert.equal(process.journal.waitingBytes(), 0)
    process.die()
  })

  test('bytes of earlier starts count against the limit until they are drained', async () => {
    const db = await opened
    const directory = temporaryDirectory()
    const first = boot(db, directory)
    append(first.writer(), 'early-', 0, 100)
    first.die()
    let isAway = true
    const faults: Faults = {
      beforeCommit() {
        if (isAway) throw new Error('not now')
      },
    }
    const second = boot(db, directory, { limits: { maxTotalBytes: 2_000 }, faults })
    const writer = second.writer()
    await assert.rejects(second.drain.drainAll(), /not now/)
    assert.equal(writer.hasRoom(), false)
    assert.equal(writer.append({ name: 'early-no' }), false)
    const told: boolean[] = []
    writer.appendSoon({ name: 'early-no' }, (isWritten) => told.push(isWritten))
    await until(() => told.length > 0)
    assert.deepEqual(told, [false])
    isAway = false
    await second.drain.drainAll()
    assert.equal(writer.append({ name: 'early-yes' }), true)
    second.die()
  })

  test('a living process keeps its segments; a dead one gives them up to one other', async () => {
    const db = await opened
    const directory = temporaryDirectory()
    const [first, second, third] = [1, 2, 3].map(() => boot(db, directory))
    assert.ok(first && second && third)
    append(first.writer(), 'own-', 0, 5)
    await Promise.all([second.drain.drainAll(), third.drain.drainAll()])
    assert.deepEqual(await handled(db.database, 'own-'), [])
    first.die()
    await Promise.all([second.drain.drainAll(), third.drain.drainAll()])
    assert.equal((await handled(db.database, 'own-')).length, 5)
    assert.deepEqual(segmentFiles(directory), [])
    second.die()
    third.die()
  })

  const kills: Record<string, Faults> = {
    'before the commit': {
      beforeCommit() {
        throw new Error('killed')
      },
    },
    'after the commit': {
      wrap: (store) => ({
        ...store,
        async transaction(tx, work) {
          await store.transaction(tx, work)
          throw new Error('killed')
        },
      }),
    },
    'between renaming a segment and forgetting its position': {
      wrap: withoutDelete,
    },
  }
  for (const [moment, faults] of Object.entries(kills)) {
    test(`killed ${moment}, each record is still handled once`, async () => {
      const db = await opened
      const directory = temporaryDirectory()
      const prefix = `killed ${moment} `
      const first = boot(db, directory, { limits: { maxSegmentBytes: 2_000 }, faults })
      append(first.writer(), prefix, 0, 600)
      await assert.rejects(first.drain.drainAll(), /killed/)
      first.die()
      await expectAllOnce(db, directory, prefix, 600)
    })

    test(`failed ${moment}, the same process goes on and handles each record once`, async () => {
      const db = await opened
      const directory = temporaryDirectory()
      const prefix = `failed ${moment} `
      const process = boot(db, directory, {
        limits: { maxSegmentBytes: 2_000 },
        faults: everySecondTime(faults),
      })
      const writer = process.writer()
      append(writer, prefix, 0, 600)
      await until(() =>
        process.drain.drainAll().then(
          () => true,
          () => false,
        ),
      )
      writer.close()
      await until(() => process.drain.stop().then(() => segmentFiles(directory).length === 0))
      assert.equal(new Set(await handled(db.database, prefix)).size, 600)
      assert.equal((await handled(db.database, prefix)).length, 600)
      assert.deepEqual(await positionsLeft(db.database, process.journal), [])
      process.die()
    })
  }

  test('killed between forgetting a position and removing the file, nothing is drained again', async () => {
    const db = await opened
    const directory = temporaryDirectory()
    const whole = segmentOf(db, ['gone-1', 'gone-2'])
    writeFileSync(join(directory, 'gone-x.1-1.done'), whole)
    const process = boot(db, directory)
    await process.drain.drainAll()
    assert.deepEqual(await handled(db.database, 'gone-'), [])
    assert.deepEqual(segmentFiles(directory), [])
    process.die()
  })

  test('a commit still under way when the next process starts is not repeated', async () => {
    const db = await opened
    const directory = temporaryDirectory()
    const entered = Promise.withResolvers<void>()
    const allowed = Promise.withResolvers<void>()
    const faults: Faults = {
      beforeCommit() {
        entered.resolve()
        return allowed.promise
      },
    }
    const first = boot(db, directory, { faults: { ...kills['after the commit'], ...faults } })
    append(first.writer(), 'doubt-', 0, 400)
    const inDoubt = first.drain.drainAll().catch(() => {})
    await entered.promise
    first.die()
    const second = boot(db, directory)
    const drained = second.drain.drainAll()
    setTimeout(() => allowed.resolve(), 100)
    await drained
    await inDoubt
    assert.equal((await handled(db.database, 'doubt-')).length, 400)
    second.die()
  })
})

test('while the database is away records wait, and afterwards each is handled once', async () => {
  const settings = await emptyDatabase('postgres')
  const url = new URL(settings.url ?? '')
  const proxy = await startCutProxy({ host: url.hostname, port: Number(url.port) })
  url.port = String(proxy.port)
  const db = await openTestDatabase('postgres', { ...settings, url: url.href })
  await createSink(db.database)
  const directory = temporaryDirectory()
  const process = boot(db, directory)
  process.drain.start()
  const writer = process.writer()
  let written = 0
  for (let round = 0; round < 2; round++) {
    append(writer, 'away-', written, written + 700)
    written += 700
    // While a batch is on its way, so that a commit can be cut off from its answer.
    await until(async () => (await handled(db.database, 'away-')).length > 0)
    proxy.cut()
    append(writer, 'away-', written, written + 700)
    written += 700
    await until(() => process.warnings.length > round)
    append(writer, 'away-', written, written + 100)
    written += 100
    proxy.mend()
  }
  await until(async () => (await handled(db.database, 'away-')).length >= written)
  writer.close()
  await process.drain.stop()
  const names = await handled(db.database, 'away-')
  assert.equal(names.length, written)
  assert.equal(new Set(names).size, written)
  assert.deepEqual(segmentFiles(directory), [])
  process.die()
})

type Db = Parameters<typeof boot>[0]

function append(writer: ReturnType<Boot['writer']>, prefix: string, from: number, to: number) {
  for (let i = from; i < to; i++) assert.equal(writer.append({ name: `${prefix}${i}` }), true)
}

function contains(directory: string, text: string): boolean {
  return segmentFiles(directory).some((file) => readFileSync(join(directory, file)).includes(text))
}

/** The bytes of a segment that holds these records. */
function segmentOf(db: Db, names: readonly string[]): Buffer {
  const directory = temporaryDirectory()
  const process = boot(db, directory)
  const writer = process.writer()
  for (const name of names) writer.append({ name })
  writer.close()
  const bytes = readFileSync(join(directory, segmentFiles(directory)[0] ?? ''))
  process.die()
  return bytes
}

async function expectAllOnce(db: Db, directory: string, prefix: string, count: number) {
  const next = boot(db, directory)
  await next.drain.drainAll()
  const names = await handled(db.database, prefix)
  assert.equal(names.length, count)
  assert.equal(new Set(names).size, count)
  assert.deepEqual(segmentFiles(directory), [])
  next.die()
}

function withoutDelete(store: Store): Store {
  return withDelete(store, () => {
    throw new Error('killed')
  })
}

/** Calls `before` each time the drain is about to forget positions. */
function withDelete(store: Store, before: () => void): Store {
  const writer = new Proxy(store.writer, {
    get(target, member) {
      if (member === 'deleteFrom') before()
      const value = Reflect.get(target, member)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { ...store, writer }
}

/** The faults happen only at every second transaction and every second forgetting of positions. */
function everySecondTime({ wrap, beforeCommit }: Faults): Faults {
  let commits = 0
  let deletes = 0
  return {
    ...(wrap && { wrap: sometimes }),
    ...(beforeCommit && {
      beforeCommit: () => (commits++ % 2 === 0 ? beforeCommit() : undefined),
    }),
  }

  function sometimes(store: Store): Store {
    const faulty = wrap?.(store) ?? store
    const { writer } = withDelete(store, () => {
      if (deletes++ % 2 === 0) faulty.writer.deleteFrom('kernel_journal_positions')
    })
    const transaction: Store['transaction'] = (tx, work) =>
      (commits++ % 2 === 0 ? faulty : store).transaction(tx, work)
    return { ...store, writer, transaction }
  }
}
