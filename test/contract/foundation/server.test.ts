import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import {
  eachDatabase,
  emptyInstallation,
  freePort,
  installation,
  runEntrepot,
  startServer,
  until,
} from '#test-kit'

const IDLE_AFTER_MS = 3_000
const WATCHED_MS = 4_000
/** Of a thread, in a second; each costs the machine some fifty microseconds. */
const MOST_WAKES = 25

eachDatabase('a server', (kind) => {
  test('starts, is ready, says where everything is, and ends with 0 on SIGTERM', async () => {
    const server = await startServer(await emptyInstallation(kind), { migrates: true })
    const ready = await fetch(`${server.url}/ready`)
    assert.deepEqual(await ready.json(), {
      status: 'ready',
      checks: { storage: 'ok', gateway: 'ok' },
    })
    assert.equal(ready.headers.get('access-control-allow-origin'), '*', 'open to browsers')
    const unrouted = await fetch(`${server.gatewayUrl}/anything`)
    assert.equal(unrouted.status, 404)
    assert.deepEqual(await unrouted.json(), { error_msg: '404 Route Not Found' })
    for (const place of [server.url, `${server.url}/docs`, server.gatewayUrl, server.dataDir]) {
      assert.ok(server.output().includes(place), place)
    }
    server.signal('SIGTERM')
    assert.equal(await server.exited(), 0)
    assert.equal(
      readFileSync(join(server.dataDir, 'logs', 'entrepot.log'), 'utf8').length > 0,
      true,
    )
  })

  test('sleeps when it has nothing to do', { skip: process.platform !== 'linux' }, async () => {
    const { pid } = await startServer(await installation(kind))
    await delay(IDLE_AFTER_MS)
    const before = wakesOf(pid)
    await delay(WATCHED_MS)
    const wakes = wakesOf(pid).map(({ thread, count }) => {
      const known = before.find((one) => one.thread === thread)?.count ?? 0
      return { thread, perSecond: ((count - known) * 1_000) / WATCHED_MS }
    })
    for (const name of ['node-MainThread', 'worker', 'gateway-1']) {
      const own = wakes.find(({ thread }) => thread.startsWith(name))
      assert.ok(own && own.perSecond < MOST_WAKES, `${name}: ${own?.perSecond} times a second`)
    }
  })

  test('SIGTERM under requests fails none of them, neither API nor gateway', async () => {
    const threads = { ENTREPOT_GATEWAY_THREADS: '3' }
    const server = await startServer(await installation(kind, threads))
    const clients = [
      ...Array.from({ length: 8 }, () => client(`${server.url}/ready`, 200)),
      ...Array.from({ length: 8 }, () => client(`${server.gatewayUrl}/x`, 404)),
    ]
    await until(() => clients.every((each) => each.answers > 20))
    server.signal('SIGTERM')
    const failures = await Promise.all(clients.map((each) => each.ended))
    assert.deepEqual(failures.filter(Boolean), [])
    assert.equal(await server.exited(), 0)
  })

  test('contract item: what cannot be written on a full disk keeps the server neither from answering nor from ending', {
    skip: process.platform !== 'linux',
  }, async () => {
    const env = await installation(kind, { ENTREPOT_LOG_LEVEL: 'trace' })
    const dataDir = env['ENTREPOT_DATA_DIR'] ?? ''
    mkdirSync(join(dataDir, 'logs'), { recursive: true })
    symlinkSync('/dev/full', join(dataDir, 'logs', 'entrepot.log'))
    const server = await startServer(env)
    symlinkSync('/dev/full', join(dataDir, 'counters.bin'))
    for (let n = 0; n < 100; n++) {
      assert.equal((await fetch(`${server.url}/api/v1/users`)).status, 401)
    }
    await until(() => /the log cannot be written: ENOSPC/.test(server.output()))
    server.signal('SIGTERM')
    assert.equal(await server.exited(), 0)
    assert.match(server.output(), /counters of this node could not be kept/)
  })

  test('a database of a newer program is refused and left alone', async () => {
    const env = await installation(kind)
    const server = await startServer(env)
    server.signal('SIGTERM')
    await server.exited()
    await insertForeignMigration(env)
    const { code, output } = await runEntrepot(['start'], env)
    assert.equal(code, 1)
    assert.match(
      output,
      /^entrepot: The database was written by a newer Entrepot \(9999_later\.ts\)/,
    )
    assert.equal(output.trim().split('\n').length, 1)
  })
})

