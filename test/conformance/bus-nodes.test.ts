// What happens to the bus when the way between nodes breaks.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import pg from 'pg'
import type { Log } from '#kernel'
import {
  freePort,
  type RedisServer,
  silentLog,
  startRedis,
  testPostgres,
  testRedis,
  until,
} from '#test-kit'
import { createLocalBus } from '../../src/kernel/bus/local.ts'
import type { Bus, BusMessage } from '../../src/kernel/bus/port.ts'
import { openBus, type RemotePlace } from './bus-cluster.ts'

describe('a Redis that goes away', { timeout: 60_000 }, () => {
  test('publishers go on locally, and notices flow again when it is back', async (t) => {
    const { redis, place } = await ownRedis(t)
    const log = recordingLog()
    const near = await node(t, place, log)
    const far = await node(t, place)
    const heardNear = collect(near)
    const heardFar = collect(far)

    await redis.stop()
    await until(() => log.lines.length > 0, { what: 'the loss noticed' })
    for (let n = 0; n < 20; n++) await near.publish('x', n)
    assert.equal(heardNear.length, 20)
    assert.deepEqual(log.lines, ['warn'])

    await redis.restart()
    await flowsAgain(near, heardFar)
    await flowsAgain(far, heardNear)
    assert.deepEqual(log.lines, ['warn', 'info'])
  })

  test('a frozen one is noticed and does not hold publishers up', async (t) => {
    const { redis, place } = await ownRedis(t)
    const log = recordingLog()
    const near = await node(t, place, log)
    const far = await node(t, place)
    const heardFar = collect(far)

    process.kill(redis.pid, 'SIGSTOP')
    for (let n = 0; n < 10; n++) await near.publish('x', n)
    await until(() => log.lines.length > 0, { what: 'the loss noticed' })
    await Promise.all(Array.from({ length: 1_500 }, (_, n) => near.publish('x', n)))
    process.kill(redis.pid, 'SIGCONT')
    await flowsAgain(near, heardFar)
    assert.deepEqual(log.lines, ['warn', 'info'])
  })

  test('one that is away at the start is found later', async (t) => {
    const { redis, place } = await ownRedis(t)
    await redis.stop()
    const log = recordingLog()
    const near = await node(t, place, log)
    const far = await node(t, place)
    assert.deepEqual(log.lines, ['warn'])

    await redis.restart()
    await flowsAgain(near, collect(far))
  })
})

describe('PostgreSQL as the way between nodes', { timeout: 60_000 }, () => {
  test('notices flow again after its connections were ended', async (t) => {
    const place: RemotePlace = { kind: 'postgres', ...(await testPostgres()) }
    const log = recordingLog()
    const nodeId = randomUUID()
    const near = await node(t, place, log, nodeId)
    const far = await node(t, place)
    const heardFar = collect(far)
    const heardNear = collect(near)
    for (let round = 1; round <= 3; round++) {
      await endConnections(place.url, nodeId)
      await until(() => log.lines.length >= round * 2 - 1, { what: 'the loss noticed' })
      await near.publish('x', 'away or not, this does not fail')
      await flowsAgain(near, heardFar)
      await flowsAgain(far, heardNear)
      assert.deepEqual(log.lines, Array(round).fill(['warn', 'info']).flat())
    }
  })

  test('installations in other schemas of the database hear nothing', async (t) => {
    const one: RemotePlace = { kind: 'postgres', ...(await testPostgres()) }
    const near = await node(t, one)
    const twin = await node(t, one)
    const stranger = await node(t, { kind: 'postgres', ...(await testPostgres()) })
    const heard = collect(twin)
    const overheard = collect(stranger)
    for (let n = 0; n < 5; n++) await near.publish('x', n)
    await until(() => heard.length === 5)
    await stranger.publish('x', 'own')
    assert.deepEqual(overheard, ['own'])
  })

  test('an unreachable server neither fails the start nor the end', async (t) => {
    const url = `postgres://nobody@127.0.0.1:${await freePort()}/none`
    const log = recordingLog()
    const bus = await node(t, { kind: 'postgres', url }, log)
    const heard = collect(bus)
    await bus.publish('x', 1)
    await bus.close()
    assert.deepEqual(heard, [1])
    assert.deepEqual(log.lines, ['warn'])
  })
})

test('notices on process topics stay inside, all others pass', async (t) => {
  const place: RemotePlace = { kind: 'redis', ...testRedis() }
  const near = await node(t, place)
  const far = await node(t, place)
  const heard: string[] = []
  for (const topic of ['process:x', 'x']) far.subscribe(topic, () => void heard.push(topic))
  await near.publish('process:x', 1)
  await near.publish('x', 1)
  await until(() => heard.length > 0)
  assert.deepEqual(heard, ['x'])
})

test('a subscriber that fails is logged and keeps nobody from receiving', async () => {
  const log = recordingLog()
  const bus = createLocalBus({ log })
  bus.subscribe('x', () => {
    throw new Error('no')
  })
  bus.subscribe('x', async () => {
    throw new Error('no later')
  })
  const heard = collect(bus)
  await bus.publish('x', 1)
  assert.deepEqual(heard, [1])
  assert.deepEqual(log.lines, ['error', 'error'])
  await bus.close()
})

test('a closed bus is silent and refuses nothing', async () => {
  const open = createLocalBus({ log: silentLog })
  const closed = createLocalBus({ port: open.connect(), log: silentLog })
  const heardClosed = collect(closed)
  const heardOpen = collect(open)
  await closed.close()
  await closed.publish('x', 'from the closed')
  await open.publish('x', 'last')
  assert.deepEqual(heardClosed, [])
  assert.deepEqual(heardOpen, ['last'])
  await open.close()
})

test('what a thread told before it closed its bus arrives, and that of a closed main thread takes nobody in', async () => {
  const main = createLocalBus({ log: silentLog })
  const thread = createLocalBus({ port: main.connect(), log: silentLog })
  const heard = collect(main)
  await thread.publish('x', 'before it closed')
  await thread.close()
  await until(() => heard.length > 0)
  assert.deepEqual(heard, ['before it closed'])

  await main.close()
  const late = createLocalBus({ port: main.connect(), log: silentLog })
  const heardLate = collect(late)
  await late.publish('x', 'alone')
  assert.deepEqual(heardLate, ['alone'])
  await late.close()
})

async function ownRedis(t: TestContext): Promise<{ redis: RedisServer; place: RemotePlace }> {
  const redis = await startRedis()
  t.after(() => redis.stop())
  return { redis, place: { kind: 'redis', url: redis.url, prefix: 'p:' } }
}

async function node(t: TestContext, remote: RemotePlace, log: Log = silentLog, id?: string) {
  const bus = await openBus({ nodeId: id ?? randomUUID(), remote }, log)
  t.after(() => bus.close())
  return bus
}

function collect(bus: Bus): BusMessage[] {
  const heard: BusMessage[] = []
  bus.subscribe('x', (message) => heard.push(message))
  return heard
}

async function flowsAgain(from: Bus, heard: BusMessage[]) {
  const token = randomUUID()
  await until(
    async () => {
      await from.publish('x', token)
      return heard.includes(token)
    },
    { what: 'notices flowing again', withinMs: 20_000 },
  )
}

async function endConnections(url: string, nodeId: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rowCount } = await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
    [`entrepot bus ${nodeId}`],
  )
  await client.end()
  assert.equal(rowCount, 1)
}

function recordingLog(): Log & { lines: string[] } {
  const lines: string[] = []
  const record = (level: string) => () => void lines.push(level)
  return {
    lines,
    debug() {},
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
  }
}
