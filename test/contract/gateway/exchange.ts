import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { needPrograms, runEntrepot } from '#test-kit'
import { createCertificate } from '../../conformance/support/certificate.ts'
import { assertApisix } from './apisix-schemas.ts'
import { createExchange, parse } from './exchange-support.ts'
import { GATEWAY_KEY, gatewaySuite } from './support.ts'

const run = promisify(execFile)
const certificate = (name: string) => createCertificate([name])
const [shown, other, ours] = [certificate('a.test'), certificate('b.test'), certificate('client')]

/** Every kind, with members of every sort that both gateways have. */
const EQUAL = {
  ssls: [
    {
      ...{ id: 'a', sni: 'a.test', ...shown, ssl_protocols: ['TLSv1.3'], labels: { team: 'one' } },
      client: { ca: other.cert, depth: 2 },
    },
    { id: 'many', snis: ['b.test', '*.b.test'], ...other, certs: [shown.cert], keys: [shown.key] },
    { id: 'ours', type: 'client', ...ours },
  ],
  upstreams: [
    {
      ...{ id: 'map', nodes: { '127.0.0.1:9': 3, 'localhost:10': 0 }, type: 'chash', key: 'arg_a' },
      checks: {
        active: { http_path: '/up', healthy: { interval: 2 }, unhealthy: { interval: 3 } },
        passive: { unhealthy: { http_statuses: [500], http_failures: 2 } },
      },
      ...{ retries: 1, retry_timeout: 5, timeout: { connect: 0.5, send: 1, read: 2 }, name: 'yes' },
    },
    {
      id: 'list',
      nodes: [
        { host: '127.0.0.1', port: 9, weight: 1, priority: 1 },
        { host: 'b.test', weight: 1 },
      ],
      ...{ scheme: 'https', pass_host: 'rewrite', upstream_host: 'b.test', type: 'least_conn' },
      ...{ tls: { client_cert_id: 'ours', verify: false }, keepalive_pool: { size: 1 } },
    },
    { id: 'pair', nodes: {}, tls: { client_cert: ours.cert, client_key: ours.key } },
  ],
  services: [
    { id: 's', name: '010', hosts: ['s.test'], upstream_id: 'map', plugins: { cors: {} } },
  ],
  plugin_configs: [
    { id: 'p.1', desc: 'a: b # c', plugins: { 'uri-blocker': { block_rules: ['^/x'] } } },
  ],
  consumer_groups: [{ id: 'g', plugins: { 'limit-count': { count: 9, time_window: 60 } } }],
  consumers: [
    { username: 'ann', group_id: 'g', labels: { custom_id: '7' } },
    { username: 'bob', plugins: { 'basic-auth': { username: 'bob', password: 'p: #"\n1' } } },
  ],
  credentials: [
    { id: 'ann/credentials/one', name: 'n', plugins: { 'key-auth': { key: 'of-ann' } } },
    { id: 'ann/credentials/2', plugins: { 'jwt-auth': { key: 'ann', secret: 's'.repeat(40) } } },
  ],
  plugin_metadata: [{ id: 'http-logger', log_format: { at: '$time_iso8601', '@x': '$host' } }],
  routes: [
    {
      ...{ id: '1', uris: ['/a/*', '/b'], methods: ['GET', 'POST'], priority: -1, status: 0 },
      ...{
        remote_addrs: ['10.0.0.0/8', '::1'],
        vars: [
          ['http_a', '~~', '^[0-9]+$'],
          ['arg_b', '1'],
        ],
      },
      ...{ service_id: 's', plugin_config_id: 'p.1', enable_websocket: true, upstream_id: 'list' },
      plugins: {
        'key-auth': { _meta: { disable: false, priority: 3, filter: [['arg_a', '==', '1']] } },
        'proxy-rewrite': { regex_uri: ['^/a/(.*)', '/$1'], headers: { set: { 'X-A': '$uri' } } },
        'response-rewrite': { body: 'one\ntwo\n', status_code: 201 },
      },
    },
    {
      ...{ id: '2', uri: '/split', host: '*.test', remote_addr: '127.0.0.1' },
      upstream: { nodes: { '127.0.0.1:9': 1 } },
      plugins: {
        'traffic-split': {
          rules: [
            {
              match: [{ vars: [['arg_v', '==', '2']] }],
              weighted_upstreams: [{ upstream_id: 'map', weight: 95 }, { weight: 5 }],
            },
          ],
        },
      },
    },
  ],
  global_rules: [{ id: 'all', plugins: { 'request-id': { algorithm: 'uuid' } } }],
}

