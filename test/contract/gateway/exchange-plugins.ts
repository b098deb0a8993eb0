import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { PLUGINS } from './apisix-plugin-schemas.ts'
import { assertApisix } from './apisix-schemas.ts'
import { createExchange, parse } from './exchange-support.ts'
import { type Settings, variantsOf } from './exchange-variants.ts'
import { gatewaySuite } from './support.ts'

interface Item {
  readonly id?: string
  readonly username?: string
  readonly status?: number
  readonly plugins: Readonly<Record<string, Settings>>
}

const REDIS = { policy: 'redis', redis_host: 'redis.invalid' }
const COUNTS: Settings[] = [
  { count: 1, time_window: 1 },
  { count: 1, time_window: 1.5, ...REDIS },
  { count: 1, window_type: 'calendar', calendar_unit: 'month' },
  { rules: [{ count: 1, time_window: 1 }] },
]
const CONN = { conn: 1, burst: 0, default_conn_delay: 0.1 }
const RATE = { rate: 1, burst: 0, key: 'remote_addr' }
const PROVIDER = { discovery: 'https://a.test/x', client_id: 'a', client_secret: 'b' }
const CREDENTIALS = { allow_credential: true, allow_methods: '**', allow_headers: '**' }
/** What every setting of a plugin is tried beside; it is what is required, in each of its forms. */
const BASES: Readonly<Record<string, readonly Settings[]>> = {
  'api-breaker': [{ break_response_code: 503, break_response_body: 'b' }],
  'basic-auth': [{}],
  'consumer-restriction': [
    ...[{ whitelist: ['ann'] }, { blacklist: ['ann'] }],
    { whitelist: ['ann'], allowed_by_methods: [{ user: 'ann', methods: ['GET'] }] },
    { whitelist: ['ann'], allowed_by_methods: [{ user: 'bob', methods: ['GET'] }] },
    {
      allowed_by_methods: [
        { user: 'ann', methods: ['GET'] },
        { user: 'ann', methods: ['PUT', 'GET'] },
      ],
    },
  ],
  cors: [
    {},
    { ...CREDENTIALS, allow_origins: 'https://a.test' },
    { ...CREDENTIALS, allow_origins_by_regex: ['^https://'], expose_headers: 'X-A' },
  ],
  'file-logger': [{ path: 'exchange.log' }],
  'http-logger': [{ uri: 'http://127.0.0.1:9/' }],
  'ip-restriction': [{ whitelist: ['10.0.0.1'] }, { blacklist: ['10.0.0.1'] }],
  'jwt-auth': [{}],
  'key-auth': [{}],
  'limit-conn': [CONN, { ...CONN, ...REDIS }],
  'limit-count': COUNTS,
  'limit-req': [RATE, { ...RATE, ...REDIS }],
  'openid-connect': [
    { ...PROVIDER, session: { secret: 's'.repeat(16) } },
    ...[{ ...PROVIDER, bearer_only: true }, PROVIDER],
  ],
  prometheus: [{}],
  'proxy-cache': [{}, { cache_key: ['$consumer_name', '$cookie_a'] }, { no_cache: ['$arg_a'] }],
  'proxy-rewrite': [{}, { uri: '/a' }],
  'rate-limiting': COUNTS,
  'real-ip': [{ source: 'http_x' }],
  redirect: [{ uri: '/a' }, { regex_uri: ['^/a', '/b'] }, { http_to_https: true }],
  'request-id': [{}],
  'request-validation': [{ body_schema: { type: 'object' } }],
  'response-rewrite': [{}, { body: 'YWJj' }],
  'traffic-split': [{}, { rules: [{ weighted_upstreams: [{ weight: 1 }] }] }],
  'uri-blocker': [{ block_rules: ['^/x'] }],
}
/** These have no equal, or only under another name. */
const OURS = ['plan-access', 'serverless-post-function', 'serverless-pre-function', 'rate-limiting']

const pem = (pair: { publicKey: { export(options: object): string | Buffer } }) =>
  pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()
const ec = (namedCurve: string) => pem(generateKeyPairSync('ec', { namedCurve }))

/** Every algorithm with a key for it. */
function tokens(): Settings[] {
  const rsa = pem(generateKeyPairSync('rsa', { modulusLength: 2048 }))
  const secret = 's'.repeat(64)
  return [
    ...[{ secret }, { secret, lifetime_grace_period: 0 }],
    { secret: Buffer.from(secret).toString('base64'), base64_secret: true },
    ...['HS256', 'HS384', 'HS512'].map((algorithm) => ({ algorithm, secret })),
    ...['RS', 'PS'].flatMap((kind) =>
      [256, 384, 512].map((bits) => ({ algorithm: `${kind}${bits}`, public_key: rsa })),
    ),
    { algorithm: 'ES256', public_key: ec('prime256v1') },
    { algorithm: 'ES384', public_key: ec('secp384r1') },
    { algorithm: 'ES512', public_key: ec('secp521r1') },
    { algorithm: 'EdDSA', public_key: pem(generateKeyPairSync('ed25519')) },
  ]
}

