import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { type BusMessage, createLocalBus } from '#bus'
import { attachDatabase, type Database } from '#db'
import { createClock, createIds, random } from '#kernel'
import { eachDatabase, openTestDatabase, silentLog, type TestDatabase, until } from '#test-kit'
import { createOutbox, type NewEvent } from '../../src/kernel/events/outbox.ts'
import { createEventReader, type Event } from '../../src/kernel/events/reader.ts'
import { createSequencer } from '../../src/kernel/events/sequencer.ts'
import { createLeases } from '../../src/kernel/jobs/leases.ts'
import { createLookout } from '../../src/kernel/jobs/lookout.ts'

eachDatabase('an event', (kind) => {
  const opened = openTestDatabase(kind)

  test('exists with the transaction that wrote it, and not without', async () => {
    const { write, sequenceAll, eventsAfter, database, append, last } = await parts(await opened)
    const start = await last()
    const failed = database.main.transaction(undefined, async (tx) => {
      await append(tx, { type: 'a.failed', payload: {} })
      throw new Error('no')
    })
    await assert.rejects(failed, /no/)
    await database.main.transaction(undefined, async (tx) => {
      const undone = tx.savepoint(async () => {
        await append(tx, { type: 'a.undone', payload: {} })
        throw new Error('no')
      })
      await assert.rejects(undone, /no/)
      await append(tx, { type: 'a.kept', payload: {} })
    })
    await write({ type: 'a.written' })
    await sequenceAll()
    const found = await eventsAfter(start)
    assert.deepEqual(typesOf(found), ['a.kept', 'a.written'])
    assert.deepEqual(seqsOf(found), [start + 1, start + 2])
  })

  test('is not readable before it has its place, and then with all its members', async () => {
    const { write, sequenceAll, eventsAfter, reader, clock, last } = await parts(await opened)
    const start = await last()
    const payload = { text: 'é \u0000 \ud800 "', list: [1, { deep: null }] }
    const id = await write({ type: 'b', payload, owner: 'c-7', live: true, occurredAtMs: 5 })
    assert.deepEqual(await eventsAfter(start), [])
    assert.equal(await reader.findEvent(id), undefined)

    await sequenceAll()
    const [event] = await eventsAfter(start)
    assert.ok(event && Math.abs(event.createdAtMs - clock.now()) < 10_000)
    const { createdAtMs } = event
    assert.deepEqual(event, {
      ...{ id, seq: start + 1, type: 'b', payload, owner: 'c-7', exclusive: false, live: true },
      ...{ occurredAtMs: 5, createdAtMs },
    })
    assert.deepEqual(await reader.findEvent(id), event)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  })

  test('comes after the events its writer could see, whatever the clocks say', async () => {
    const { write, sequenceAll, eventsAfter, database, last } = await parts(await opened)
    const slow = createClock()
    slow.setOffset(-3_600_000)
    const behind = createOutbox({ ids: createIds({ clock: slow, random }), clock: slow })
    const start = await last()
    for (let i = 0; i < 5; i++) {
      await write({ type: 'c.created' })
      await database.main.transaction(undefined, (tx) =>
        behind.append(tx, { type: 'c.deleted', payload: {} }),
      )
    }
    await sequenceAll()
    const pair = ['c.created', 'c.deleted']
    assert.deepEqual(typesOf(await eventsAfter(start)), [
      ...pair,
      ...pair,
      ...pair,
      ...pair,
      ...pair,
    ])
  })

  test('is announced once per transaction, after its commit', async () => {
    const { database, append, notices } = await parts(await opened)
    await database.main.transaction(undefined, async (tx) => {
      for (let i = 0; i < 20; i++) await append(tx, { type: 'd', payload: {} })
      await new Promise((resolve) => setImmediate(resolve))
      assert.deepEqual(notices, [])
    })
    await until(() => notices.length > 0)
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(notices, [['events', null]])
  })

  test('is sequenced soon after its commit, and that is announced', async (t) => {
    const started = await opened
    const { write, bus, notices, sequencer, sequenceAll, last, database, clock } =
      await parts(started)
    await sequenceAll()
    const start = await last()
    const leases = createLeases({ db: database, owner: 'a', random, log: silentLog })
    const lookout = createLookout({ db: database, clock, log: silentLog, random })
    t.after(lookout.stop)
    const running = sequencer.start({ leases, lookout, log: silentLog, random })
    t.after(running.stop)
    const sequenced = new Promise<BusMessage>((resolve) => {
      bus.subscribe('events.sequenced', (message) => {
        if (typeof message === 'number' && message > start) resolve(message)
      })
    })
    await write({ type: 'e' })
    assert.equal(await sequenced, await last())
    await running.stop()
    assert.ok(notices.length >= 2)
  })

  test('is found by type, and a page says how far it has looked', async () => {
    const { database, append, sequenceAll, reader, last } = await parts(await opened)
    await sequenceAll()
    const start = await last()
    await database.main.transaction(undefined, async (tx) => {
      for (let i = 0; i < 10; i++) await append(tx, { type: `f.${i % 2}`, payload: { i } })
    })
    await sequenceAll()
    const page = await reader.readEvents({ after: start, limit: 3, types: ['f.1'] })
    assert.deepEqual(seqsOf(page.events), [start + 2, start + 4, start + 6])
    assert.deepEqual([page.through, page.last], [start + 6, start + 10])
    const rest = await reader.readEvents({ after: page.through, limit: 3, types: ['f.1'] })
    assert.deepEqual(seqsOf(rest.events), [start + 8, start + 10])
    assert.deepEqual([rest.through, rest.last], [start + 10, start + 10])
    const none = await reader.readEvents({ after: start, limit: 3, types: [] })
    assert.deepEqual([none.events, none.through], [[], start + 10])
    const ahead = await reader.readEvents({ after: start + 99, limit: 3 })
    assert.deepEqual([ahead.events, ahead.through], [[], start + 99])
  })

  test('that is old is purged oldest first, and its number is never given again', async () => {
    const { write, sequenceAll, eventsAfter, reader, clock, last } = await parts(await opened)
    for (let i = 0; i < 5; i++) await write({ type: 'g.old' })
    await sequenceAll()
    const start = await last()
    clock.setOffset(60_000)
    await write({ type: 'g.young' })
    await sequenceAll()

    await reader.purge(30_000)
    assert.equal(await reader.oldestSeq(), start + 1)
    assert.deepEqual(typesOf(await eventsAfter(0)), ['g.young'])
    clock.setOffset(120_000)
    assert.equal(await reader.purge(30_000), 1)
    assert.deepEqual([await reader.oldestSeq(), await last()], [start + 2, start + 1])
    await write({ type: 'g.next' })
    await sequenceAll()
    assert.deepEqual(seqsOf(await eventsAfter(0)), [start + 2])
    clock.setOffset(0)
  })

  test('that waits for its number is not purged, however old', async () => {
    const { write, sequenceAll, eventsAfter, reader, clock } = await parts(await opened)
    await sequenceAll()
    await write({ type: 'h.waiting' })
    clock.setOffset(3_600_000)
    await reader.purge(1_000)
    await sequenceAll()
    assert.deepEqual(typesOf(await eventsAfter(0)), ['h.waiting'])
    clock.setOffset(0)
  })

  test('one of 10,000 gets its number in short transactions', async (t) => {
    const { database, appendAll, sequencer, reader, last } = await parts(await opened)
    await sequencer.turn()
    const start = await last()
    for (let done = 0; done < 10_000; done += 500) {
      await database.main.transaction(undefined, async (tx) => {
        const events = Array.from({ length: 500 }, (_, i) => ({ type: 'i', payload: { i } }))
        await appendAll(tx, events)
      })
    }
    const turns: number[] = []
    for (let more = true; more; ) {
      const startedAtMs = performance.now()
      more = await sequencer.turn()
      turns.push(performance.now() - startedAtMs)
    }
    const totalMs = turns.reduce((sum, each) => sum + each, 0)
    turns.sort((a, b) => a - b)
    const [median, longest] = [turns[Math.floor(turns.length / 2)], turns.at(-1)]
    t.diagnostic(
      `10,000 events in ${ms(totalMs)}; a turn of 500: ${ms(median)}, longest ${ms(longest)}`,
    )
    assert.equal(await last(), start + 10_000)
    const { events } = await reader.readEvents({ after: start, limit: 20_000 })
    const order = events.map(({ payload }, i) => payload['i'] === i % 500)
    assert.deepEqual([order.length, order.includes(false)], [10_000, false])
  })

  test('one gets its number without a transaction that waits for answers', async () => {
    const { database, bus, write, sequenceAll, last } = await parts(await opened)
    await sequenceAll()
    const start = await last()
    await write({ type: 'i.planned' })
    const refused = () => Promise.reject(new Error('a transaction was opened'))
    const main = { ...database.main, transaction: refused }
    await createSequencer({ db: { ...database, main }, bus }).turn()
    assert.equal(await last(), start + 1)
  })

  test('keeps its number when four sequencers work at once', async (t) => {
    const started = await opened
    const { write, bus, eventsAfter, last, sequenceAll } = await parts(started)
    await sequenceAll()
    const start = await last()
    const connections = await connect(t, started, 4)
    let writing = true
    const sequencing = connections.map(async (db) => {
      const { turn } = createSequencer({ db, bus })
      while (writing) await turn()
    })
    const ids = await Promise.all(Array.from({ length: 100 }, () => write({ type: 'j' })))
    writing = false
    await Promise.all(sequencing)
    await sequenceAll()
    const events = await eventsAfter(start)
    assert.deepEqual(
      seqsOf(events),
      ids.map((_, i) => start + 1 + i),
    )
    assert.deepEqual(events.map((event) => event.id).sort(), ids.toSorted())
  })
})