/** What only this gateway has. */
const OURS = {
  upstreams: [
    {
      ...{ id: 'u', nodes: { '127.0.0.1:9': 1 } },
      checks: { active: { interval: 0.5 }, when_all_unhealthy: 'fail' },
    },
  ],
  routes: [
    {
      id: 'sold',
      uri: '/sold/:id',
      upstream_id: 'entrepot',
      plugins: { 'plan-access': { cost: 2 } },
    },
    {
      ...{ id: 'limited', uri: '/limited', upstream_id: 'u' },
      plugins: { 'rate-limiting': { count: 5, time_window: 60 }, 'proxy-cache': {} },
    },
    {
      ...{ id: 'scripted', uri: '/scripted', upstream_id: 'u' },
      plugins: { 'serverless-pre-function': { functions: ['() => 403'] } },
    },
  ],
  global_rules: [{ id: 'g', name: 'named', plugins: { prometheus: {} } }],
}

/** Answers to whom the cache here keeps for nobody else. */
const SOMEBODY = [
  ...['$http_authorization', '$consumer_name', '$http_x_access_token', '$http_cookie'],
]

const FOREIGN = `routes:
  - uri: /hello
    filter_func: "function(vars) return true end"
    upstream:
      nodes: {"127.0.0.1:1980": 1}
      type: roundrobin
    plugins:
      key-auth: {}
      zipkin: {endpoint: "http://127.0.0.1:9411", sample_ratio: 1}
  - id: 7
    uri: /lua
    upstream_id: 1
    plugins:
      serverless-pre-function:
        functions: ["return function() ngx.say('hello') end"]
upstreams:
  - id: 1
    nodes: {"127.0.0.1:1980": 1}
    type: roundrobin
stream_routes:
  - id: 1
    server_port: 1985
    upstream_id: 1
plugins:
  - name: ip-restriction
#END
`

