import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '#db'
import { random } from '#kernel'
import { createSecretBox } from '#secrets'
import { eachDatabase, openTestDatabase } from '#test-kit'
import { createIdempotency } from '../../src/kernel/http/idempotency/keys.ts'
import { startChild } from './children/run.ts'

const BEGIN = new URL('./children/begin.ts', import.meta.url)

const HOUR_MS = 3_600_000
const secrets = createSecretBox({ current: random.bytes(32), random })

eachDatabase('an idempotency key', (kind) => {
  const opened = openTestDatabase(kind)

  test('gives the first answer to all later requests', async () => {
    const { begin } = idempotency((await opened).database)
    await finish(begin(attempt('once')), 'the answer')
    const again = await begin(attempt('once'))
    assert.deepEqual(again, { state: 'replay', answer: 'the answer' })
  })

  test('is in progress until the first request ends, and free when that gave up', async () => {
    const { begin } = idempotency((await opened).database)
    const first = await begin(attempt('slow'))
    assert.deepEqual(await begin(attempt('slow')), { state: 'in_progress' })
    assert.ok(first.state === 'new')
    await first.abandon()
    await finish(begin(attempt('slow')), 'second')
    assert.deepEqual(await begin(attempt('slow')), { state: 'replay', answer: 'second' })
  })

  test('access 8a: gives every try of its request the same ids, until it was given up', async () => {
    const { begin } = idempotency((await opened).database)
    const first = await begin(attempt('tried'))
    assert.ok(first.state === 'new')
    assert.match(
      first.idOf(0),
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    assert.ok(first.idOf(0) < first.idOf(1))
    // Nobody knows whether it was done.
    await first.release()
    assert.deepEqual(await begin(attempt('tried', 'hash 2')), { state: 'mismatch' })
    const second = await begin(attempt('tried'))
    assert.ok(second.state === 'new')
    assert.deepEqual([second.idOf(0), second.idOf(1)], [first.idOf(0), first.idOf(1)])
    await second.abandon()
    const third = await begin(attempt('tried', 'hash 2'))
    assert.ok(third.state === 'new')
    assert.notEqual(third.idOf(0), first.idOf(0))
    await third.abandon()
  })

  test('refuses another request, before and after the first has ended', async () => {
    const { begin } = idempotency((await opened).database)
    const first = begin(attempt('other'))
    assert.equal((await first).state, 'new')
    assert.deepEqual(await begin(attempt('other', 'hash 2')), { state: 'mismatch' })
    await finish(first, 'x')
    assert.deepEqual(await begin(attempt('other', 'hash 2')), { state: 'mismatch' })
  })

  test('lets one of thirty requests at once do the work', async () => {
    const { database } = await opened
    const begun = await Promise.all(
      Array.from({ length: 30 }, () => idempotency(database).begin(attempt('many'))),
    )
    const states = begun.map(({ state }) => state).sort()
    assert.deepEqual(states, [...Array(29).fill('in_progress'), 'new'])
    for (const each of begun) if (each.state === 'new') await each.finish('x')
  })

  test('belongs to its scope, however long that is', async () => {
    const { begin } = idempotency((await opened).database)
    const long = `7 POST /${'x'.repeat(20_000)}`
    await finish(begin({ ...attempt('scoped'), scope: long }), 'x')
    await finish(begin({ ...attempt('scoped'), scope: `${long}y` }), 'y')
    const again = await begin({ ...attempt('scoped'), scope: long })
    assert.deepEqual(again, { state: 'replay', answer: 'x' })
  })

  test('keeps its answer sealed', async () => {
    const { database } = await opened
    await finish(idempotency(database).begin(attempt('sealed')), 'whsec_1234')
    const rows = await database.main.reader.selectFrom('kernel_idempotency').selectAll().execute()
    assert.doesNotMatch(JSON.stringify(rows), /whsec_1234/)
    assert.match(rows.find((row) => row.key === 'sealed')?.answer, /^v1\./)
  })

  test('is forgotten after a day, and purged', async () => {
    const { database, clock } = await opened
    const { begin, purge } = idempotency(database)
    await purge()
    await finish(begin(attempt('day')), 'x')
    clock.setOffset(24 * HOUR_MS - 10_000)
    assert.equal((await begin(attempt('day'))).state, 'replay')
    clock.setOffset(24 * HOUR_MS + 1_000)
    await finish(begin(attempt('day', 'hash 2')), 'y')
    clock.setOffset(48 * HOUR_MS + 10_000)
    assert.ok((await purge()) >= 1)
    assert.equal(await purge(), 0)
    const { rows } = await count(database)
    assert.equal(rows, 0)
    clock.setOffset(0)
  })

  test('whose holder came too late keeps the answer of its successor', async () => {
    const { database, clock } = await opened
    const { begin } = idempotency(database)
    const late = begin(attempt('late'))
    await late
    clock.setOffset(61_000)
    const successor = begin(attempt('late'))
    assert.equal((await successor).state, 'new')
    const tooLate = await late
    assert.ok(tooLate.state === 'new')
    assert.equal(await tooLate.finish('too late'), false)
    assert.deepEqual(await begin(attempt('late')), { state: 'in_progress' })
    await finish(successor, 'in time')
    assert.deepEqual(await begin(attempt('late')), { state: 'replay', answer: 'in time' })
    clock.setOffset(0)
  })
})

test('a killed process blocks its key for a minute', async () => {
  const { database, settings, clock } = await openTestDatabase('postgres')
  const child = startChild(BEGIN, { settings, attempt: attempt('killed') })
  assert.equal(await child.line(), 'new')
  await child.kill()
  const { begin } = idempotency(database)
  assert.deepEqual(await begin(attempt('killed')), { state: 'in_progress' })
  clock.setOffset(61_000)
  await finish(begin(attempt('killed')), 'x')
})

test('a killed process blocks no key on a database of one process', async () => {
  const before = await openTestDatabase('sqlite')
  await before.stop()
  const { settings } = before
  const child = startChild(BEGIN, { settings, attempt: attempt('killed') })
  assert.equal(await child.line(), 'new')
  await child.kill()
  const { database } = await openTestDatabase('sqlite', settings)
  await finish(idempotency(database).begin(attempt('killed')), 'x')
})

type Begun = ReturnType<ReturnType<typeof createIdempotency>['begin']>

function idempotency(db: Database) {
  return createIdempotency({ db, owner: 'a', random, secrets })
}

function attempt(key: string, requestHash = 'hash 1') {
  return { scope: '7 POST /things', key, requestHash }
}

async function finish(begun: Begun, answer: string) {
  const first = await begun
  assert.ok(first.state === 'new', first.state)
  await first.finish(answer)
}

async function count({ main }: Database) {
  return main.reader
    .selectFrom('kernel_idempotency')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow()
}
