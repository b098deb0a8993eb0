import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import {
  ADMIN_KEY,
  createCalls,
  installation,
  runEntrepot,
  startServer,
  type TestServer,
  temporaryDirectory,
  testPostgres,
  until,
} from '#test-kit'
import { fillEveryPart } from './every-part.ts'
import { assertRecorded, fillInstallation, type Recorded, record } from './recorded.ts'
import { fillContent } from './support.ts'

const PROGRAM = fileURLToPath(new URL('../../../bin/entrepot.mjs', import.meta.url))

describe('an installation that goes from one database to another', () => {
  let env: Record<string, string> = {}
  let server: TestServer
  let recorded: readonly Recorded[] = []
  let filled = { key: '', fileUrl: '' }
  let used = 0
  let postgresUrl = ''
  const directory = temporaryDirectory()
  const file = join(directory, 'sqlite.entrepot')
  const fromPostgres = join(directory, 'postgres.entrepot')
  const copied = join(directory, 'copied')
  const calls = createCalls(() => `http://127.0.0.1:${env['ENTREPOT_PORT']}`)
  const { call, ok } = calls

  // What a test starts ends with it; bound here, it belongs to all of them.
  const [start, emptyPostgres, newInstallation] = [
    AsyncResource.bind(startServer),
    AsyncResource.bind(testPostgres),
    AsyncResource.bind(installation),
  ]

  before(async () => {
    env = await newInstallation('sqlite', { ENTREPOT_ADMIN_KEY: ADMIN_KEY })
    postgresUrl = (await emptyPostgres()).url
    server = await start(env)
    await fillContent(calls)
    filled = await fillInstallation(calls)
    const parts = await fillEveryPart(calls)
    await searchIsComplete()
    recorded = await record(calls, [filled.fileUrl, ...parts])
    assert.ok(recorded.filter(({ status }) => status === 200).length >= 200)
    for (const path of parts) {
      const { status, body } = recorded.find((each) => each.path === path) ?? {}
      assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
    }
    used = await usedOf(filled.key)
  })

  test('operation 14: one file is made beside writers, and a damaged one is not begun with', async () => {
    let isOver = false
    const backup = runEntrepot(['backup', file], env).finally(() => {
      isOver = true
    })
    const writing = (async () => {
      for (let n = 0; !isOver; n++) {
        await ok('POST', '/api/v1/authors', { body: { name: `Later ${n}` } })
      }
    })()
    const { code, output } = await backup
    await writing
    assert.equal(code, 0, output)
    assert.match(output, /tables +\d+, with \d+ rows/)
    await removeLater()
    const copy = await runEntrepot(['backup', copied], env)
    assert.equal(copy.code, 0, copy.output)

    const broken = join(directory, 'broken.entrepot')
    copyFileSync(file, broken)
    truncateSync(broken, readFileSync(file).length - 200)
    const elsewhere = await installation('sqlite')
    const refused = await runEntrepot(['restore', broken], elsewhere)
    assert.equal(refused.code, 1)
    assert.match(refused.output, /is not a complete backup/)
    const again = await runEntrepot(['backup', file], env)
    assert.equal(again.code, 1)
    assert.match(again.output, /is there already/)
  })

  test('operation 14: move goes on after two kills; reads go on, writes are told to wait', async () => {
    const to = ['move', '--to', postgresUrl]
    await killMove(to, async () => isAnnounced(env['ENTREPOT_DATA_DIR'] ?? ''))
    const write = () => call('POST', '/api/v1/authors', { body: { name: 'No' } })
    await until(async () => (await write()).status === 503 || undefined, { what: 'a refusal' })
    const refused = await write()
    assert.equal(refused.status, 503)
    assert.equal(refused.body.error.code, 'moving')
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal((await call('GET', '/api/v1/articles', { key: filled.key })).status, 200)
    used++
    const other = await runEntrepot(['move', '--to', `${postgresUrl}x`], env)
    assert.match(other.output, /is being moved to|does not answer/)
    const wrong = await runEntrepot(['move', '--to', 'postgres://nobody@127.0.0.1:1/x'], env)
    assert.match(wrong.output, /^entrepot: The database of --to does not answer: /)

    await killMove(to, async () => (await rowsIn(postgresUrl, 'kernel_move_tables')) > 20)
    const half = await runEntrepot(['migrate'], { ...env, ENTREPOT_DATABASE_URL: postgresUrl })
    assert.equal(half.code, 1)
    assert.match(half.output, /is not whole/)

    const moved = await runEntrepot(to, env)
    assert.equal(moved.code, 0, moved.output)
    assert.match(moved.output, /all of it was compared/)
    server.signal('SIGTERM')
    await server.exited()
    const old = await runEntrepot(['start'], env)
    assert.equal(old.code, 1)
    assert.match(old.output, /is in postgres.* now/)

    server = await start({ ...env, ENTREPOT_DATABASE_URL: postgresUrl })
    await sameAsBefore()
    await ok('POST', '/api/v1/authors', { body: { name: 'Written there' } })
  })

  test('operation 14: and back again, and into a database that is not empty it does not go', async () => {
    const onPostgres = { ...env, ENTREPOT_DATABASE_URL: postgresUrl }
    assert.equal((await runEntrepot(['backup', fromPostgres], onPostgres)).code, 0)
    const full = await installation('postgres')
    const filledOnce = await runEntrepot(['migrate'], full)
    assert.equal(filledOnce.code, 0, filledOnce.output)
    const into = await runEntrepot(
      ['move', '--to', full['ENTREPOT_DATABASE_URL'] ?? ''],
      onPostgres,
    )
    assert.equal(into.code, 1)
    assert.match(into.output, /is not empty/)

    const back = await runEntrepot(['move', '--to', 'sqlite'], onPostgres)
    assert.equal(back.code, 0, back.output)
    server.signal('SIGTERM')
    await server.exited()
    server = await start(env)
    await sameAsBefore()
    const nothing = await runEntrepot(['move', '--cancel'], env)
    assert.match(nothing.output, /Nothing is being moved/)
    server.signal('SIGTERM')
    await server.exited()
  })

  test('operation 14: a backup of SQLite answers the same on PostgreSQL', () =>
    restored(file, { ENTREPOT_DATABASE_URL: '' }))

  test('operation 14: a backup of PostgreSQL answers the same on SQLite', () =>
    restored(fromPostgres, {}))

  test('operation 14: a directory of SQLite files answers the same on PostgreSQL', () =>
    restored(copied, { ENTREPOT_DATABASE_URL: '' }))

  async function restored(from: string, settings: Record<string, string>) {
    const dataDir = temporaryDirectory()
    const url = 'ENTREPOT_DATABASE_URL' in settings ? (await testPostgres()).url : undefined
    const elsewhere: Record<string, string> = {
      ...{ ...env, ENTREPOT_DATA_DIR: dataDir },
      ...(url === undefined ? {} : { ENTREPOT_DATABASE_URL: url }),
    }
    mkdirSync(dataDir, { recursive: true })
    const key = readFileSync(join(env['ENTREPOT_DATA_DIR'] ?? '', 'master.key'))
    writeFileSync(join(dataDir, 'master.key'), key, { mode: 0o600 })
    const { code, output } = await runEntrepot(['restore', from], elsewhere)
    assert.equal(code, 0, output)
    const again = await runEntrepot(['restore', from], elsewhere)
    assert.equal(again.code, 1)
    assert.match(again.output, /holds data already/)
    server = await startServer(elsewhere)
    await searchIsComplete()
    await removeLater()
    await assertRecorded(calls, recorded)
    assert.equal((await call('GET', '/api/v1/articles', { key: filled.key })).status, 200)
    server.signal('SIGTERM')
    await server.exited()
  }

  async function sameAsBefore() {
    await searchIsComplete()
    await removeLater()
    await assertRecorded(calls, recorded)
    assert.equal(await usedOf(filled.key), used)
    assert.equal((await call('GET', '/api/v1/articles', { key: filled.key })).status, 200)
    used++
  }

  /** By the header, which is exact. */
  async function usedOf(key: string): Promise<number> {
    const answer = await call('GET', '/api/v1/usage', { key })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return Number(answer.body.data.month)
  }

  /** What was written after the answers were recorded: more than a page, when a backup takes long. */
  async function removeLater() {
    const later = () => ok('GET', '/api/v1/authors?per_page=100&sort=id&order=desc')
    for (let page = await later(); page.data[0]?.id > 1; page = await later()) {
      for (const { id } of page.data) {
        if (id > 1) await ok('DELETE', `/api/v1/authors/${id}`)
      }
    }
  }

  async function searchIsComplete() {
    await until(
      async () => {
        const text = await (await fetch(`${server.url}/metrics`)).text()
        return /^content_types_unindexed 0$/m.test(text) || undefined
      },
      { withinMs: 60_000, what: 'the search index' },
    )
  }

  /** Kills it as soon as the condition holds. */
  async function killMove(args: readonly string[], isDue: () => Promise<boolean>) {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    await until(async () => (await isDue()) || undefined, { withinMs: 60_000, what: 'a move' })
    child.kill('SIGKILL')
    const [, signal] = await ended
    assert.equal(signal, 'SIGKILL', 'it was under way')
  }
})

function isAnnounced(dataDir: string): boolean {
  const db = new DatabaseSync(join(dataDir, 'entrepot.db'), { readOnly: true })
  try {
    return db.prepare('select 1 from kernel_moves').get() !== undefined
  } finally {
    db.close()
  }
}

async function rowsIn(url: string, table: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(`select count(*)::int as n from ${table}`)
    return rows[0]?.n ?? 0
  } catch {
    return 0
  } finally {
    await client.end()
  }
}