test('two processes that start at once on an empty database run each migration once', async () => {
  const first = await installation('postgres')
  const second = {
    ...(await installation('postgres')),
    ENTREPOT_DATABASE_URL: first['ENTREPOT_DATABASE_URL'] ?? '',
  }
  const key = { ENTREPOT_MASTER_KEY: 'a'.repeat(64) }
  const servers = await Promise.all([
    startServer({ ...first, ...key }),
    startServer({ ...second, ...key }),
  ])
  for (const { url } of servers) assert.equal((await fetch(`${url}/ready`)).status, 200)
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: first['ENTREPOT_DATABASE_URL'] })
  await client.connect()
  const { rows } = await client.query('select name from kernel_migrations order by name')
  await client.end()
  const files = readdirSync(new URL('../../../migrations', import.meta.url))
  assert.deepEqual(
    rows.map(({ name }) => name),
    files.sort(),
  )
})

test('a thread that dies is replaced; one that keeps dying ends the process with 1', async () => {
  const env = { ...(await installation('sqlite')), ENTREPOT_GATEWAY_THREADS: '1' }
  const server = await startServer(env)
  const ask = (headers = {}) => fetch(server.gatewayUrl, { headers }).catch(() => undefined)
  await ask({ 'x-test-die': '1' })
  await until(async () => (await ask())?.status === 404)
  assert.equal((await fetch(`${server.url}/health`)).status, 200)
  let ended = false
  const exited = server.exited().finally(() => {
    ended = true
  })
  while (!ended) {
    await ask({ 'x-test-die': '1' })
    await delay(20)
  }
  assert.equal(await exited, 1)
  assert.match(server.output(), /The thread gateway-1 keeps failing: told to die/)
})

test('a taken port stops the start with one line and leaves nothing behind', async () => {
  const port = await freePort()
  const other = http.createServer().listen(port, '127.0.0.1')
  for (const name of ['ENTREPOT_PORT', 'ENTREPOT_GATEWAY_PORT', 'ENTREPOT_GATEWAY_TLS_PORT']) {
    const env = { ...(await installation('sqlite')), [name]: String(port) }
    const { code, output } = await runEntrepot(['start'], env)
    assert.equal(code, 1)
    assert.match(output, new RegExp(`^entrepot: Port ${port} on 127.0.0.1 is taken.*${name}.*\n$`))
  }
  other.close()
})

test('a gateway port that is taken while the server starts ends it with one line', async () => {
  const failure = await until(async () => {
    const env = await installation('sqlite')
    // When the server is quicker than we are it starts well, and we try again.
    const started = startServer(env, { migrates: true }).then(
      (server) => server.kill(),
      (error: Error) => error.message,
    )
    const other = http.createServer().on('error', () => {})
    await until(() => isMigrated(env))
    other.listen(Number(env['ENTREPOT_GATEWAY_PORT']), '127.0.0.1')
    const message = await started
    other.close()
    return message ?? undefined
  })
  assert.match(failure, /^it ended early \(exit 1 \).*Port \d+ .*is taken.*ENTREPOT_GATEWAY_PORT/s)
})

test('an unusable data directory stops the start with one line', async () => {
  const env = await installation('sqlite')
  const file = join(env['ENTREPOT_DATA_DIR'] ?? '', 'file')
  writeFileSync(file, '')
  const { code, output } = await runEntrepot(['start'], { ...env, ENTREPOT_DATA_DIR: `${file}/x` })
  assert.equal(code, 1)
  assert.match(output, /^entrepot: The data directory .* cannot be written: .*\n$/)
  // It takes no directories and says so as if there were no /proc.
  const nowhere = await runEntrepot(['start'], { ...env, ENTREPOT_DATA_DIR: '/proc/entrepot/x' })
  assert.equal(nowhere.code, 1)
  assert.match(nowhere.output, /^entrepot: The data directory \/proc\/entrepot\/x cannot .*\n$/)
})