test('an event that commits late gets a later number than those that were read before it', async () => {
  const { database, append, sequenceAll, eventsAfter } = await parts(
    await openTestDatabase('postgres'),
  )
  const order: string[] = []
  const [mayCommit, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const late = database.main.transaction(undefined, async (tx) => {
    await append(tx, { type: 'late', payload: {} })
    written.resolve()
    await mayCommit.promise
  })
  await written.promise
  await database.main.transaction(undefined, (tx) => append(tx, { type: 'early', payload: {} }))
  await sequenceAll()
  for (const event of await eventsAfter(0)) order.push(`${event.seq} ${event.type}`)
  mayCommit.resolve()
  await late
  await sequenceAll()
  for (const event of await eventsAfter(1)) order.push(`${event.seq} ${event.type}`)
  assert.deepEqual(order, ['1 early', '2 late'])
})

test('a reader that follows misses nothing while writers commit in any order', async (t) => {
  const started = await openTestDatabase('postgres')
  const { reader, sequencer } = await parts(started)
  const total = 400
  const seen: Event[] = []
  const written: string[] = []
  const following = (async () => {
    for (let after = 0; seen.length < total; ) {
      const page = await reader.readEvents({ after, limit: 7 })
      seen.push(...page.events)
      after = page.through
      await sequencer.turn()
    }
  })()
  const connections = await connect(t, started, 8)
  await Promise.all(
    connections.map(async (database) => {
      const outbox = createOutbox({
        ids: createIds({ clock: started.clock, random }),
        clock: started.clock,
      })
      for (let i = 0; i < total / connections.length; i++) {
        const id = await database.main.transaction(undefined, async (tx) => {
          const given = await outbox.append(tx, { type: 'k', payload: {} })
          // Held open for a random while, so commits overtake each other.
          await new Promise((resolve) => setTimeout(resolve, random.bytes(1).readUInt8() / 16))
          return given
        })
        written.push(id)
      }
    }),
  )
  await following
  assert.deepEqual(
    seqsOf(seen),
    Array.from({ length: total }, (_, i) => i + 1),
  )
  assert.deepEqual(seen.map((event) => event.id).sort(), written.sort())
})

async function parts({ database, clock }: TestDatabase) {
  const notices: [string, BusMessage][] = []
  const bus = createLocalBus({ log: silentLog })
  for (const topic of ['events', 'events.sequenced']) {
    bus.subscribe(topic, (message) => void notices.push([topic, message]))
  }
  after(bus.close)
  const outbox = createOutbox({ ids: createIds({ clock, random }), clock, bus })
  const sequencer = createSequencer({ db: database, bus })
  const reader = createEventReader({ db: database, clock })
  const write = (event: Partial<NewEvent> & { type: string }) =>
    database.main.transaction(undefined, (tx) => outbox.append(tx, { payload: {}, ...event }))
  const sequenceAll = async () => {
    while (await sequencer.turn());
  }
  const eventsAfter = async (after: number) =>
    (await reader.readEvents({ after, limit: 1_000 })).events
  const helpers = { write, sequenceAll, eventsAfter, last: reader.lastSeq }
  return { database, clock, bus, notices, sequencer, reader, ...outbox, ...helpers }
}

async function connect(t: TestContext, started: TestDatabase, count: number): Promise<Database[]> {
  const { clock } = started
  const connections = await Promise.all(
    Array.from({ length: count }, () =>
      attachDatabase(started.connect().address, { clock, log: silentLog }),
    ),
  )
  t.after(() => Promise.all(connections.map((each) => each.close())))
  return connections
}

function seqsOf(events: readonly Event[]): number[] {
  return events.map((event) => event.seq)
}

function typesOf(events: readonly Event[]): string[] {
  return events.map((event) => event.type)
}

function ms(value = 0): string {
  return `${value.toFixed(1)} ms`
}
