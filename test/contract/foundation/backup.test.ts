import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { installation, runEntrepot, startServer, temporaryDirectory } from '#test-kit'

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

test('an unfinished backup is not restored, and a backup into a full directory is refused', async () => {
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
