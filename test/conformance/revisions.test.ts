import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import type { MessagePort } from 'node:worker_threads'
import pg from 'pg'
import type { Store } from '#db'
import type { Log } from '#kernel'
import {
  eachDatabase,
  openTestDatabase,
  promptly,
  silentLog,
  startRedis,
  type TestDatabase,
  until,
} from '#test-kit'
import { createLocalBus } from '../../src/kernel/bus/local.ts'
import type { Bus } from '../../src/kernel/bus/port.ts'
import { createRevisions, type Revisions } from '../../src/kernel/bus/revisions.ts'
import { openBus, type RemotePlace } from './bus-cluster.ts'

const NEVER_MS = 3_600_000
/** Half a second between two looks, and what a loaded machine needs. */
const SOON_MS = 3_000

eachDatabase('revisions', (kind) => {
  const opened = openTestDatabase(kind)

  test('changes at once get every number once', async (t) => {
    const { main } = (await opened).database
    const revisions = await inThread(t)
    const bumps = Array.from({ length: 50 }, () => bump(main, revisions, 'count'))
    const numbers = (await Promise.all(bumps)).sort((a, b) => a - b)
    assert.deepEqual(
      numbers,
      Array.from({ length: 50 }, (_, n) => n + 1),
    )
  })

  test('a rolled back change is neither counted nor told', async (t) => {
    const { main } = (await opened).database
    const revisions = await inThread(t)
    const seen = record(revisions, 'undone')
    const failed = main.transaction(undefined, async (tx) => {
      await revisions.bump(tx, 'undone')
      throw new Error('no')
    })
    await assert.rejects(failed, /no/)
    assert.equal(await bump(main, revisions, 'undone'), 1)
    assert.deepEqual(seen, [1])
  })

  test('a notice tells all threads of the process without waiting for the repair', async (t) => {
    const { main } = (await opened).database
    const bus = mainBus(t)
    const first = start(t, bus, { pollFrom: main, everyMs: NEVER_MS })
    const second = await inThread(t, { port: bus.connect() })
    const seen = [record(first, 'told'), record(second, 'told')]
    await bump(main, second, 'told')
    await until(() => seen.every((each) => each.length > 0))
    await bump(main, first, 'told')
    await until(() => seen.every((each) => each.length > 1))
    assert.deepEqual(seen, [
      [1, 2],
      [1, 2],
    ])
    assert.equal(second.current('told'), 2)
  })

  test('the repair finds what no notice told, for every thread', async (t) => {
    const { main } = (await opened).database
    const bus = mainBus(t)
    const first = start(t, bus, { pollFrom: main })
    const second = await inThread(t, { port: bus.connect() })
    const unheard = await inThread(t)
    const seen = [record(first, 'lost'), record(second, 'lost')]
    for (let n = 1; n <= 3; n++) {
      await bump(main, unheard, 'lost')
      await promptly(SOON_MS, () => seen.every((each) => each.at(-1) === n))
    }
    assert.deepEqual(seen, [
      [1, 2, 3],
      [1, 2, 3],
    ])
  })

  test('a thread that starts late learns what the others know', async (t) => {
    const { main } = (await opened).database
    const bus = mainBus(t)
    const first = start(t, bus, { pollFrom: main, everyMs: NEVER_MS })
    for (let n = 0; n < 45; n++) await bump(main, first, `late ${n}`)
    const late = await inThread(t, { port: bus.connect() })
    await until(() => late.current('late 0') === 1 && late.current('late 44') === 1)
  })

  test('a watcher is told what is newer than what it has read', async (t) => {
    const { main } = (await opened).database
    const revisions = await inThread(t)
    for (let n = 0; n < 3; n++) await bump(main, revisions, 'since')
    const behind = record(revisions, 'since', 2)
    const level = record(revisions, 'since', 3)
    assert.deepEqual([behind, level], [[3], []])
  })

  test('a failing handler is logged once and called again until it succeeds', async (t) => {
    const { main } = (await opened).database
    const lines: string[] = []
    const log = { ...silentLog, error: () => lines.push('error'), info: () => lines.push('info') }
    const revisions = await inThread(t, { log, everyMs: 20 })
    const tries: number[] = []
    revisions.watch('failing', async (revision) => {
      tries.push(revision)
      if (tries.length < 4) throw new Error('not yet')
    })
    await bump(main, revisions, 'failing')
    await until(() => lines.includes('info'))
    assert.deepEqual(tries, [1, 1, 1, 1])
    assert.deepEqual(lines, ['error', 'info'])
  })

  test('while a handler is busy newer revisions wait and only the newest is told', async (t) => {
    const { main } = (await opened).database
    const revisions = await inThread(t)
    const tries: number[] = []
    const gate = Promise.withResolvers<void>()
    revisions.watch('busy', async (revision) => {
      tries.push(revision)
      await gate.promise
    })
    for (let n = 0; n < 4; n++) await bump(main, revisions, 'busy')
    assert.deepEqual(tries, [1])
    gate.resolve()
    await until(() => tries.length > 1)
    assert.deepEqual(tries, [1, 4])
  })

  test('an ended watch is not told', async (t) => {
    const { main } = (await opened).database
    const revisions = await inThread(t)
    const seen: number[] = []
    const end = revisions.watch('ended', (revision) => void seen.push(revision))
    end()
    await bump(main, revisions, 'ended')
    assert.deepEqual(seen, [])
  })
})

