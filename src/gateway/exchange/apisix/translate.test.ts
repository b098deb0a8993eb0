import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../resources/values.ts'
import type { Item } from '../items.ts'
import { toApisix } from './translate.ts'

const API = 'http://127.0.0.1:8080'
const route = (value: JsonObject): Item => ({
  kind: 'routes',
  id: '1',
  value: { uri: '/', ...value },
})
const item = (kind: Item['kind'], id: string, value: JsonObject): Item => ({ kind, id, value })

function translate(...items: Item[]) {
  const { items: all, notes } = toApisix(items, API)
  const by = new Map(all.map(({ kind, id, value }) => [`${kind}/${id}`, value]))
  return { by, notes: notes.map(({ of, member }) => `${of} ${member}`.trim()) }
}

test('export: what has an equal stays word for word, and nothing is said', () => {
  const plugins = {
    'key-auth': { header: 'X-Key' },
    cors: {},
    'limit-count': { count: 1, time_window: 1 },
  }
  const value = { uris: ['/a', '/b/*'], methods: [], vars: [['arg_a', '==', '1']], plugins }
  const given = item('routes', '1', value)
  const { by, notes } = translate(given)
  assert.deepEqual(by.get('routes/1'), value)
  assert.deepEqual(notes, [])
})

test('export: rate-limiting becomes limit-count and refuses with 429 as before', () => {
  const { by } = translate(route({ plugins: { 'rate-limiting': { count: 5, time_window: 1.5 } } }))
  assert.deepEqual(by.get('routes/1')?.['plugins'], {
    'limit-count': { rejected_code: 429, count: 5, time_window: 2 },
  })
  const month = { count: 5, calendar: true, calendar_unit: 'month', timezone: 'UTC' }
  const calendar = translate(route({ plugins: { 'rate-limiting': month } }))
  assert.deepEqual(calendar.by.get('routes/1')?.['plugins'], {
    'limit-count': { rejected_code: 429, count: 5, time_window: 2_592_000 },
  })
  assert.deepEqual(calendar.notes, ['routes/1 plugins.rate-limiting.calendar'])
  const rules = [
    { count: 1, time_window: 1 },
    { count: 2, time_window: 60, key: 'http_x' },
  ]
  const ruled = translate(route({ plugins: { 'rate-limiting': { rules } } }))
  assert.deepEqual(ruled.by.get('routes/1')?.['plugins'], {
    'limit-count': {
      rejected_code: 429,
      rules: [
        { count: 1, time_window: 1, key: '$remote_addr' },
        { count: 2, time_window: 60, key: '$http_x' },
      ],
    },
  })
})

test('export: a route that loses a plugin is switched off, wherever the plugin was', () => {
  const sold = { 'plan-access': {} }
  for (const [name, conf] of [
    ['plan-access', {}],
    ['serverless-pre-function', { functions: ['() => {}'] }],
    ['jwt-auth', { claims_to_headers: { sub: 'X-User' } }],
    [
      'rate-limiting',
      {
        rules: [
          { count: 1, time_window: 1 },
          { count: 2, time_window: 9 },
        ],
      },
    ],
  ] as const) {
    const { by, notes } = translate(route({ plugins: { [name]: conf, cors: {} } }))
    assert.deepEqual(by.get('routes/1'), { uri: '/', plugins: { cors: {} }, status: 0 }, name)
    assert.deepEqual(notes, [`routes/1 plugins.${name}`, 'routes/1 status'])
  }
  const owners: [Item, JsonObject][] = [
    [item('services', 's', { plugins: sold }), { service_id: 's' }],
    [item('plugin_configs', 'p', { plugins: sold }), { plugin_config_id: 'p' }],
    [item('global_rules', 'g', { plugins: sold }), {}],
  ]
  for (const [owner, members] of owners) {
    const off = translate(owner, route({ plugins: {}, ...members }))
    assert.equal(off.by.get('routes/1')?.['status'], 0, owner.kind)
  }
  const [service] = owners[0] ?? []
  const other = translate(...(service ? [service] : []), route({ plugins: {} }))
  assert.equal(other.by.get('routes/1')?.['status'], undefined)
})

test('export: a consumer that loses a plugin stays behind with its credentials', () => {
  const lost = { 'serverless-pre-function': { functions: ['() => {}'] } }
  const { by, notes } = translate(
    item('consumer_groups', 'g', { plugins: lost }),
    item('consumers', 'ann', { username: 'ann', plugins: lost }),
    item('consumers', 'bob', { username: 'bob', group_id: 'g' }),
    item('consumers', 'cat', { username: 'cat' }),
    ...['ann', 'bob', 'cat'].map((name) => item('credentials', `${name}/one`, {})),
  )
  const names = [...by.keys()].filter((name) => /^(consumers|credentials)/.test(name))
  assert.deepEqual(names, ['consumers/cat', 'credentials/cat/one'])
  assert.ok(notes.includes('consumers/bob'))
})