test('contract item: a lock that fails for another reason is not told as another server', async () => {
  const env = await emptyInstallation('sqlite')
  const dataDir = env['ENTREPOT_DATA_DIR'] ?? ''
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, 'entrepot.lock'), 'no lock '.repeat(1_000))
  const { code, output } = await runEntrepot(['start'], env)
  assert.equal(code, 1)
  assert.match(output, /not a database/)
  assert.doesNotMatch(output, /Another Entrepot/)
})

test('a wrong database URL stops the start with one line', async () => {
  const env = {
    ...(await installation('sqlite')),
    ENTREPOT_DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/nothing`,
  }
  const { code, output } = await runEntrepot(['start'], env)
  assert.equal(code, 1)
  assert.match(output, /^entrepot: The database of ENTREPOT_DATABASE_URL does not answer: .*\n$/)
})

test('a broken configuration stops the start and names the nearest known setting', async () => {
  const env = { ...(await installation('sqlite')), ENTREPOT_PROT: '1' }
  const { code, output } = await runEntrepot(['start'], env)
  assert.equal(code, 1)
  assert.match(output, /ENTREPOT_PROT.*ENTREPOT_PORT/)
})

test('a second node with another master key is refused before it writes anything', async () => {
  const first = await installation('postgres')
  await startServer(first)
  const second = await installation('sqlite')
  const { code, output } = await runEntrepot(['start'], {
    ...second,
    ENTREPOT_DATABASE_URL: first['ENTREPOT_DATABASE_URL'] ?? '',
  })
  assert.equal(code, 1)
  assert.match(output, /^entrepot: The secrets in the database are sealed with another master key/)
})

/** One keep-alive connection that asks again and again until it is told to close. */
function client(url: string, expected: number) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const state = { answers: 0, ended: run() }
  return state

  async function run(): Promise<string | null> {
    for (;;) {
      const outcome = await ask()
      if (outcome === 'closing') return null
      if (outcome !== 'ok') return outcome
      state.answers++
    }
  }

  function ask(): Promise<string> {
    return new Promise((resolve) => {
      const request = http.get(url, { agent }, (response) => {
        response.resume()
        response.on('error', (error) => resolve(`answer cut: ${error.message}`))
        response.on('end', () => {
          if (response.statusCode !== expected) resolve(`status ${response.statusCode}`)
          else resolve(response.headers.connection === 'close' ? 'closing' : 'ok')
        })
      })
      request.on('error', (error) => resolve(`failed: ${error.message}`))
    })
  }
}

function isMigrated(env: Record<string, string>): boolean {
  const log = join(env['ENTREPOT_DATA_DIR'] ?? '', 'logs', 'entrepot.log')
  return existsSync(log) && readFileSync(log, 'utf8').includes('schema changed')
}

async function insertForeignMigration(env: Record<string, string>) {
  const { DatabaseSync } = await import('node:sqlite')
  const insert = `insert into kernel_migrations values ('9999_later.ts', 1)`
  if (env['ENTREPOT_DATABASE_URL']) {
    const { default: pg } = await import('pg')
    const client = new pg.Client({ connectionString: env['ENTREPOT_DATABASE_URL'] })
    await client.connect()
    await client.query(insert)
    await client.end()
    return
  }
  const db = new DatabaseSync(join(env['ENTREPOT_DATA_DIR'] ?? '', 'entrepot.db'))
  db.exec(insert)
  db.close()
}

/** How often each thread of the process has waited for something so far. */
function wakesOf(pid: number) {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).map((id) => {
    const status = readFileSync(join(tasks, id, 'status'), 'utf8')
    const [, name = ''] = /^Name:\t(.*)$/m.exec(status) ?? []
    const [, count = ''] = /^voluntary_ctxt_switches:\t(\d+)$/m.exec(status) ?? []
    return { thread: `${name} ${id}`, count: Number(count) }
  })
}
