import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import {
  ADMIN_KEY,
  createCalls,
  installation,
  runEntrepot,
  startServer,
  temporaryDirectory,
} from '#test-kit'

const WRITES_PER_SECOND = 50
const STORED = 50

test('a backup of a running server is restored elsewhere with everything but the master key', async () => {
  const env = await installation('sqlite')
  const server = await startServer(env)
  mkdirSync(join(server.dataDir, 'uploads'))
  writeFileSync(join(server.dataDir, 'uploads', 'a.txt'), 'a file')
  const target = join(temporaryDirectory(), 'saved')

  const backup = await runEntrepot(['backup', target], env)
  assert.equal(backup.code, 0, backup.output)
  assert.match(backup.output, /the master key is not part of it/)
  for (const part of ['main.db', 'aux.db', 'uploads']) assert.ok(backup.output.includes(part))
  assert.deepEqual(readdirSync(target).sort(), ['aux.db', 'backup.json', 'main.db', 'uploads'])
  assert.equal((await fetch(`${server.url}/ready`)).status, 200)

  const elsewhere = await installation('sqlite')
  const restored = await runEntrepot(['restore', target], elsewhere)
  assert.equal(restored.code, 0, restored.output)
  const dataDir = elsewhere['ENTREPOT_DATA_DIR'] ?? ''
  assert.equal(readFileSync(join(dataDir, 'uploads', 'a.txt'), 'utf8'), 'a file')
  assert.deepEqual(migrationsIn(dataDir), migrationsIn(server.dataDir))
})

test('finding 16: a backup beside a writer ends, and what was acknowledged before it began is in it', async () => {
  const env = await installation('sqlite', { ENTREPOT_ADMIN_KEY: ADMIN_KEY })
  const server = await startServer(env)
  const { call, data } = createCalls(() => server.url)
  const body = { singularName: 'note', pluralName: 'notes', attributes: { text: { type: 'text' } } }
  await data('POST', '/api/v1/content-types', { body })
  const text = 'x'.repeat(500)
  const create = () => call('POST', '/api/v1/notes', { body: { text } })
  for (let n = 0; n < STORED; n++) assert.equal((await create()).status, 201)

  const target = join(temporaryDirectory(), 'saved')
  let ended = false
  const backup = runEntrepot(['backup', target], env).finally(() => {
    ended = true
  })
  let written = 0
  while (!ended) {
    const pause = delay(1_000 / WRITES_PER_SECOND)
    assert.equal((await create()).status, 201)
    written++
    await pause
  }
  const { code, output } = await backup
  assert.equal(code, 0, output)
  assert.ok(written > 0)

  const given = await installation('sqlite')
  assert.equal((await runEntrepot(['restore', target], given)).code, 0)
  const db = new DatabaseSync(join(given['ENTREPOT_DATA_DIR'] ?? '', 'entrepot.db'))
  assert.deepEqual({ ...db.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
  const stored = db.prepare('select count(*) as n from content_entries').get()
  // Trigrams are made after the commit; what waits for them is a candidate of every search.
  const found = db
    .prepare(
      `select count(*) as n from (select rowid from content_search_trigrams('"xxx"')
        union select no from content_search_waiting)`,
    )
    .get()
  db.close()
  assert.ok(Number(stored?.['n']) >= STORED)
  assert.deepEqual(found, stored)
})

test('a restore over data is refused, and with --replace moves it aside', async () => {
  const env = await installation('sqlite')
  const server = await startServer(env)
  const target = join(temporaryDirectory(), 'saved')
  assert.equal((await runEntrepot(['backup', target], env)).code, 0)

  const running = await runEntrepot(['restore', target, '--replace'], env)
  assert.equal(running.code, 1)
  assert.match(running.output, /Another Entrepot/)
  server.signal('SIGTERM')
  await server.exited()

  const refused = await runEntrepot(['restore', target], env)
  assert.equal(refused.code, 1)
  assert.match(refused.output, /holds data already/)
  const replaced = await runEntrepot(['restore', target, '--replace'], env)
  assert.equal(replaced.code, 0, replaced.output)
  const aside = readdirSync(server.dataDir).find((name) => name.startsWith('before-restore-'))
  assert.ok(aside && existsSync(join(server.dataDir, aside, 'entrepot.db')))
  await server.restart()
})

test('a restore that is broken off leaves the data as it was', async () => {
  const env = await installation('sqlite')
  const server = await startServer(env)
  const target = join(temporaryDirectory(), 'saved')
  assert.equal((await runEntrepot(['backup', target], env)).code, 0)
  server.signal('SIGTERM')
  await server.exited()
  mkdirSync(join(target, 'uploads'), { recursive: true })
  // As little to be copied as anything on a full disk.
  symlinkSync('loop', join(target, 'uploads', 'loop'))
  const before = readdirSync(server.dataDir)
  const failed = await runEntrepot(['restore', target, '--replace'], env)
  assert.equal(failed.code, 1)
  assert.deepEqual(readdirSync(server.dataDir), before)
  const db = new DatabaseSync(join(server.dataDir, 'entrepot.db'))
  assert.deepEqual({ ...db.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
  db.close()
  rmSync(join(target, 'uploads', 'loop'))
  assert.equal((await runEntrepot(['restore', target, '--replace'], env)).code, 0)
})

test('an unfinished backup is not restored, and a backup into a full directory or a file is refused', async () => {
  const env = await installation('sqlite')
  const directory = temporaryDirectory()
  const unfinished = await runEntrepot(['restore', directory], env)
  assert.equal(unfinished.code, 1)
  assert.match(unfinished.output, /not a complete backup/)
  const server = await startServer(env)
  writeFileSync(join(directory, 'mine'), '')
  const refused = await runEntrepot(['backup', directory], server.env)
  assert.equal(refused.code, 1)
  assert.match(refused.output, /is not empty/)
  const file = await runEntrepot(['backup', join(directory, 'mine')], server.env)
  assert.equal(file.code, 1)
  assert.match(file.output, /^entrepot: .*mine cannot be written to/)
  // Where no directory can be made it says so; to be asked for one, Node would go on for ever.
  const nowhere = await runEntrepot(['backup', '/proc/entrepot'], server.env)
  assert.equal(nowhere.code, 1)
  assert.match(nowhere.output, /^entrepot: \/proc\/entrepot cannot be written to/)
})

test('with PostgreSQL the command says which tool to use', async () => {
  const { code, output } = await runEntrepot(['backup', 'x'], await installation('postgres'))
  assert.equal(code, 1)
  assert.match(output, /pg_dump/)
})

function migrationsIn(dataDir: string) {
  const db = new DatabaseSync(join(dataDir, 'entrepot.db'), { readOnly: true })
  const rows = db.prepare('select name from kernel_migrations order by name').all()
  db.close()
  return rows.map(({ name }) => name)
}
