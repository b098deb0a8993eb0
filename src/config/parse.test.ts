import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { OperatorError } from '#kernel'
import { createCatalogue } from './catalogue.ts'
import { parseConfig } from './parse.ts'

const machine = { cores: 8 }
const ADMIN_KEY = `sk_${'aB3'.repeat(16)}`

describe('defaults', () => {
  test('nothing set gives a development server on loopback with SQLite', () => {
    const config = fromEnvironment({})
    assert.equal(config.port, 8080)
    assert.equal(config.host, '127.0.0.1')
    assert.equal(config.gateway.port, 9080)
    assert.equal(config.databaseUrl, undefined)
    assert.deepEqual(config.roles, ['api', 'gateway', 'worker'])
    assert.equal(config.env, 'development')
    assert.equal(config.auth.basic, true)
    assert.deepEqual(config.webhooks.retrySchedule.slice(0, 2), [5, 300])
    assert.equal(config.origins['port'], 'default')
  })

  test('a host that others can reach makes it production, unless the environment is set', () => {
    assert.equal(fromEnvironment({ ENTREPOT_HOST: '0.0.0.0' }).env, 'production')
    assert.equal(fromEnvironment({ ENTREPOT_HOST: '0.0.0.0' }).auth.basic, false)
    for (const host of ['127.0.0.9', '::1', 'localhost']) {
      assert.equal(fromEnvironment({ ENTREPOT_HOST: host }).env, 'development')
    }
    assert.equal(fromEnvironment({ ENTREPOT_HOST: '127.example.org' }).env, 'production')
    assert.equal(fromEnvironment({ ENTREPOT_HOST: '0.0.0.0', ENTREPOT_ENV: 'test' }).env, 'test')
  })

  test('the gateway listens where the API does and leaves one core to it', () => {
    assert.equal(fromEnvironment({ ENTREPOT_HOST: '10.0.0.1' }).gateway.host, '10.0.0.1')
    const threads = [1, 2, 3, 64].map(
      (cores) => parseConfig({ env: {}, cwd: tmpdir(), machine: { cores } }).gateway.threads,
    )
    assert.deepEqual(threads, [1, 1, 2, 4])
  })

  test('notifications use the mail server of the product, which keeps its origin', () => {
    const config = fromEnvironment({ ENTREPOT_SMTP_URL: 'smtp://mail.example.org' })
    assert.equal(config.webhooks.smtpUrl, 'smtp://mail.example.org')
    assert.equal(config.origins['webhooks.smtp_url'], 'environment')
  })

  test('operation finding 16: public_url is an origin; a path in it is refused', () => {
    const given = (url: string) => fromEnvironment({ ENTREPOT_PUBLIC_URL: url }).publicUrl
    assert.equal(given('https://api.example.org/'), 'https://api.example.org')
    assert.equal(given('http://api.example.org:8443'), 'http://api.example.org:8443')
    for (const rest of ['/shop', '/shop/', '?a=1', '/#a']) {
      assert.throws(() => given(`https://api.example.org${rest}`), /public_url must be scheme/)
    }
    assert.throws(() => given('https://user:secret@api.example.org'), /public_url must be scheme/)
  })

  test('the data directory becomes absolute, so that it means the same in every thread', () => {
    const config = parseConfig({ env: {}, cwd: '/srv/shop', machine })
    assert.equal(config.dataDir, '/srv/shop/data')
  })

  test('the result cannot be changed, and one result never changes another', () => {
    const config = fromEnvironment({})
    assert.throws(() => Reflect.apply(Array.prototype.push, config.roles, ['x']), TypeError)
    assert.equal(Reflect.set(config.gateway, 'port', 1), false)
    assert.notEqual(config.webhooks.retrySchedule, fromEnvironment({}).webhooks.retrySchedule)
  })
})

