import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  ADMIN_KEY,
  assertPrompt,
  createCalls,
  freePort,
  installation,
  otherNode,
  runEntrepot,
  startServer,
  temporaryDirectory,
  until,
} from '#test-kit'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PROGRAM = join(ROOT, 'bin/entrepot.mjs')

describe('the program as it is called', () => {
  test('operation findings 15 and 18: npm start, what it prints, whom it lets in, and its end by SIGTERM', async (t) => {
    const tlsPort = String(await freePort())
    const env = await installation('sqlite', {
      ENTREPOT_ADMIN_KEY: ADMIN_KEY,
      ENTREPOT_LOG_TO: 'stdout',
      ENTREPOT_GATEWAY_TLS_PORT: tlsPort,
    })
    const dataDir = env['ENTREPOT_DATA_DIR'] ?? ''
    // As version 0.1 left it: open to everybody.
    chmodSync(dataDir, 0o755)
    mkdirSync(join(dataDir, 'uploads'), { mode: 0o755 })
    writeFileSync(join(dataDir, 'uploads', 'old.txt'), 'old', { mode: 0o644 })
    const npm = spawn('npm', ['start', '--silent'], { cwd: ROOT, env: { ...process.env, ...env } })
    t.after(() => npm.kill('SIGKILL'))
    const printed = listen(npm)
    await until(async () => printed.err().includes(', ready in ') || undefined, {
      withinMs: 60_000,
      what: 'npm start',
    })
    const url = `http://127.0.0.1:${env['ENTREPOT_PORT']}`
    const pid = Number(readFileSync(join(dataDir, 'entrepot.pid'), 'utf8'))
    t.after(() => isAlive(pid) && process.kill(pid, 'SIGKILL'))

    // Without it, memory that large requests took would never be given back (test/long/memory.test.ts).
    if (process.platform === 'linux') {
      assert.match(readFileSync(`/proc/${pid}/environ`, 'latin1'), /\0MALLOC_TRIM_THRESHOLD_=\d/)
    }
    assert.match(printed.err(), new RegExp(`Usage +${url}/usage`))
    assert.match(printed.err(), new RegExp(`TLS +https://127\\.0\\.0\\.1:${tlsPort}`))
    const console = await fetch(`${url}/console/`)
    assert.equal(/^ +Console /m.test(printed.err()), console.ok, 'named only where there is one')
    await assertLinksWork(url)

    const { ok } = createCalls(() => url)
    const form = new FormData()
    form.set('file', new File(['hello'], 'a.txt'))
    await ok('POST', '/api/v1/media', { form })
    assertPrivate(dataDir)

    const ended = once(npm, 'exit')
    npm.kill('SIGTERM')
    await ended
    await until(async () => !isAlive(pid) || undefined, { withinMs: 15_000, what: 'its end' })
    assert.ok(!existsSync(join(dataDir, 'entrepot.pid')), 'it ended in order')
    assertPrivate(dataDir)
    const lines = printed.out().trimEnd().split('\n')
    assert.ok(lines.length > 1)
    for (const line of lines) assert.doesNotThrow(() => JSON.parse(line), line)

    const backup = join(temporaryDirectory(), 'copy')
    assert.equal((await runEntrepot(['backup', backup], env)).code, 0)
    assertPrivate(backup)
  })

  test('operation finding 15a: called by another Node it runs by its own, and ends with it', async (t) => {
    const other = otherNode()
    const env = await installation('sqlite', { ENTREPOT_ADMIN_KEY: ADMIN_KEY })
    const version = spawnSync(other.node, [...other.options, PROGRAM, 'version'], {
      encoding: 'utf8',
    })
    assert.deepEqual([version.status, version.stderr], [0, ''])
    assert.match(version.stdout, /^\d+\.\d+\.\d+/)
    const wrong = spawnSync(other.node, [...other.options, PROGRAM, 'nonsense'])
    assert.equal(wrong.status, 2)
    const child = spawn(other.node, [...other.options, PROGRAM, 'start'], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
    })
    t.after(() => child.kill('SIGKILL'))
    const printed = listen(child)
    await until(async () => printed.out().includes(', ready in ') || undefined, {
      withinMs: 60_000,
      what: `entrepot by ${other.node}`,
    })
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
    await assert.rejects(fetch(`http://127.0.0.1:${env['ENTREPOT_PORT']}/health`))
    t.diagnostic(`${other.node} ${other.options.join(' ')}`)
  })

  for (const kind of ['sqlite', 'postgres'] as const)
    test(`operation finding 17: a backup without its master key goes on after secrets reset (${kind})`, async () => {
      const server = await startServer(await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY }))
      const { env, dataDir } = server
      const { ok, call } = createCalls(() => server.url)
      const endpoint = { endpoint_url: 'https://receiver.example/hook', events: ['key.created'] }
      const subscription = await ok('POST', '/webhooks/subscriptions', { body: endpoint })
      const consumer = { username: 'ada', plugins: { 'key-auth': { key: 'secret-of-ada' } } }
      await ok('PUT', '/gateway/admin/consumers', { body: consumer })
      await ok('PUT', '/gateway/admin/routes/open', {
        body: { uri: '/x', upstream_id: 'entrepot' },
      })
      server.signal('SIGTERM')
      await server.exited()
      renameSync(join(dataDir, 'master.key'), join(dataDir, 'lost.key'))

      const refused = await runEntrepot(['start'], env)
      assert.equal(refused.code, 1)
      assert.match(refused.output, /run "entrepot secrets reset"/)
      const unasked = await runEntrepot(['secrets', 'reset'], env)
      assert.equal(unasked.code, 2)
      assert.match(unasked.output, /say --yes/)
      const reset = await runEntrepot(['secrets', 'reset', '--yes'], env)
      assert.equal(reset.code, 0, reset.output)
      assert.match(
        reset.output,
        new RegExp(`subscription ${subscription.data?.id ?? subscription.id}`),
      )
      assert.match(reset.output, /Removed; to be entered again:\n {2}the gateway object \w+\/ada/)
      assert.match(
        (await runEntrepot(['secrets', 'reset', '--yes'], env)).output,
        /Nothing was reset/,
      )

      await server.restart()
      const id = subscription.data?.id ?? subscription.id
      const rotated = await call('POST', `/webhooks/subscriptions/${id}/rotate-secret`)
      assert.equal(rotated.status, 200, JSON.stringify(rotated.body))
      assert.equal((await call('GET', '/gateway/admin/consumers/ada')).status, 404)
      assert.equal((await call('GET', '/gateway/admin/routes/open')).status, 200)
      assert.equal((await call('GET', '/api/v1/me')).status, 200, 'keys are not sealed')
    })

  test('operation finding 18: import without a server says so at once', async () => {
    const file = join(temporaryDirectory(), 'a.ndjson')
    writeFileSync(file, '{"title":"a"}\n')
    const startedMs = performance.now()
    const env = { ENTREPOT_PORT: String(await freePort()), ENTREPOT_CLI_KEY: ADMIN_KEY }
    const { code, output } = await runEntrepot(['import', 'articles', file], env)
    assert.equal(code, 1)
    assert.match(output, /No server answers at http:\/\/127\.0\.0\.1:\d+: start it with/)
    assertPrompt(performance.now() - startedMs, 10_000)
  })

  test('operation finding 18: an address that is no URL is not called a server that is away', async () => {
    for (const url of ['127.0.0.1:8080', 'localhost:8080', 'ftp://127.0.0.1']) {
      const { code, output } = await runEntrepot(['types', '--url', url, '--key', ADMIN_KEY], {})
      assert.equal(code, 2)
      assert.match(output, /^entrepot: --url must start with https:\/\/ or http:\/\/, not "/)
    }
  })
})

function listen(child: ChildProcess) {
  const seen = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => {
    seen.out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    seen.err += chunk
  })
  return { out: () => seen.out, err: () => seen.err }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function assertLinksWork(url: string): Promise<void> {
  const page = await (await fetch(`${url}/`)).text()
  const links = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) => href)
  assert.ok(links.length >= 3)
  for (const href of links) assert.equal((await fetch(new URL(href, url))).status, 200, href)
}

function assertPrivate(path: string): void {
  const stats = lstatSync(path)
  if (stats.isDirectory()) {
    assert.equal(stats.mode & 0o777, 0o700, path)
    for (const name of readdirSync(path)) assertPrivate(join(path, name))
  } else assert.equal(stats.mode & 0o077, 0, path)
}