export const exchange = gatewaySuite('export and import', (gateway) => {
  const { server } = gateway
  const { directory, store, stored, exportTo, exported, importFrom, fileOf } =
    createExchange(gateway)

  let whole = ''
  before(async () => {
    await store(EQUAL)
    const { out, read } = await exportTo('--with-secrets')
    whole = read('gateway.yaml')
    assert.equal(statSync(join(out, 'gateway.yaml')).mode & 0o077, 0)
  })

  test('gateway exchange: a directory that can never be made is told at once', async () => {
    // It takes no directories and says so as if there were no /proc.
    const args = ['gateway', 'export', '--out', '/proc/entrepot/export']
    const { code, output } = await runEntrepot(args, server().env)
    assert.equal(code, 1)
    assert.match(output, /^entrepot: \/proc\/entrepot\/export cannot be written to/m)
  })

  test('gateway exchange: an export holds every object, secrets and private keys too when they are wanted', () => {
    const back = parse(whole)
    const sorted = (lists: object) =>
      Object.fromEntries(
        Object.entries(lists).map(([kind, list]) => [
          kind,
          list.toSorted((a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
        ]),
      )
    assert.deepEqual(sorted(Object(back)), sorted(EQUAL))
  })

  test('gateway exchange: export and import give the same objects of every kind', async () => {
    await store({})
    const dry = await importFrom(fileOf(whole), '--dry-run')
    assert.equal(dry.code, 0, dry.err)
    assert.match(dry.out, /^\+ credentials\/ann\/credentials\/one$/m)
    assert.match(dry.out, /^17 new, 0 changed, 0 unchanged, 0 removed$/m)
    assert.deepEqual(await stored(), {}, 'a dry run stores nothing')
    const done = await importFrom(fileOf(whole))
    assert.equal(done.code, 0, done.err)
    assert.deepEqual(await exported(), parse(whole))
  })

  test('gateway exchange: secrets are masked unless they are wanted; a masked file changes none', async () => {
    const { read, output } = await exportTo()
    const masked = read('gateway.yaml')
    for (const secret of ['of-ann', 'PRIVATE KEY', 'ssss', 'p: #']) {
      assert.ok(whole.includes(secret) && !masked.includes(secret), secret)
    }
    assert.match(output, /^8 secrets are masked; --with-secrets writes them out\.$/m)
    const again = await importFrom(fileOf(masked.replace('priority: -1', 'priority: 2')))
    assert.equal(again.code, 0, again.err)
    assert.match(again.out, /^~ routes\/1\n0 new, 1 changed, 16 unchanged, 0 removed$/m)
    assert.deepEqual(await exported(), parse(whole.replace('priority: -1', 'priority: 2')))
    await store({})
    const elsewhere = await importFrom(fileOf(masked))
    assert.equal(elsewhere.code, 1)
    const lost = elsewhere.err.match(/^.+:\d+:\d+: .+: is masked and nothing is stored there/gm)
    assert.equal(lost?.length, 8, elsewhere.err)
    assert.match(elsewhere.err, /: credentials\/ann\/one plugins\.key-auth\.key: is masked/)
    assert.deepEqual(await stored(), {})
  })

  test('gateway exchange: the export for the modelled gateway fits its schemas and comes back the same', async () => {
    await store(EQUAL)
    const { out, read } = await exportTo('--to', 'apisix', '--with-secrets')
    assert.deepEqual(readdirSync(out).sort(), ['admin.sh', 'apisix.yaml', 'differences.md'])
    const text = read('apisix.yaml')
    assert.match(text, /\n#END\n$/)
    assertApisix(parse(text))
    assert.match(read('differences.md'), /Nothing: everything that is stored has an equal there/)
    await store({})
    const { code, err } = await importFrom(join(out, 'apisix.yaml'))
    assert.equal(code, 0, err)
    assert.deepEqual(await exported(), parse(whole))

    // Our administration speaks the same dialect, so the calls can be made here too.
    needPrograms('curl')
    await store({})
    const env = { APISIX_ADMIN_URL: `${server().url}/gateway/admin`, APISIX_ADMIN_KEY: GATEWAY_KEY }
    const made = await run('sh', [join(out, 'admin.sh')], { env: { ...process.env, ...env } })
    assert.match(made.stdout, /^consumers\/ann\/credentials\/one$/m)
    assert.deepEqual(await exported(), parse(whole))
    const wrong = { ...process.env, ...env, APISIX_ADMIN_KEY: 'wrong' }
    await assert.rejects(run('sh', [join(out, 'admin.sh')], { env: wrong }), /wrong apikey/)
  })

  test('gateway exchange: with masked secrets the modelled gateway loads nothing', async () => {
    const { out, read } = await exportTo('--to', 'apisix')
    const text = read('apisix.yaml')
    assert.doesNotMatch(text, /#END/)
    assert.match(text, /# 8 secrets are masked; export once more with --with-secrets/)
    const env = { ...process.env, APISIX_ADMIN_KEY: 'a', APISIX_ADMIN_URL: 'http://127.0.0.1:9' }
    await assert.rejects(run('sh', [join(out, 'admin.sh')], { env }), /8 secrets are masked/)
  })

  test('gateway exchange: what has no equal is named, and nothing is more open there', async () => {
    await store(OURS)
    const { read } = await exportTo('--to', 'apisix', '--with-secrets')
    const document = Object(parse(read('apisix.yaml')))
    assertApisix(document)
    const routes = new Map(document.routes.map((route: { id: string }) => [route.id, route]))
    assert.deepEqual(routes.get('sold'), {
      ...{ id: 'sold', uri: '/sold/:id', upstream_id: 'entrepot', plugins: {}, status: 0 },
    })
    assert.deepEqual(routes.get('scripted'), {
      ...{ id: 'scripted', uri: '/scripted', upstream_id: 'u', plugins: {}, status: 0 },
    })
    assert.deepEqual(routes.get('limited'), {
      ...{ id: 'limited', uri: '/limited', upstream_id: 'u' },
      plugins: {
        'limit-count': { rejected_code: 429, count: 5, time_window: 60 },
        'proxy-cache': {
          ...{ cache_strategy: 'memory', cache_zone: 'memory_cache' },
          ...{ cache_bypass: SOMEBODY, no_cache: SOMEBODY },
        },
      },
    })
    const differences = read('differences.md')
    for (const line of [
      /`routes\/sold` `plugins\.plan-access` has no equal: .*key-auth.*limit-count/,
      /`routes\/sold` `status` is 0/,
      /`routes\/sold` `uri` has parameters/,
      /`routes\/limited` `plugins\.proxy-cache` keeps answers apart by host and URI alone there/,
      /`routes\/scripted` `plugins\.serverless-pre-function` has no equal: scripts there are Lua/,
      /`upstreams\/u` `checks\.when_all_unhealthy` has no equal/,
      /`upstreams\/u` `checks\.active\.healthy\.interval` is 0\.5/,
      /`upstreams\/entrepot` `nodes` is built in here/,
      /`global_rules\/g` `name` has no equal/,
    ]) {
      assert.match(differences, line)
    }
  })

  test('gateway exchange: what is not understood is named by line and refused whole, or left out by name', async () => {
    await store(OURS)
    const kept = await stored()
    const file = fileOf(FOREIGN)
    const refused = await importFrom(file, '--replace')
    assert.equal(refused.code, 1)
    for (const line of [
      `${file}:3:5: routes/item-1 filter_func: `,
      `${file}:9:7: routes/item-1 plugins.zipkin: unknown plugin [zipkin]`,
      `${file}:15:21: routes/7 plugins.serverless-pre-function.functions.0: `,
      `${file}:20:1: stream_routes: unsupported resource type`,
      `${file}:24:1: plugins: unsupported resource type`,
      'Nothing was stored.',
    ]) {
      assert.ok(refused.err.includes(line), `${line}\n${refused.err}`)
    }
    const [, names = ''] = /--leave-out (\S+)/.exec(refused.err) ?? []
    assert.deepEqual(names.split(',').sort(), ['filter_func', 'plugins', 'stream_routes', 'zipkin'])
    assert.deepEqual(await stored(), kept)

    const all = `${names},serverless-pre-function,zipkn`
    const unsure = await importFrom(file, '--leave-out', all)
    assert.equal(unsure.code, 1)
    assert.match(unsure.out, /^- routes\/sold$/m)
    assert.match(unsure.err, /--replace/)
    assert.match(unsure.err, /--leave-out zipkn: nothing of this name had to be left out/)
    assert.deepEqual(await stored(), kept)

    const done = await importFrom(file, '--leave-out', all, '--replace')
    assert.equal(done.code, 0, done.err)
    const { routes, upstreams, ...others } = await stored()
    assert.deepEqual(others, {})
    const [first, second] = Object(routes)
    assert.deepEqual([first.id, first.plugins], ['7', {}])
    assert.deepEqual(
      [second.id, second.plugins, second.filter_func],
      ['item-1', { 'key-auth': {} }, undefined],
    )
    assert.equal(Object(upstreams).length, 1)
    const dry = await importFrom(file, '--leave-out', `${all},routes/7`, '--dry-run')
    assert.equal(dry.code, 1)
    assert.match(dry.err, /Say --replace to remove it/)
    const without = await importFrom(file, '--leave-out', `${all},routes/7`, '--replace')
    assert.match(without.out, /^- routes\/7\n/m)
  })

  test('gateway exchange: files that cannot be read are refused with the place', async () => {
    for (const [text, message] of [
      ['routes:\n  - id: 1\n    id: 2\n', /the name id is given twice \(line 3, column 5\)/],
      ['routes: {}\n', /:1:1: routes must be a list/],
      ['- a\n', /must hold lists of objects by their kind/],
      ['routes: [\n', /\(line 2, column 1\)/],
    ] as const) {
      const { code, err } = await importFrom(fileOf(text))
      assert.equal(code, 1)
      assert.match(err, message)
    }
    assert.match((await importFrom(join(directory, 'none'))).err, /cannot be read/)
    assert.match(
      (await importFrom(fileOf('routes: []'), '--key', 'wrong')).err,
      /401: .+wrong apikey/,
    )
    const latin = join(directory, 'latin.yaml')
    writeFileSync(latin, Buffer.from('routes:\n  - uri: /\u00d6l\n', 'latin1'))
    assert.match((await importFrom(latin)).err, /latin\.yaml is not UTF-8: save the file as UTF-8/)
  })
})
