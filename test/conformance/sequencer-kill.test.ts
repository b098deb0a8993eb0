import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '#db'
import { createClock, createIds, random } from '#kernel'
import { eachDatabase, openTestDatabase, until } from '#test-kit'
import { createOutbox } from '../../src/kernel/events/outbox.ts'
import { createEventReader, type Event } from '../../src/kernel/events/reader.ts'
import { createSequencer } from '../../src/kernel/events/sequencer.ts'
import { type Child, startChild } from './children/run.ts'

const SEQUENCE = new URL('./children/sequence.ts', import.meta.url)

const clock = createClock()
const bus = { publish: async () => {}, subscribe: () => () => {} }

eachDatabase('a process that is killed while it writes and sequences', (kind) => {
  test('loses no event, numbers none twice and leaves no gap', async () => {
    const { settings, stop } = await openTestDatabase(kind)
    await stop()
    const acknowledged: string[] = []
    for (let round = 0; round < 12; round++) {
      const child = startChild(SEQUENCE, { settings, owner: `r${round}`, writers: 3 })
      await until(() => child.lines.length > 10)
      await delay(random.bytes(1).readUInt8())
      await child.kill()
      acknowledged.push(...child.lines.slice(1))
    }
    const { database } = await openTestDatabase(kind, settings)
    await sequenceAll(database)
    const events = await allEvents(database)
    assertGapless(events)
    const ids = new Set(events.map((event) => event.id))
    assert.equal(ids.size, events.length)
    // A line that the kill cut in two names no event.
    const whole = acknowledged.filter((id) => id.length === 36)
    assert.ok(whole.length > 100, `${whole.length}`)
    assert.deepEqual(
      whole.filter((id) => !ids.has(id)),
      [],
    )
  })
})

test('two sequencing processes, one of them killed again and again, give each event one number', async () => {
  const { database, settings, stop } = await openTestDatabase('postgres')
  const steady = startChild(SEQUENCE, { settings, owner: 'steady', writers: 2 })
  await steady.line()
  for (let round = 0; round < 8; round++) {
    const child = startChild(SEQUENCE, { settings, owner: `r${round}`, writers: 1 })
    await child.line()
    await delay(random.bytes(1).readUInt8())
    await child.kill()
  }
  await steady.kill()
  await sequenceAll(database)
  const events = await allEvents(database)
  assertGapless(events)
  assert.equal(new Set(events.map((event) => event.id)).size, events.length)
  await stop()
})

test('when the leased sequencer is killed, another process goes on', async () => {
  const { database, settings, stop } = await openTestDatabase('postgres')
  const leaseMs = 500
  const [first, second] = ['a', 'b'].map((owner) =>
    startChild(SEQUENCE, { settings, owner, leaseMs, writers: 0 }),
  )
  await Promise.all([first?.line(), second?.line()])
  const before = await write(database, 20)
  await sequenced(database, 20)
  const leader: Child | undefined = (await holder(database)).startsWith('a/') ? first : second
  await leader?.kill()
  const after = await write(database, 20)
  await sequenced(database, 40)
  const events = await allEvents(database)
  assertGapless(events)
  assert.deepEqual(
    events.map((event) => event.id),
    [...before, ...after],
  )
  await stop()
})

async function write({ main }: Database, count: number): Promise<string[]> {
  const outbox = createOutbox({ ids: createIds({ clock, random }), clock })
  const events = Array.from({ length: count }, (_, n) => ({ type: 'test', payload: { n } }))
  return main.transaction(undefined, (tx) => outbox.appendAll(tx, events))
}

async function sequenced(db: Database, count: number) {
  const { lastSeq } = createEventReader({ db, clock })
  await until(async () => (await lastSeq()) >= count, { what: `event ${count}` })
}

async function holder({ main }: Database): Promise<string> {
  const row = await main.reader.selectFrom('kernel_leases').selectAll().executeTakeFirstOrThrow()
  return row.lease_owner
}

async function sequenceAll(db: Database) {
  const { turn } = createSequencer({ db, bus })
  while (await turn());
}

async function allEvents(db: Database): Promise<readonly Event[]> {
  const { readEvents } = createEventReader({ db, clock })
  const page = await readEvents({ after: 0, limit: 1_000_000 })
  assert.equal(page.through, page.last)
  return page.events
}

function assertGapless(events: readonly Event[]) {
  assert.ok(events.length > 0)
  const wrong = events.filter((event, i) => event.seq !== i + 1)
  assert.deepEqual(wrong, [])
}