test('export: what is disabled and would let in there stays behind', () => {
  const key = (disable: boolean) => ({ plugins: { 'key-auth': { key: 'k', _meta: { disable } } } })
  const { by, notes } = translate(
    item('consumers', 'ann', { username: 'ann', ...key(true) }),
    item('credentials', 'ann/one', key(true)),
    item('credentials', 'ann/two', key(false)),
  )
  assert.deepEqual(by.get('consumers/ann')?.['plugins'], {})
  assert.deepEqual(by.get('credentials/ann/one')?.['plugins'], {})
  assert.deepEqual(by.get('credentials/ann/two'), key(false))
  assert.deepEqual(notes, [
    'consumers/ann plugins.key-auth',
    'credentials/ann/credentials/one plugins.key-auth',
  ])
})

test('export: checks, hashing and members of upstreams, inside routes and splits too', () => {
  const given = {
    ...{ nodes: { 'a:1': 1 }, type: 'chash', key: 'http_x' },
    checks: {
      when_all_unhealthy: 'fail',
      active: { interval: 0.5, unhealthy: { http_failures: 0, timeouts: 2 } },
    },
  }
  const wanted = {
    ...{ nodes: { 'a:1': 1 }, type: 'chash', hash_on: 'vars_combinations', key: '$http_x' },
    checks: { active: { healthy: { interval: 1 }, unhealthy: { interval: 1, timeouts: 2 } } },
  }
  const split = { rules: [{ weighted_upstreams: [{ upstream: given, guard: {} }, { weight: 1 }] }] }
  const { by, notes } = translate(
    item('upstreams', 'u', given),
    route({ upstream: given, plugins: { 'traffic-split': { ...split, sticky: 'remote_addr' } } }),
  )
  assert.deepEqual(by.get('upstreams/u'), wanted)
  assert.deepEqual(by.get('routes/1'), {
    uri: '/',
    upstream: wanted,
    plugins: {
      'traffic-split': { rules: [{ weighted_upstreams: [{ upstream: wanted }, { weight: 1 }] }] },
    },
  })
  for (const member of [
    'checks.when_all_unhealthy',
    'key',
    'checks.active.unhealthy.http_failures',
  ]) {
    assert.ok(notes.includes(`upstreams/u ${member}`), member)
    assert.ok(notes.includes(`routes/1 upstream.${member}`), member)
  }
})

test('export: our own API is an upstream like any other, secrets in files are variables', () => {
  const { by, notes } = translate(
    route({ upstream_id: 'entrepot', plugins: { 'key-auth': {} } }),
    item('consumers', 'ann', {
      username: 'ann',
      plugins: { 'key-auth': { key: '$secret://file/ann.key' } },
    }),
  )
  assert.deepEqual(by.get('upstreams/entrepot'), {
    ...{ type: 'roundrobin', scheme: 'http', pass_host: 'node', nodes: { '127.0.0.1:8080': 1 } },
  })
  assert.deepEqual(by.get('consumers/ann')?.['plugins'], { 'key-auth': { key: '$env://ANN_KEY' } })
  assert.deepEqual(notes, ['consumers/ann plugins.key-auth.key', 'upstreams/entrepot nodes'])
})

test('export: what the other side has no members or objects for is left out and named', () => {
  const { by, notes } = translate(
    item('ssls', 'any', { cert: 'c', key: 'k' }),
    item('ssls', 'one', { sni: 'a.test', name: 'n', cert: 'c', key: 'k' }),
    item('global_rules', 'g', { name: 'n', desc: 'd', plugins: {} }),
    item('plugin_metadata', 'plan-access', {}),
    item('plugin_metadata', 'rate-limiting', { a: 1 }),
  )
  assert.deepEqual([...by.keys()], ['ssls/one', 'plugin_metadata/limit-count', 'global_rules/g'])
  assert.deepEqual(by.get('ssls/one'), { sni: 'a.test', cert: 'c', key: 'k' })
  assert.deepEqual(by.get('global_rules/g'), { plugins: {} })
  assert.deepEqual(notes, [
    ...['ssls/any', 'ssls/one name', 'global_rules/g name', 'global_rules/g desc'],
    'plugin_metadata/plan-access',
  ])
})

const pluginOf = (name: string, conf: JsonObject) => {
  const { by, notes } = translate(route({ plugins: { [name]: conf } }))
  const { plugins, status } = by.get('routes/1') ?? {}
  return { conf: Object(plugins)[name], isOff: status === 0, notes }
}

test('export: where the same words would let more in there, others are written', () => {
  assert.deepEqual(pluginOf('cors', { allow_origins_by_regex: ['^https://'] }).conf, {
    ...{ allow_origins_by_regex: ['^https://'], allow_origins: 'http://nobody.invalid' },
  })
  const provider = { discovery: 'https://a.test', client_id: 'a', client_secret: 'b' }
  assert.deepEqual(pluginOf('openid-connect', { ...provider, bearer_only: true }).conf, {
    ...{ accept_unsupported_alg: false, ssl_verify: true, use_nonce: true, use_pkce: true },
    ...{ ...provider, bearer_only: true },
  })
})