describe('environment', () => {
  test('text becomes the kind of value the setting has', () => {
    const config = fromEnvironment({
      ENTREPOT_PORT: ' 3000 ',
      ENTREPOT_GATEWAY_UPSTREAM_TLS_VERIFY: 'off',
      ENTREPOT_WEBHOOKS_HTTPS_ONLY: 'TRUE',
      ENTREPOT_WEBHOOKS_JITTER: '0.5',
      ENTREPOT_ROLES: 'api, worker',
      ENTREPOT_WEBHOOKS_ALLOW_NETS: '127.0.0.0/8,::1/128',
      ENTREPOT_WEBHOOKS_RETRY_SCHEDULE: '[1, 2, 3]',
      ENTREPOT_CORS_ORIGINS: '[]',
      ENTREPOT_DELIVERY_MEDIA_ENABLED: 'no',
      ENTREPOT_ADMIN_KEY: ADMIN_KEY,
    })
    assert.equal(config.port, 3000)
    assert.equal(config.gateway.upstreamTlsVerify, false)
    assert.equal(config.webhooks.httpsOnly, true)
    assert.equal(config.webhooks.jitter, 0.5)
    assert.deepEqual(config.roles, ['api', 'worker'])
    assert.deepEqual(config.webhooks.allowNets, ['127.0.0.0/8', '::1/128'])
    assert.deepEqual(config.webhooks.retrySchedule, [1, 2, 3])
    assert.deepEqual(config.cors.origins, [])
    assert.equal(config.delivery.mediaEnabled, false)
    assert.equal(config.admin.key, ADMIN_KEY)
    assert.equal(config.origins['delivery.Media.Enabled'], 'environment')
  })

  test('an empty variable counts as not set', () => {
    const config = fromEnvironment({ ENTREPOT_PORT: '', ENTREPOT_DATABASE_URL: '' })
    assert.equal(config.port, 8080)
    assert.equal(config.databaseUrl, undefined)
  })

  test('variables of other programs are left alone', () => {
    assert.equal(fromEnvironment({ PORT: '1', HOME: '/root', entrepot_port: '2' }).port, 8080)
  })

  test('an unknown variable is refused by name, with the nearest known one', () => {
    refuses({ ENTREPOT_PROT: '1' }, /ENTREPOT_PROT is not a setting; did you mean ENTREPOT_PORT\?/)
    refuses({ ENTREPOT_GATEWAY_THREAD: '1' }, /did you mean ENTREPOT_GATEWAY_THREADS\?/)
  })

  const wrong: Record<string, string> = {
    ENTREPOT_PORT: 'http',
    ENTREPOT_GATEWAY_PORT: '65536',
    ENTREPOT_GATEWAY_THREADS: '0',
    ENTREPOT_STORAGE_READERS: '1.5',
    ENTREPOT_WEBHOOKS_JITTER: '2',
    ENTREPOT_ENV: 'staging',
    ENTREPOT_ROLES: 'api,cron',
    ENTREPOT_STARTER: 'Types',
    ENTREPOT_AUTH_BASIC: 'maybe',
    ENTREPOT_DATABASE_URL: 'mysql://localhost/x',
    ENTREPOT_REDIS_URL: 'localhost:6379',
    ENTREPOT_TRUSTED_PROXIES: '10.0.0.0/33',
    ENTREPOT_SCRAPERS_ALLOW_NETS: 'intranet',
    ENTREPOT_WEBHOOKS_RETRY_SCHEDULE: '[1,"x"]',
    ENTREPOT_CORS_ORIGINS: 'https://example.org/',
    ENTREPOT_ADMIN_KEY: 'sk_short',
    ENTREPOT_MASTER_KEY: 'short',
    ENTREPOT_GATEWAY_METRIC_PREFIX: '9x',
  }
  for (const [variable, text] of Object.entries(wrong)) {
    test(`${variable}=${text} is refused with what it must be`, () => {
      refuses({ [variable]: text }, new RegExp(`^Wrong configuration: ${variable} must be `))
    })
  }

  test('a refusal never shows a secret, nor the password inside a URL', () => {
    const message = refusal({
      ENTREPOT_MASTER_KEY: 'hunter2',
      ENTREPOT_DATABASE_URL: 'mysql://user:hunter2@db/x',
      ENTREPOT_REDIS_URL: 'hunter2 at redis',
    })
    assert.doesNotMatch(message, /hunter2/)
    assert.match(message, /ENTREPOT_DATABASE_URL .* not "mysql:\/\/user:\*\*\*@db\/x"/)
  })

  test('every problem is listed, not only the first', () => {
    const message = refusal({
      ENTREPOT_PORT: 'x',
      ENTREPOT_STARTER: 'all',
      ENTREPOT_COLOUR: 'red',
    })
    assert.match(message, /^Wrong configuration, 3 problems:\n/)
    assert.equal(message.split('\n').length, 4)
  })
})