describe('two nodes whose way breaks', { timeout: 60_000 }, () => {
  const opened = openTestDatabase('postgres')

  test('no change is missed while Redis is away', async (t) => {
    const redis = await startRedis()
    t.after(() => redis.stop())
    const place: RemotePlace = { kind: 'redis', url: redis.url, prefix: 'p:' }
    const [writer, reader] = await twoNodes(t, place)
    const { main } = (await opened).database
    const seen = record(reader.revisions, 'redis')
    await bump(main, writer.revisions, 'redis')
    await until(() => seen.at(-1) === 1)
    await redis.stop()
    for (let n = 2; n <= 4; n++) {
      await bump(main, writer.revisions, 'redis')
      await promptly(SOON_MS, () => seen.at(-1) === n)
    }
    await redis.restart()
    for (let n = 5; n <= 30; n++) await bump(main, writer.revisions, 'redis')
    await promptly(SOON_MS, () => seen.at(-1) === 30)
    increases(seen)
  })

  test('no change is missed while connections of PostgreSQL are ended', async (t) => {
    const { settings, database } = await opened
    const place: RemotePlace = { kind: 'postgres', url: settings.url ?? '' }
    const [writer, reader] = await twoNodes(t, place)
    const seen = record(reader.revisions, 'postgres')
    for (let n = 1; n <= 30; n++) {
      if (n % 5 === 0) await endConnections(settings.url ?? '', [writer.nodeId, reader.nodeId])
      await bump(database.main, writer.revisions, 'postgres')
    }
    await promptly(SOON_MS, () => seen.at(-1) === 30)
    increases(seen)
  })

  async function twoNodes(t: TestContext, remote: RemotePlace) {
    // The reader has its own connections, like a process of its own.
    const second = await openTestDatabase('postgres', (await opened).settings)
    return [await node(t, remote, await opened), await node(t, remote, second)] as const
  }
})

async function node(t: TestContext, remote: RemotePlace, { database }: TestDatabase) {
  const nodeId = randomUUID()
  const bus = await openBus({ nodeId, remote }, silentLog)
  t.after(() => bus.close())
  return { nodeId, revisions: start(t, bus, { pollFrom: database.main }) }
}

interface Options {
  readonly port?: MessagePort
  readonly pollFrom?: Store
  readonly everyMs?: number
  readonly log?: Log
}

/** Without a port it is the only thread of its process. */
async function inThread(t: TestContext, options: Options = {}): Promise<Revisions> {
  return start(t, mainBus(t, options), options)
}

function mainBus(t: TestContext, { port, log = silentLog }: Options = {}) {
  const bus = createLocalBus({ port, log })
  t.after(() => bus.close())
  return bus
}

function start(t: TestContext, bus: Bus, { pollFrom, everyMs, log = silentLog }: Options) {
  const interval = everyMs === undefined ? {} : { everyMs }
  const revisions = createRevisions({ bus, log, pollFrom, ...interval })
  t.after(() => revisions.close())
  return revisions
}

function record(revisions: Revisions, topic: string, since?: number): number[] {
  const seen: number[] = []
  revisions.watch(topic, (revision) => void seen.push(revision), since)
  return seen
}

function bump(store: Store, revisions: Revisions, topic: string): Promise<number> {
  return store.transaction(undefined, (tx) => revisions.bump(tx, topic))
}

function increases(seen: readonly number[]) {
  for (const [at, revision] of seen.entries()) {
    assert.ok(at === 0 || revision > (seen[at - 1] ?? 0), `${seen}`)
  }
}

async function endConnections(url: string, nodeIds: readonly string[]) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = any($1)',
    [nodeIds.map((id) => `entrepot bus ${id}`)],
  )
  await client.end()
}
