import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { Type } from 'typebox'
import { attachDatabase, type Database } from '#db'
import { DomainError, type Log } from '#kernel'
import {
  eachDatabase,
  openTestDatabase,
  promptly,
  silentLog,
  type TestDatabase,
  until,
} from '#test-kit'
import type { MainBus } from '../../src/kernel/bus/port.ts'
import { createRevisions } from '../../src/kernel/bus/revisions.ts'
import type { SettingsValues } from '../../src/kernel/settings/areas.ts'
import { createSettings } from '../../src/kernel/settings/settings.ts'
import { openBus, type RemotePlace } from './bus-cluster.ts'

const AREAS = {
  limits: {
    per_minute: { schema: Type.Integer({ minimum: 0 }), value: 10, origin: 'default' },
    schedule: { schema: Type.Array(Type.Integer({ minimum: 0 })), value: [5], origin: 'file' },
    note: { schema: Type.String(), value: '', origin: 'default' },
  },
  mail: {
    sender: { schema: Type.String(), value: 'a@b.test', origin: 'environment' },
    password: {
      schema: Type.Union([Type.String(), Type.Null()]),
      value: null,
      origin: 'default',
      secret: true,
    },
  },
} as const
export type TestValues = SettingsValues<typeof AREAS>

/** A second, and time for a machine that runs other tests beside. */
const SOON_MS = 3_000

/** Reversible and unlike its input is all that matters here. */
const BOX = {
  seal: (text: string) => `sealed ${Buffer.from(text).toString('hex')}`,
  open: (sealed: string) => {
    if (!sealed.startsWith('sealed ')) throw new Error('not sealed')
    return Buffer.from(sealed.slice(7), 'hex').toString()
  },
}

