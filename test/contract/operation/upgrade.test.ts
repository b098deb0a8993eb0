import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import {
  ADMIN_KEY,
  createCalls,
  emptyInstallation,
  installation,
  runEntrepot,
  startServer,
  temporaryDirectory,
} from '#test-kit'
import type { OldAnswer } from './old-installation.ts'

interface Fixture {
  readonly port: string
  readonly key: string
  readonly files: Readonly<Record<string, string>>
  readonly recorded: readonly OldAnswer[]
}

const packed = readFileSync(new URL('./version-0.1.json.gz', import.meta.url))
const { port, key, files, recorded }: Fixture = JSON.parse(gunzipSync(packed).toString())

test('operation 14: a data directory of version 0.1 starts, migrates and answers as before', async () => {
  await answersAsBefore(await oldInstallation())
})

test('operation 14: a backup of the tables of version 0.1 is restored on PostgreSQL and answers as before', async () => {
  const old = await oldInstallation()
  const backup = join(temporaryDirectory(), 'old.entrepot')
  const made = await runEntrepot(['backup', backup], old)
  assert.equal(made.code, 0, made.output)
  const env = await emptyInstallation('postgres', { ENTREPOT_ADMIN_KEY: ADMIN_KEY })
  const dataDir = env['ENTREPOT_DATA_DIR'] ?? ''
  mkdirSync(dataDir, { recursive: true })
  copyFileSync(join(old['ENTREPOT_DATA_DIR'] ?? '', 'master.key'), join(dataDir, 'master.key'))
  const restored = await runEntrepot(['restore', backup], env)
  assert.equal(restored.code, 0, restored.output)
  await refusesToBeginAgain(env, backup)
  await answersAsBefore(env)
})

/** As if it had been killed after the later migrations: rows of the old form would not be changed any more. */
async function refusesToBeginAgain(env: Record<string, string>, backup: string) {
  const client = new pg.Client({ connectionString: env['ENTREPOT_DATABASE_URL'] })
  await client.connect()
  try {
    await client.query("insert into kernel_moves values ('in', 'backup', 'copying', 'a file', 1)")
    const refused = await runEntrepot(['restore', backup], env)
    assert.equal(refused.code, 1)
    assert.match(refused.output, /was broken off here .* Name an empty database/)
    await client.query('delete from kernel_moves')
  } finally {
    await client.end()
  }
}

async function oldInstallation() {
  const env = await installation('sqlite', { ENTREPOT_ADMIN_KEY: ADMIN_KEY })
  for (const [path, content] of Object.entries(files)) {
    const file = join(env['ENTREPOT_DATA_DIR'] ?? '', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, Buffer.from(content, 'base64'), { mode: 0o600 })
  }
  return env
}

async function answersAsBefore(env: Record<string, string>) {
  const server = await startServer(env)
  const { call, data } = createCalls(() => server.url)
  assert.ok(recorded.length >= 100)
  const others: string[] = []
  for (const { path, status, body } of recorded) {
    const answer = await call('GET', path, { key })
    const expected = JSON.parse(
      JSON.stringify(body).replaceAll(`:${port}/`, `:${env['ENTREPOT_PORT']}/`),
    )
    try {
      assert.equal(answer.status, status)
      assertHolds(answer.body, expected)
    } catch (error) {
      others.push(`${path}: ${error instanceof Error ? error.message : error}`)
    }
  }
  assert.deepEqual(others, [])
  const created = await data('POST', '/api/v1/writers', {
    body: { name: 'Written by this version' },
  })
  assert.equal(created.id, 4)
}

/** Everything that was there is there and the same; members that came later may stand beside it. */
function assertHolds(actual: unknown, expected: unknown, at = ''): void {
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual) && actual.length === expected.length, `${at}: ${actual}`)
    for (const [index, item] of expected.entries())
      assertHolds(actual[index], item, `${at}/${index}`)
  } else if (typeof expected === 'object' && expected !== null) {
    assert.ok(typeof actual === 'object' && actual !== null, at)
    const members = new Map(Object.entries(actual))
    for (const [name, value] of Object.entries(expected)) {
      assertHolds(members.get(name), value, `${at}/${name}`)
    }
  } else assert.equal(spelled(actual), spelled(expected), at)
}

/** Links of JSON:API have their brackets percent-encoded since: the same URL in another spelling. */
function spelled(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('http')) return value
  return value.replaceAll('%5B', '[').replaceAll('%5D', ']')
}