function consumers(): Item[] {
  const settings: [string, Settings][] = [
    ['key-auth', { key: 'k' }],
    ['key-auth', { key: 'k'.repeat(4096) }],
    ['basic-auth', { username: 'u', password: 'p' }],
    ['basic-auth', { username: 'u'.repeat(256), password: 'p: ü'.repeat(1024) }],
    ...tokens().map((one, at): [string, Settings] => ['jwt-auth', { key: `t${at}`, ...one }]),
  ]
  return settings.map(([name, conf], at) => ({ username: `c${at}`, plugins: { [name]: conf } }))
}

function nameOf({ id, username }: Item): string {
  return id ? `routes/${id}` : `consumers/${username}`
}

/** Every member as it was; defaults may be written out, and rate-limiting has its other name. */
function isKept(item: Item, back: Item | undefined): boolean {
  return Object.entries(item.plugins).every(([name, conf]) => {
    const kept = back?.plugins[name === 'rate-limiting' ? 'limit-count' : name]
    return kept && Object.keys(conf).every((key) => isDeepStrictEqual(conf[key], kept[key]))
  })
}

export const exchangeOfPlugins = gatewaySuite('export and import of plugins', (gateway) => {
  const { admin } = gateway
  const { store, exportTo, exported, importFrom } = createExchange(gateway)
  let stored: { routes: Item[]; consumers: Item[] }
  let there: { routes: Item[]; consumers: Item[] }
  let differences = ''
  let file = ''

  before(async () => {
    const routes: Item[] = []
    for (const name of Object.keys(BASES)) routes.push(...(await routesWith(name)))
    await store({ routes, consumers: consumers() })
    stored = Object(await exported())
    const { out, read } = await exportTo('--to', 'apisix', '--with-secrets')
    file = join(out, 'apisix.yaml')
    there = Object(parse(read('apisix.yaml')))
    differences = read('differences.md')
  })

  /** A route for each of the settings that are taken here. */
  async function routesWith(name: string): Promise<Item[]> {
    const { body: schema } = await admin('GET', `/schema/plugins/${name}`)
    const all = (BASES[name] ?? []).flatMap((base, at) =>
      variantsOf(Object(schema), base, at === 0),
    )
    const unique = [...new Set(all.map((conf) => JSON.stringify(conf)))]
    const routes = unique.map((text, at) => {
      const id = `${name}-${at}`
      const conf: Settings = JSON.parse(text)
      // Whoever is in a group has the same settings.
      const group = conf['group'] === undefined ? {} : { group: id }
      return {
        id,
        uri: `/${id}`,
        upstream: { nodes: {} },
        plugins: { [name]: { ...conf, ...group } },
      }
    })
    const { status, body } = await admin('POST', '/configs/validate', { body: { routes } })
    assert.ok(status === 200 || status === 400, `${name}: ${status}`)
    const { errors = [] } = Object(body)
    const wrong = new Set(errors.map((error: { resource_id: string }) => error.resource_id))
    return routes.filter(({ id }) => !wrong.has(id))
  }

  test('gateway exchange: every plugin is known there, or has no equal', async () => {
    const { body: names } = await admin('GET', '/plugins/list')
    const known = [...Object.keys(PLUGINS), ...OURS]
    assert.deepEqual([...Object(names)].sort(), known.sort())
    const tried = new Set(stored.routes.flatMap(({ plugins }) => Object.keys(plugins)))
    assert.deepEqual([...tried].sort(), Object.keys(BASES).sort())
    assert.ok(stored.routes.length > 500, `${stored.routes.length} settings were tried`)
  })

  test('gateway exchange: whatever settings of a plugin are taken here fit the schemas there', () => {
    assertApisix(there)
  })

  test('gateway exchange: a route whose settings have no equal is off, and told', () => {
    const off = there.routes.filter(({ status }) => status === 0)
    for (const { id, plugins } of off) {
      assert.deepEqual(plugins, {}, `${id}`)
      assert.match(differences, new RegExp(`^- \`routes/${id}\` \`plugins\\.`, 'm'))
    }
    const lost = there.routes.filter(({ plugins }) => Object.keys(plugins).length === 0)
    assert.deepEqual(lost, off)
    assert.equal(there.routes.length, stored.routes.length)
    assert.equal(there.consumers.length, stored.consumers.length)
  })

  test('gateway exchange: settings come back as they were, or the difference is told', async () => {
    await store({})
    const { code, err } = await importFrom(file)
    assert.equal(code, 0, err)
    const back: typeof stored = Object(await exported())
    const found = new Map([...back.routes, ...back.consumers].map((item) => [nameOf(item), item]))
    const untold = [...stored.routes, ...stored.consumers].filter(
      (item) =>
        !isKept(item, found.get(nameOf(item))) && !differences.includes(`- \`${nameOf(item)}\` `),
    )
    assert.deepEqual(untold.slice(0, 5), [])
  })
})