describe('file', () => {
  test('groups and dotted names mean the same', (t) => {
    const cwd = directory(t, { port: 3000, gateway: { port: 4000 }, 'log.level': 'warn' })
    const config = parseConfig({ env: {}, cwd, machine })
    assert.equal(config.port, 3000)
    assert.equal(config.gateway.port, 4000)
    assert.equal(config.log.level, 'warn')
    assert.equal(config.origins['gateway.port'], 'file')
    assert.equal(config.config, join(cwd, 'entrepot.config.json'))
  })

  test('members that a contract spells its own way are taken in that spelling', (t) => {
    const cwd = directory(t, { delivery: { PublicAccess: false, Media: { Enabled: false } } })
    const { delivery } = parseConfig({ env: {}, cwd, machine })
    assert.deepEqual([delivery.publicAccess, delivery.mediaEnabled], [false, false])
  })

  test('the environment wins over the file', (t) => {
    const cwd = directory(t, { port: 3000 })
    const config = parseConfig({ env: { ENTREPOT_PORT: '5000' }, cwd, machine })
    assert.equal(config.port, 5000)
    assert.equal(config.origins['port'], 'environment')
  })

  test('null counts as not set', (t) => {
    const cwd = directory(t, { port: null, gateway: { threads: null } })
    assert.equal(parseConfig({ env: {}, cwd, machine }).port, 8080)
  })

  test('another file is named by option or variable, the option first', (t) => {
    const cwd = directory(t, { port: 1 })
    writeFileSync(join(cwd, 'b.json'), '{"port": 2}')
    writeFileSync(join(cwd, 'c.json'), '\uFEFF{"port": 3}')
    const env = { ENTREPOT_CONFIG: 'b.json' }
    assert.equal(parseConfig({ env, cwd, machine }).port, 2)
    assert.equal(parseConfig({ env, cwd, machine, file: 'c.json' }).port, 3)
  })

  test('a named file must exist; the default one need not', () => {
    const cwd = tmpdir()
    assert.throws(() => parseConfig({ env: {}, cwd, file: 'absent.json' }), {
      name: 'OperatorError',
      message: /Cannot read the settings file .*absent\.json: there is no such file/,
    })
  })

  test('text is not taken for a number: the file has types of its own', (t) => {
    refusesFile(t, { port: '3000' }, /port must be a whole number .* not "3000"/)
  })

  test('an unknown member is refused by its full name, with the nearest known one', (t) => {
    refusesFile(t, { gatway: { port: 1 } }, /gatway\.port .* did you mean gateway\.port\?/)
    refusesFile(t, { 'gateway.Port': 1 }, /did you mean gateway\.port\?/)
    refusesFile(t, JSON.parse('{"__proto__": {"port": 1}}'), /__proto__\.port is not a setting/)
  })

  test('a group that is no object, a member twice and the file inside itself are refused', (t) => {
    refusesFile(t, { gateway: 9080 }, /gateway must be an object with members such as gateway\./)
    refusesFile(t, { gateway: { port: 1 }, 'gateway.port': 2 }, /gateway\.port is set twice/)
    refusesFile(t, { config: 'x.json' }, /config cannot be set in the file/)
  })

  test('broken JSON is refused with its place and without quoting the file', (t) => {
    const cwd = directory(t, '{\n  "master_key": "hunter2hunter2",\n  oops\n}')
    assert.throws(
      () => parseConfig({ env: {}, cwd }),
      (error: Error) => {
        assert.ok(error instanceof OperatorError)
        assert.match(error.message, /entrepot\.config\.json is not valid JSON/)
        assert.doesNotMatch(error.message, /hunter2/)
        return error.cause === undefined
      },
    )
    refusesFile(t, '[1]', /must hold a JSON object/)
  })
})

describe('settings that do not fit together', () => {
  test('API and gateway on one port', () => {
    refuses({ ENTREPOT_PORT: '9080' }, /port and gateway\.port are both 9080/)
    const tls = { ENTREPOT_GATEWAY_TLS_PORT: '9443' }
    refuses({ ...tls, ENTREPOT_PORT: '9443' }, /: port and gateway\.tls_port are both 9443/)
    refuses(
      { ...tls, ENTREPOT_GATEWAY_PORT: '9443' },
      /gateway\.port and gateway\.tls_port are both/,
    )
    fromEnvironment({ ENTREPOT_PORT: '9080', ENTREPOT_ROLES: 'api' })
    fromEnvironment({ ENTREPOT_PORT: '0', ENTREPOT_GATEWAY_PORT: '0' })
  })

  test('a gateway-only node without the secret of the main API', () => {
    refuses({ ENTREPOT_API_URL: 'https://api.example.org' }, /api_url needs api_secret/)
    const secret = { ENTREPOT_API_SECRET: 'sixteen-characters' }
    refuses({ ENTREPOT_API_URL: 'https://x.org/api', ...secret }, /api_url must not have a path/)
  })
})

test('every setting has a summary, one variable, and a default or a reason to have none', () => {
  const { all, byName, byVariable } = createCatalogue()
  assert.equal(byName.size, all.length)
  assert.equal(byVariable.size, all.length)
  for (const setting of all) {
    assert.notEqual(setting.summary, '', setting.name)
    assert.match(setting.variable, /^ENTREPOT_[A-Z0-9_]+$/)
    const filled = setting.default !== undefined || setting.derived !== undefined
    assert.ok(filled || setting.optional, `${setting.name} has no default`)
  }
})

function fromEnvironment(env: Record<string, string>) {
  return parseConfig({ env, cwd: join(tmpdir(), 'entrepot-no-such-directory'), machine })
}

function refusal(env: Record<string, string>): string {
  try {
    fromEnvironment(env)
  } catch (error) {
    if (error instanceof OperatorError) return error.message
    throw error
  }
  return assert.fail('was accepted')
}

function refuses(env: Record<string, string>, message: RegExp) {
  assert.match(refusal(env), message)
}

function refusesFile(t: TestContext, content: unknown, message: RegExp) {
  const cwd = directory(t, content)
  assert.throws(() => parseConfig({ env: {}, cwd, machine }), { name: 'OperatorError', message })
}

function directory(t: TestContext, content: unknown): string {
  const cwd = mkdtempSync(join(tmpdir(), 'entrepot-config-'))
  t.after(() => rmSync(cwd, { recursive: true }))
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  writeFileSync(join(cwd, 'entrepot.config.json'), text)
  return cwd
}
