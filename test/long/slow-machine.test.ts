import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { AnyTables } from '#db'
import {
  ADMIN_KEY,
  createCalls,
  eachDatabase,
  installation,
  openTestDatabase,
  startServer,
} from '#test-kit'

const BIN = fileURLToPath(new URL('../../bin/entrepot.mjs', import.meta.url))
const RUN_MS = 20
const PAUSE_MS = 180
const WITHIN_MS = 300_000

test('operation finding 7: the first start succeeds on a machine slowed to a tenth', async (t) => {
  const given = { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_STARTER: 'types' }
  const env = await installation('sqlite', given)
  const child = spawn(process.execPath, [BIN, 'start'], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const slowed = slow(child)
  const startedMs = performance.now()
  let printed = ''
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk
      if (printed.includes(', ready in ')) resolve()
    })
  }
  child.once('exit', (code) => reject(new Error(`ended with ${code}: ${printed}`)))
  const late = setTimeout(() => reject(new Error(`not ready in time: ${printed}`)), WITHIN_MS)
  try {
    await ready
  } finally {
    clearTimeout(late)
    slowed.end()
  }
  t.diagnostic(`ready after ${Math.round((performance.now() - startedMs) / 1000)} s`)
  const { data } = createCalls(() => `http://127.0.0.1:${env['ENTREPOT_PORT']}`)
  assert.equal((await data('GET', '/api/v1/content-types')).length, 6)
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
})

test('gateway 10: the first script costs no thread its connections on a machine slowed to a thirtieth', async (t) => {
  const given = { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_GATEWAY_THREADS: '3' }
  const server = await startServer(await installation('sqlite', given))
  const { ok } = createCalls(() => server.url)
  const plugins = { 'serverless-pre-function': { functions: ['() => 204'] } }
  const slowed = slow({ kill: (signal) => process.kill(server.pid, signal) }, 3 * PAUSE_MS)
  const startedMs = performance.now()
  try {
    await ok('PUT', '/gateway/admin/routes/scripted', { body: { uri: '/scripted', plugins } })
  } finally {
    slowed.end()
  }
  t.diagnostic(`stored after ${Math.round(performance.now() - startedMs)} ms`)
  assert.doesNotMatch(server.output(), /a thread is replaced/)
  assert.equal((await fetch(`${server.gatewayUrl}/scripted`)).status, 204)
})

eachDatabase('time limits', (kind) => {
  test('operation finding 7: a transaction may take longer than ten seconds, but not be silent for as long', async () => {
    const { database } = await openTestDatabase(kind)
    const { main, dialect } = database
    const insert = (name: string, ms: number, times: number) =>
      main.transaction(undefined, async (tx) => {
        for (let at = 0; at < times; at++) {
          const row = { name: `${name} ${at}`, applied_at: 0 }
          await tx.as<AnyTables>().insertInto('kernel_migrations').values(row).execute()
          await delay(ms)
        }
      })
    await insert('slow', 3_000, 5)
    await assert.rejects(insert('silent', 11_500, 1), dialect.isUnavailable)
    const rows = await main.reader.selectFrom('kernel_migrations').select('name').execute()
    const names = rows.map(({ name }) => String(name))
    assert.equal(names.filter((name) => name.startsWith('slow')).length, 5)
    assert.equal(names.filter((name) => name.startsWith('silent')).length, 0)
  })

  test('operation finding 7: a read past its time limit is 503 with Retry-After in every dialect', async () => {
    const given = { ENTREPOT_STORAGE_SCAN_TIMEOUT_MS: '10', ENTREPOT_STORAGE_READ_TIMEOUT_MS: '10' }
    const settings = { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ...given }
    const server = await startServer(await installation(kind, settings))
    const { call, ok } = createCalls(() => server.url)
    const attributes = { title: { type: 'string' }, body: { type: 'richtext' } }
    const type = { singularName: 'book', pluralName: 'books', attributes }
    await ok('POST', '/api/v1/content-types', { body: type })
    const data = { title: 'T', body: 'lorem ipsum '.repeat(3_000) }
    const operations = Array.from({ length: 100 }, () => ({ op: 'create', data }))
    for (let at = 0; at < 10; at++) await ok('POST', '/api/v1/books/bulk', { body: { operations } })
    const asked = [
      '/api/v1/books?filters[body][$contains]=zzz',
      '/api/books?filters[body][$contains]=zzz',
      '/jsonapi/node/book?filter[body][operator]=CONTAINS&filter[body][value]=zzz',
    ]
    for (const path of asked) {
      const { status, headers, body } = await call('GET', path)
      assert.equal(status, 503, `${path}: ${JSON.stringify(body).slice(0, 300)}`)
      assert.ok(Number(headers.get('retry-after')) >= 1, path)
    }
  })
})

/** Lets the process run for a tenth of the time, or for less, all its threads together. */
function slow(child: { kill(signal: NodeJS.Signals): boolean }, pauseMs = PAUSE_MS) {
  let isRunning = true
  let timer = setTimeout(turn, RUN_MS)
  return {
    end() {
      clearTimeout(timer)
      child.kill('SIGCONT')
    },
  }

  function turn() {
    isRunning = !isRunning
    child.kill(isRunning ? 'SIGCONT' : 'SIGSTOP')
    timer = setTimeout(turn, isRunning ? RUN_MS : pauseMs)
  }
}
