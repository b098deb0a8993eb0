import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, existsSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { checkCertificate, checkClock, type Finding } from '#doctor'
import {
  ADMIN_KEY,
  createCalls,
  emptyInstallation,
  freePort,
  installation,
  runEntrepot,
  startServer,
  temporaryDirectory,
  testRedis,
} from '#test-kit'
import { createCertificate } from '../../conformance/support/certificate.ts'

const DAY_MS = 24 * 60 * 60_000

describe('entrepot doctor', () => {
  test('operation: before the first start it finds nothing wrong and makes nothing', async () => {
    const env = await installation('sqlite', {
      ENTREPOT_DATA_DIR: join(temporaryDirectory(), 'new'),
    })
    const { code, found } = await examine(env)
    assert.equal(code, 0)
    assert.deepEqual(
      found.map(({ check, state }) => `${check.replace(/ \d+$/, '')} ${state}`),
      [
        'settings ok',
        'data directory ok',
        'free disk ok',
        'database (SQLite) ok',
        'port ok',
        'gateway.port ok',
      ],
    )
    assert.ok(!existsSync(env['ENTREPOT_DATA_DIR'] ?? ''))
    const { output } = await runEntrepot(['doctor'], env)
    assert.match(output, /^ok {7}settings: environment and defaults$/m)
  })

  test('operation: a wrong setting is the one fault that is told', async () => {
    const { code, found } = await examine({ ENTREPOT_PORT: 'many' })
    assert.equal(code, 1)
    assert.deepEqual([found.length, found[0]?.check, found[0]?.state], [1, 'settings', 'fault'])
    assert.match(found[0]?.says ?? '', /ENTREPOT_PORT must be a whole number/)
  })

  test('operation: data directory, Redis, Chromium, certificates and ports that cannot be used', async (t) => {
    const directory = temporaryDirectory()
    const file = join(directory, 'file')
    writeFileSync(file, '')
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    t.after(() => taken.close())
    const address = taken.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const certificate = { cert: file, key: file }
    const { code, found, output } = await examine({
      ...(await installation('sqlite', { ENTREPOT_DATA_DIR: file })),
      ENTREPOT_PORT: String(port),
      ENTREPOT_REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
      ENTREPOT_SCRAPERS_CHROMIUM: join(directory, 'no-chromium'),
      ENTREPOT_TLS_CERT: join(directory, 'no-cert'),
      ENTREPOT_TLS_KEY: file,
      ENTREPOT_GATEWAY_DEFAULT_CERTIFICATE: JSON.stringify(certificate),
    })
    assert.equal(code, 1, output)
    const faults = {
      'data directory': /is no directory/,
      redis: /no answer: .*ECONNREFUSED/,
      [`port ${port}`]: /taken by another program/,
      'certificate (tls)': /cannot read the file .*no-cert/,
      'certificate (gateway.default_certificate)': /not correct PEM/,
      chromium: /no-chromium does not start/,
    }
    for (const [check, says] of Object.entries(faults)) {
      const finding = found.find((each) => each.check === check)
      assert.equal(finding?.state, 'fault', `${check}: ${output}`)
      assert.match(finding?.says ?? '', says)
      assert.ok(finding?.next, check)
    }
    const { output: shown } = await runEntrepot(['doctor'], { ENTREPOT_DATA_DIR: file })
    assert.match(shown, /^fault {4}data directory: .*\n {9}→ Give it to the user/m)
  })

  test('operation: a server that runs uses its own ports; a stored certificate, a lost key, a broken database', async () => {
    const redis = testRedis()
    const server = await startServer(
      await installation('sqlite', {
        ENTREPOT_ADMIN_KEY: ADMIN_KEY,
        ENTREPOT_REDIS_URL: redis.url,
        ENTREPOT_REDIS_PREFIX: redis.prefix,
      }),
    )
    const { ok } = createCalls(() => server.url)
    const pair = createCertificate(['shop.example.com'])
    await ok('PUT', '/gateway/admin/ssls/shop', { body: { sni: 'shop.example.com', ...pair } })
    const { code, found, output } = await examine(server.env)
    assert.equal(code, 0, output)
    const says = (check: string) => found.find((each) => each.check === check)?.says ?? ''
    assert.match(says(`port ${server.env['ENTREPOT_PORT']}`), /in use by the server that runs/)
    assert.match(
      says(`gateway.port ${server.env['ENTREPOT_GATEWAY_PORT']}`),
      /in use by the server/,
    )
    assert.match(says('certificate (ssls/shop)'), /holds until 2049-12-31/)
    assert.match(says('master key'), /master\.key$/)
    assert.match(says('clock'), /from that of Redis/)

    server.signal('SIGTERM')
    await server.exited()
    chmodSync(server.dataDir, 0o755)
    const key = join(server.dataDir, 'master.key')
    renameSync(key, `${key}.lost`)
    const lost = await examine(server.env)
    assert.equal(lost.code, 1)
    assert.equal(stateOf(lost.found, 'data directory'), 'warning')
    assert.equal(statSync(server.dataDir).mode & 0o777, 0o755, 'nothing is changed')
    assert.equal(stateOf(lost.found, 'master key'), 'fault')
    assert.ok(!existsSync(key), 'no new key hides the loss')
    writeFileSync(key, `${'0'.repeat(64)}\n`, { mode: 0o600 })
    const other = await examine(server.env)
    assert.match(
      other.found.find(({ check }) => check === 'master key')?.says ?? '',
      /is not the key/,
    )

    const main = join(server.dataDir, 'entrepot.db')
    truncateSync(main, 0)
    writeFileSync(main, 'this is no database at all, but long enough to be looked at'.repeat(100))
    const broken = await examine(server.env)
    assert.equal(stateOf(broken.found, 'database (SQLite)'), 'fault', broken.output)
  })

  test('operation: PostgreSQL that does not answer, and one that does', async () => {
    const env = await emptyInstallation('postgres')
    const good = await examine(env)
    assert.equal(stateOf(good.found, 'database (PostgreSQL)'), 'warning', good.output)
    assert.match(good.found.find(({ check }) => check === 'clock')?.says ?? '', /of PostgreSQL/)
    const away = `postgres://nobody@127.0.0.1:${await freePort()}/none`
    const bad = await examine({ ...env, ENTREPOT_DATABASE_URL: away })
    assert.equal(stateOf(bad.found, 'database (PostgreSQL)'), 'fault', bad.output)
    assert.equal(bad.code, 1)
  })

  test('operation: what time does to certificates and clocks', () => {
    const { cert } = createCertificate(['a.example'])
    const end = Date.parse('2049-12-31T23:59:59Z')
    const at = (ms: number) => checkCertificate('tls', cert, ms).state
    assert.deepEqual(
      [at(end - 100 * DAY_MS), at(end - 3 * DAY_MS), at(end + DAY_MS), at(Date.UTC(2019))],
      ['ok', 'warning', 'fault', 'fault'],
    )
    const clock = (ms: number) => checkClock('Redis', ms, 1_000_000).state
    assert.deepEqual(
      [clock(1_000_100), clock(995_000), clock(1_100_000)],
      ['ok', 'warning', 'fault'],
    )
  })
})

async function examine(env: Record<string, string>) {
  const { code, output } = await runEntrepot(['doctor', '--json'], env)
  const found: readonly Finding[] = JSON.parse(output)
  return { code, output, found }
}

function stateOf(found: readonly Finding[], check: string): string | undefined {
  return found.find((each) => each.check === check)?.state
}