eachDatabase('stored settings', (kind) => {
  const opened = openTestDatabase(kind)

  test('values of default, file and environment hold until one is stored, and again after', async (t) => {
    const { settings } = await startNode(t, (await opened).database)
    const described = {
      per_minute: { value: 10, origin: 'default' },
      schedule: { value: [5], origin: 'file' },
      note: { value: '', origin: 'default' },
    }
    assert.deepEqual(settings.describe('limits'), described)

    await settings.patch('limits', { per_minute: 2, schedule: [1, 2] })
    const limit: number = settings.get('limits').per_minute
    assert.equal(limit, 2)
    assert.deepEqual(settings.describe('limits'), {
      ...described,
      per_minute: { value: 2, origin: 'stored' },
      schedule: { value: [1, 2], origin: 'stored' },
    })

    await settings.patch('limits', { per_minute: null, schedule: null, note: null })
    assert.deepEqual(settings.describe('limits'), described)
  })

  test('a change with faults is refused with all of them and changes nothing', async (t) => {
    const { settings } = await startNode(t, (await opened).database)
    const before = settings.describe('limits')
    const change = { note: 'good', per_minute: 'two', schedule: [1, -1], wrong: 1, constructor: 1 }
    await assert.rejects(settings.patch('limits', change), (error) => {
      assert.ok(error instanceof DomainError)
      assert.equal(error.kind, 'invalid')
      assert.deepEqual(
        error.issues.map(({ path, rule }) => [path.join('.'), rule]),
        [
          ['per_minute', 'type'],
          ['schedule.1', 'minimum'],
          ['wrong', 'unknown'],
          ['constructor', 'unknown'],
        ],
      )
      return true
    })
    assert.deepEqual(settings.describe('limits'), before)
  })

  test('an unknown area is not found', async (t) => {
    const { settings } = await startNode(t, (await opened).database)
    const refused = { kind: 'not_found', code: 'settings_area_not_found' }
    assert.throws(() => settings.describe('toString'), refused)
    await assert.rejects(settings.patch('weather', {}), refused)
  })

  test('a secret is sealed in the database and masked when shown', async (t) => {
    const { database } = await opened
    const { settings } = await startNode(t, database)
    assert.deepEqual(settings.describe('mail')['password'], { value: null, origin: 'default' })
    await settings.patch('mail', { password: 'hush' })

    assert.equal(settings.get('mail').password, 'hush')
    assert.deepEqual(settings.describe('mail')['password'], { value: '***', origin: 'stored' })
    const rows = await database.main.reader.selectFrom('kernel_settings').selectAll().execute()
    assert.doesNotMatch(JSON.stringify(rows), /hush/)

    // A form that sends back what it was shown must not destroy the secret.
    await settings.patch('mail', { password: '***' })
    assert.equal(settings.get('mail').password, 'hush')
    await settings.patch('mail', { password: null })
  })

  test('a stored value that cannot be used is passed over', async (t) => {
    const { database } = await opened
    const rows = [
      { area: 'limits', name: 'per_minute', value: '"text"', updated_at: 0 },
      { area: 'mail', name: 'password', value: '"never sealed"', updated_at: 0 },
      { area: 'limits', name: 'of_another_version', value: '1', updated_at: 0 },
      { area: 'another', name: 'version', value: '1', updated_at: 0 },
    ]
    await database.main.writer.insertInto('kernel_settings').values(rows).execute()
    const warnings: object[] = []
    const log = { ...silentLog, warn: (line: object) => void warnings.push(line) }
    const { settings } = await startNode(t, database, { log })

    assert.equal(settings.get('limits').per_minute, 10)
    assert.deepEqual(settings.describe('mail')['password'], { value: null, origin: 'default' })
    assert.deepEqual(warnings, [
      { area: 'limits', name: 'per_minute' },
      { area: 'mail', name: 'password' },
    ])
    await database.main.writer.deleteFrom('kernel_settings').execute()
  })

  test('another node uses a change within a second', async (t) => {
    const [one, two] = await twoNodes(t, await opened)
    for (const [from, to, value] of [
      [one, two, 21],
      [two, one, 22],
    ] as const) {
      await from.settings.patch('limits', { per_minute: value })
      assert.equal(from.settings.get('limits').per_minute, value)
      await promptly(SOON_MS, () => to.settings.get('limits').per_minute === value)
      assert.equal(to.settings.describe('limits')['per_minute']?.origin, 'stored')
    }
    await one.settings.patch('limits', { per_minute: null })
  })

  test('another node finds a change of which it was not told', async (t) => {
    const { database } = await opened
    const hearing = await startNode(t, database)
    const unheard = await startNode(t, database)
    await unheard.settings.patch('limits', { per_minute: 33 })
    await promptly(SOON_MS, () => hearing.settings.get('limits').per_minute === 33)
    await unheard.settings.patch('limits', { per_minute: null })
  })

  test('many changes at once leave all nodes with the same values', async (t) => {
    const [one, two] = await twoNodes(t, await opened)
    const changes = Array.from({ length: 20 }, (_, n) => [
      one.settings.patch('limits', { per_minute: 100 + n, note: `one ${n}` }),
      two.settings.patch('limits', { note: `two ${n}`, per_minute: 200 + n }),
    ])
    await Promise.all(changes.flat())
    await one.settings.patch('limits', { schedule: [7] })
    await until(() => two.settings.get('limits').schedule[0] === 7)
    await until(() => one.settings.get('limits').schedule[0] === 7)
    assert.deepEqual(one.settings.get('limits'), two.settings.get('limits'))
    await one.settings.patch('limits', { per_minute: null, note: null, schedule: null })
  })

  test('those who listen hear of a change in their area and of no other', async (t) => {
    const { database } = await opened
    const lines: string[] = []
    const log = { ...silentLog, error: () => void lines.push('error') }
    const { settings } = await startNode(t, database, { log })
    const heard: unknown[] = []
    settings.onChange('limits', () => {
      throw new Error('no')
    })
    settings.onChange('limits', ({ note }) => heard.push(note))
    const end = settings.onChange('mail', ({ sender }) => heard.push(sender))
    await settings.patch('limits', { note: 'first' })
    await settings.patch('limits', { note: 'first' })
    await settings.patch('mail', { sender: 'c@d.test' })
    end()
    await settings.patch('mail', { sender: null })
    assert.deepEqual(heard, ['first', 'c@d.test'])
    assert.deepEqual(lines, ['error'])
    await settings.patch('limits', { note: null })
  })

  test('a change inside a transaction counts when that has committed', async (t) => {
    const { database } = await opened
    const { settings } = await startNode(t, database)
    const undone = database.main.transaction(undefined, async (tx) => {
      await settings.patch('limits', { note: 'undone' }, tx)
      throw new Error('no')
    })
    await assert.rejects(undone, /no/)
    await database.main.transaction(undefined, async (tx) => {
      await settings.patch('limits', { note: 'done' }, tx)
      assert.equal(settings.get('limits').note, '')
    })
    assert.equal(settings.get('limits').note, 'done')
    await settings.patch('limits', { note: null })
  })

  test('a thread without a database follows, however large the values are', async (t) => {
    const { settings, bus } = await startNode(t, (await opened).database)
    const snapshot = settings.snapshot()
    // What changes between the snapshot and the start of the thread must not be missed.
    await settings.patch('limits', { per_minute: 44 })
    const port = bus.connect()
    const thread = new Worker(new URL('./settings-thread.ts', import.meta.url), {
      workerData: { port, snapshot },
      transferList: [port],
    })
    const seen: TestValues['limits'][] = []
    thread.on('message', (values) => seen.push(values))
    await until(() => seen.at(-1)?.per_minute === 44)
    const note = '\u{1f6a2}"€'.repeat(10_000)
    await settings.patch('limits', { note })
    await until(() => seen.at(-1)?.note === note)
    assert.equal(seen.at(-1)?.per_minute, 44)
    thread.postMessage('end')
    await once(thread, 'exit')
    await settings.patch('limits', { note: null, per_minute: null })
  })
})

interface Options {
  readonly log?: Log
  readonly remote?: RemotePlace
  /** For a thread that relies on the main thread of its process. */
  readonly main?: MainBus
}

async function startNode(t: TestContext, database: Database, options: Options = {}) {
  const { log = silentLog, remote, main } = options
  const port = main?.connect()
  const place = { nodeId: randomUUID(), ...(remote && { remote }), ...(port && { port }) }
  const bus = await openBus(place, silentLog)
  const pollFrom = main ? undefined : database.main
  const followers = main ? undefined : bus
  const revisions = createRevisions({ bus, log, pollFrom })
  const deps = { db: database, revisions, areas: AREAS, box: BOX, log, followers }
  const settings = await createSettings(deps)
  t.after(() => {
    settings.close()
    revisions.close()
    return bus.close()
  })
  return { settings, bus }
}

/** Two processes on PostgreSQL; SQLite allows one, there it is two threads with a database each. */
async function twoNodes(t: TestContext, { database, settings, clock, connect }: TestDatabase) {
  if (settings.url === undefined) {
    const second = await attachDatabase(connect().address, { clock, log: silentLog })
    t.after(() => second.close())
    const one = await startNode(t, database)
    return [one, await startNode(t, second, { main: one.bus })] as const
  }
  const remote: RemotePlace = { kind: 'postgres', url: settings.url }
  const second = await openTestDatabase('postgres', settings)
  const one = await startNode(t, database, { remote })
  return [one, await startNode(t, second.database, { remote })] as const
}