test('export: a cache is used only where it keeps the answers of everybody apart there too', () => {
  const whose = ['$http_authorization', '$consumer_name', '$http_x_access_token', '$http_cookie']
  const memory = { cache_strategy: 'memory', cache_zone: 'memory_cache' }
  const key = ['$host', '$request_uri']
  const conf = { no_cache: ['$arg_a$arg_b', '0'], cache_bypass: ['a$arg_a'], cache_ttl: 5 }
  assert.deepEqual(pluginOf('proxy-cache', { ...conf, cache_key: ['$host$request_uri'] }).conf, {
    ...{ ...memory, cache_ttl: 5, cache_key: key },
    ...{ cache_bypass: ['always'], no_cache: [...whose, '$arg_a', '$arg_b'] },
  })
  const used = { ...memory, cache_bypass: whose, no_cache: whose }
  const unused = { ...memory, cache_bypass: ['always'], no_cache: ['always'] }
  for (const cache_key of [
    ['$consumer_name', '$arg_id'],
    ['$host', '$request_uri', '$consumer_name'],
    ['$host', '$uri', '$arg_id'],
    ['$request_method$uri'],
    ['$host-$request_uri'],
    ['$request_uri'],
  ]) {
    const { conf, isOff, notes } = pluginOf('proxy-cache', { cache_key, cache_ttl: 5 })
    assert.deepEqual({ conf, isOff }, { conf: unused, isOff: false }, cache_key.join())
    assert.deepEqual(notes, ['routes/1 plugins.proxy-cache'])
  }
  const cached = { 'proxy-cache': {} }
  const cacheOf = (of: string, ...items: Item[]) =>
    Object(translate(...items).by.get(of)?.['plugins'])['proxy-cache']
  assert.deepEqual(cacheOf('routes/1', route({ plugins: cached })), used)
  assert.deepEqual(cacheOf('routes/1', route({ plugins: { ...cached, 'key-auth': {} } })), unused)
  const vars = [['arg_a', '==', '1']]
  assert.deepEqual(cacheOf('routes/1', route({ plugins: cached, vars })), unused)
  const service = item('services', 's', { plugins: cached })
  assert.deepEqual(cacheOf('services/s', service, route({ service_id: 's' })), used)
  assert.deepEqual(cacheOf('services/s', service, route({ service_id: 's', vars })), unused)
})

test('export: settings that would let more in there, or are not taken, switch the route off', () => {
  const only = [{ user: 'ann', methods: ['GET'] }]
  for (const [name, conf] of [
    ['consumer-restriction', { whitelist: ['ann'], allowed_by_methods: only }],
    ['consumer-restriction', { type: 'route_id', whitelist: ['1'] }],
    ['openid-connect', { discovery: 'https://a.test', client_id: 'a', client_secret: 'b' }],
    ['request-validation', { body_schema: { items: { prefixItems: [{}] } } }],
    ['request-validation', { body_schema: { properties: { a: { format: 'date' } } } }],
    ['proxy-rewrite', { host: 'a_b.test' }],
    ['response-rewrite', { headers: { add: { Link: '<https://a.test>' } } }],
    ['limit-req', { rate: 1, burst: 0, key: 'uri', policy: 'redis', redis_host: 'r' }],
    ['real-ip', { source: 'http_x', trusted_addresses: ['fe80::1%lo'] }],
  ] as const) {
    const { conf: left, isOff } = pluginOf(name, conf)
    assert.deepEqual({ left, isOff }, { left: undefined, isOff: true }, name)
  }
  const properties = { prefixItems: { enum: [{ format: 'date' }] } }
  assert.deepEqual(pluginOf('request-validation', { body_schema: { properties } }).notes, [])
  const named = { 'key-auth': {}, 'consumer-restriction': { type: 'route_id', whitelist: ['1'] } }
  assert.deepEqual(translate(route({ plugins: named })).notes, [])
})

test('export: rules for headers have one value for a name, and nothing empty', () => {
  const headers = {
    set: { 'X-A': ['a', 'b'], Cookie: ['c=1', 'd=2'], 'X-B': '', 'X-C': 1 },
    ...{ add: ['X-D: e', 'X-D: f'], remove: ['x-a', 'X-E'] },
  }
  assert.deepEqual(pluginOf('proxy-rewrite', { headers }).conf, {
    headers: {
      set: { 'X-A': 'a, b', Cookie: 'c=1; d=2', 'X-C': 1 },
      ...{ add: { 'X-D': 'e, f' }, remove: ['X-E', 'X-B'] },
    },
  })
  const add = { 'X-A': ['a', 1] }
  assert.deepEqual(pluginOf('response-rewrite', { headers: { add, remove: [] } }).conf, {
    headers: { add: ['X-A: a', 'X-A: 1'] },
  })
  // What it keeps away from the route, such as the rules of a service, it still does.
  const nothing = { use_real_request_uri_unsafe: false }
  assert.deepEqual(pluginOf('proxy-rewrite', { headers: {} }).conf, nothing)
})
