/** Every text that an operator can store, filled with what no operator should; then traffic. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { createCertificate } from '../../conformance/support/certificate.ts'
import { type GatewayServer, rawTarget, startUpstream, type Upstream } from './support.ts'

interface Extent {
  /** With all texts, not only the worst of each kind. */
  readonly isWhole: boolean
  /** How many hostile requests the administration gets. */
  readonly requests: number
}

/** An object to store; a route has a path of its own, so that it is the one that a request meets. */
interface Candidate {
  readonly kind: string
  readonly id: string
  readonly value: Json
}

/** The worst of each kind. */
const WORST = [
  ...['__proto__', 'constructor', 'uri_param_constructor', 'a\r\nX-Evil: 1', 'a\0b', '\ud800a'],
  ...['\u010a\u010d', '💥', '', 'x'.repeat(65_536), '$__proto__', `\${constructor}`, '$1', '\\$'],
  ...['(x+x+)+y', '\\p{L}{900}', '(', '%zz', '/:__proto__/*', '::1', '127.0.0.1:0'],
] as const
const TEXTS = [
  ...WORST,
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'arg___proto__',
    'http_constructor',
  ],
  ...['uri_param___proto__', 'uri_param_constructor', 'cookie_constructor', 'ctx_constructor'],
  ...['', ' ', 'a b', 'a\r\nX-Evil: 1', 'a\n', 'a\rb', '\0', 'a\0b', '\t', '\x7f', '\x1b[31m'],
  ...[
    '\ud800',
    '\udfffa',
    'a\ud83d',
    '\u010a\u010d',
    '💥',
    'ä',
    '\u202e',
    '\ufeff',
    'x'.repeat(65_536),
  ],
  ...[
    '$',
    `\${`,
    `\${}`,
    '$__proto__',
    `\${constructor}`,
    '\\$',
    '\\',
    '$1',
    `\${1}`,
    `$${'9'.repeat(30)}`,
  ],
  ...['(x+x+)+y', '(a*)*$', '(?:a?){30}a{30}', '((a{30}){30}){30}', '[', '(', '*', '(?=a)', '\\1'],
  ...['(?:(?:(?:.*)*)*)*x', '\\p{L}{900}', '.*.*.*.*.*.*=', '(?i)(?s).', '^(([a-z])+.)+[A-Z]$'],
  ...['%', '%zz', '%00', '/../..', '//', '/a//b', '/*', '/:__proto__/*', '/:constructor', '/*rest'],
  ...['/\\', '/?', '/#', ':', '::1', '[::1]', '127.0.0.1:0', '*.', '.', 'a.', 'a,b', '0', '-1'],
  ...['true', 'null', '[]', '{}', '"', "'", '`', '<script>', '1e309', 'NaN', '127.0.0.1/33'],
] as const
/** Objects in one step. */
const BATCH = 400
const OTHERS = [
  null,
  true,
  -1,
  0,
  1.5,
  1e308,
  2 ** 53,
  [],
  {},
  [[]],
  [null],
  { a: [] },
  [1, 'a', {}],
]

const PEM = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString()

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** One object that uses every member; each text in it, and each name of a map, is a place. */
function samples(node: string): Record<string, Json> {
  const { cert, key } = createCertificate(['fuzz.example.org'])
  const upstream = { nodes: { [node]: 1 } }
  const vars: Json = [
    ['arg_a', '==', 'x'],
    [
      'OR',
      ['uri', '~~', '^/'],
      ['http_x_a', '!', 'in', ['a', 'b']],
      ['remote_addr', 'ipmatch', ['127.0.0.1']],
    ],
  ]
  const route = (more: Record<string, Json>): Json => ({ uri: '/f/*', upstream, ...more })
  const plugin = (name: string, conf: Json): Json => route({ plugins: { [name]: conf } })
  const active: Json = {
    type: 'http',
    http_path: '/probe',
    host: 'probe.org',
    interval: 60,
    req_headers: ['X-Probe: a'],
    healthy: { http_statuses: [200] },
  }
  return {
    'routes/plain': route({
      host: 'f.example.org',
      remote_addrs: ['127.0.0.0/8'],
      methods: ['GET', 'POST'],
      name: 'name',
      desc: 'desc',
      labels: { team: 'blue' },
    }),
    'routes/uris': {
      uris: ['/f/*', '/f/:id/*rest'],
      upstream,
      hosts: ['f.example.org', '*.example.org'],
    },
    'routes/vars': route({ vars }),
    'routes/meta': plugin('request-id', {
      _meta: { filter: vars, error_response: 'text', priority: 5 },
    }),
    'routes/names': route({ plugins: { 'request-id': {} } }),
    'routes/proxy': plugin('proxy-rewrite', {
      regex_uri: ['^/[^/]*/(.*)$', '/g/$1$arg_a'],
      method: 'POST',
      host: 'inner.org',
      headers: { set: { 'X-A': '$1 $uri' }, add: { 'X-B': ['$http_x_a'] }, remove: ['X-C'] },
    }),
    'routes/proxy-uri': plugin('proxy-rewrite', {
      uri: '/g/$arg_a',
      headers: { 'X-A': '$cookie_a' },
    }),
    'routes/redirect': plugin('redirect', { regex_uri: ['^/[^/]*/(.*)$', '/g/$1$arg_a'] }),
    'routes/redirect-uri': plugin('redirect', { uri: '/g/$arg_a', append_query_string: true }),
    'routes/response': plugin('response-rewrite', {
      headers: { set: { 'X-A': '$status' }, add: ['X-B: $arg_a'], remove: ['X-C'] },
      filters: [{ regex: 'h(t)tp', replace: '$1$arg_a', scope: 'global', options: 'jo' }],
      vars: [['status', '==', 200]],
    }),
    'routes/response-body': plugin('response-rewrite', {
      headers: { 'X-A': '$uri' },
      body: 'body',
    }),
    'routes/id': plugin('request-id', {
      header_name: 'X-Id',
      algorithm: 'range_id',
      range_id: { length: 9, char_set: 'abcdef' },
    }),
    'routes/ip': plugin('ip-restriction', { blacklist: ['10.0.0.0/8'], message: 'no' }),
    'routes/key': plugin('key-auth', {
      header: 'apikey',
      query: 'key',
      realm: 'r',
      anonymous_consumer: 'a',
    }),
    'routes/jwt': plugin('jwt-auth', {
      header: 'authorization',
      query: 'jwt',
      cookie: 'jwt',
      key_claim_name: 'key',
      realm: 'r',
      claims_to_headers: { sub: 'X-Sub' },
    }),
    'routes/limit': plugin('rate-limiting', {
      ...{ count: 9, time_window: 9, key_type: 'var_combination', key: '$arg_a$http_x_a' },
      ...{ group: 'g', rejected_msg: 'm' },
    }),
    'routes/limit-rules': plugin('limit-count', {
      rules: [{ count: 9, time_window: 9, key: '$cookie_a', header_prefix: 'A' }],
    }),
    'routes/limit-calendar': plugin('rate-limiting', {
      ...{ count: 9, window_type: 'calendar', calendar_unit: 'day', timezone: 'Asia/Tokyo' },
      ...{ key_type: 'constant', key: 'k' },
    }),
    'routes/limit-req': plugin('limit-req', { rate: 99, burst: 9, key: 'arg_a' }),
    'routes/limit-conn': plugin('limit-conn', {
      ...{ conn: 9, burst: 9, default_conn_delay: 0.01, key: 'arg_a' },
    }),
    'routes/cors': plugin('cors', {
      allow_origins: 'https://a.org',
      allow_methods: 'GET',
      allow_headers: 'X-A',
      expose_headers: 'X-B',
      timing_allow_origins: 'https://t.org',
    }),
    'routes/cors-patterns': plugin('cors', { allow_origins_by_regex: ['a\\.org$'] }),
    'routes/restricted': plugin('consumer-restriction', {
      whitelist: ['a'],
      allowed_by_methods: [{ user: 'a', methods: ['GET'] }],
    }),
    'routes/basic': plugin('basic-auth', { realm: 'r', anonymous_consumer: 'a' }),
    'routes/blocker': plugin('uri-blocker', { block_rules: ['b+'], rejected_msg: 'm' }),
    'routes/real': plugin('real-ip', { source: 'arg_a', trusted_addresses: ['127.0.0.1'] }),
    'routes/breaker': plugin('api-breaker', {
      break_response_code: 502,
      break_response_body: 'b',
      break_response_headers: [{ key: 'X-A', value: '$uri' }],
    }),
    'routes/plan': plugin('plan-access', {
      plans: ['gold'],
      access: 'read',
      cost_header: 'X-Cost',
    }),
    'routes/split': plugin('traffic-split', {
      sticky: 'arg_a',
      rules: [{ match: [{ vars }], weighted_upstreams: [{ upstream, weight: 1 }, { weight: 1 }] }],
    }),
    'routes/checked': route({
      upstream: { ...upstream, pass_host: 'rewrite', upstream_host: 'up.org', checks: { active } },
    }),
    'routes/hash': route({
      upstream: { ...upstream, type: 'chash', hash_on: 'vars', key: 'arg_a' },
    }),
    'routes/hash-header': route({
      upstream: { ...upstream, type: 'chash', hash_on: 'header', key: 'x-a' },
    }),
    'routes/hash-cookie': route({
      upstream: { ...upstream, type: 'chash', hash_on: 'cookie', key: 'a' },
    }),
    'routes/hash-many': route({
      upstream: {
        ...upstream,
        type: 'chash',
        hash_on: 'vars_combinations',
        key: '$arg_a$http_x_a',
      },
    }),
    'routes/nodes': route({ upstream: { nodes: [{ host: '127.0.0.1', port: 9, weight: 1 }] } }),
    'services/s': {
      upstream,
      hosts: ['s.example.org'],
      plugins: { 'proxy-rewrite': { headers: { 'X-S': '$uri' } } },
    },
    'plugin_configs/p': { plugins: { 'response-rewrite': { headers: { 'X-P': '$uri' } } } },
    'consumer_groups/g': {
      plugins: { 'response-rewrite': { headers: { 'X-G': '$consumer_name' } } },
    },
    'consumers/c': {
      desc: 'd',
      labels: { custom_id: 'x' },
      plugins: {
        'basic-auth': { username: 'fuzz', password: 'secret' },
        'key-auth': { key: 'fuzz-key' },
        'jwt-auth': { key: 'fuzz', secret: 'c2VjcmV0', base64_secret: true },
      },
    },
    'consumers/pem': {
      plugins: { 'jwt-auth': { key: 'pem', algorithm: 'RS256', public_key: PEM } },
    },
    'plugin_metadata/key-auth': { any: { thing: 'x' } },
    'ssls/t': { sni: 'fuzz.example.org', cert, key },
    'global_rules/w': { plugins: { 'response-rewrite': { headers: { 'X-W': '$uri' } } } },
  }
}

/** Every copy of a value in which one text, or one name, is another. */
function* variants(value: Json, texts: readonly string[]): Generator<Json> {
  if (typeof value === 'string') {
    yield* texts
    yield* (texts === WORST ? OTHERS.slice(0, 4) : OTHERS) as Json[]
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      for (const other of variants(item, texts)) yield value.with(at, other)
    }
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    for (const [at, [name, member]] of entries.entries()) {
      const names = texts === WORST ? WORST.slice(0, 4) : texts
      for (const other of names) yield Object.fromEntries(entries.with(at, [other, member]))
      for (const other of variants(member, texts)) {
        yield Object.fromEntries(entries.with(at, [name, other]))
      }
    }
  }
}

/** The same numbers in every run (mulberry32). */
function createDice(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number) => Math.floor(next() * count)
  return { below, pick: <T>(list: readonly T[]) => list[below(list.length)] as T }
}

function toCandidate(path: string, sample: Json, n: number): Candidate {
  const [kind = '', name = ''] = path.split('/')
  const id = kind === 'plugin_metadata' ? name : `${name}-${n}`
  const text = JSON.stringify(sample)
    .replaceAll('"/f/', `"/${id}/`)
    .replaceAll('fuzz-key', `fuzz-${id}`)
  return { kind, id, value: JSON.parse(text) }
}

/** At most so many at once. */
async function each<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>) {
  const left = items.values()
  const worker = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

const HOSTILE = {
  ...{ host: 'a.example.org', constructor: 'a', 'x-a': `\${uri}`, apikey: '__proto__' },
  ...{ cookie: 'a=1; constructor=2; __proto__=3', authorization: 'Bearer e30.e30.e30' },
}

export function hostileStores(gateway: () => GatewayServer, extent: Extent): void {
  describe('hostile texts', () => {
    const failed: string[] = []
    let upstream: Upstream
    before(async () => {
      upstream = await startUpstream()
    })
    const short = (what: unknown) => JSON.stringify(what).slice(0, 300)

    async function assertUnhurt() {
      const { server, admin, put } = gateway()
      const printed = server().output()
      assert.deepEqual(failed, [], printed.slice(-2000))
      assert.doesNotMatch(printed, /thread.*(ended|replaced|died)/i)
      await put('/routes/after', { uri: '/after', upstream: { nodes: { [upstream.node]: 1 } } })
      assert.equal((await rawTarget(server().gatewayUrl, '/after')).status, 200)
      assert.equal((await admin('GET', '/configs')).status, 200)
      assert.equal((await admin('GET', '/gateway/prometheus/metrics')).status, 200)
    }

    test('gateway finding 2: no text that can be stored ends a thread or answers 500', async (t) => {
      const { admin } = gateway()
      const texts = extent.isWhole ? TEXTS : WORST
      const all = Object.entries(samples(upstream.node)).flatMap(([path, sample]) =>
        [sample, ...variants(sample, texts)].map((value, n) => toCandidate(path, value, n)),
      )
      const accepted: Candidate[] = []
      await each(all, 16, async (one) => {
        const { status } = await admin('POST', `/schema/validate/${one.kind}`, { body: one.value })
        if (status >= 500) failed.push(`${status} validate ${one.kind} ${short(one.value)}`)
        if (status === 200) accepted.push(one)
      })
      // These act on every request, and one after the other: no two may have the same plugin.
      const everywhere = accepted.filter(({ kind }) => kind === 'global_rules')
      const rest = accepted.filter(({ kind }) => kind !== 'global_rules')
      let stored = 0
      for (let at = 0; at < rest.length; at += BATCH) {
        const kept = await store(rest.slice(at, at + BATCH))
        stored += kept.length
        await each(kept, 16, ask)
      }
      for (const { value } of everywhere) {
        const { status } = await admin('PUT', '/global_rules/w', { body: value })
        if (status >= 500) failed.push(`${status} PUT global_rules ${short(value)}`)
        await ask({ kind: 'routes', id: 'any', value })
      }
      await admin('DELETE', '/global_rules/w')
      t.diagnostic(`${all.length} objects checked, ${stored + everywhere.length} stored and asked`)
      assert.ok(stored > all.length / 20 && stored < all.length)
      await assertUnhurt()
    })

    /** What does not go with the others is left out; the rest is stored in one step. */
    async function store(batch: readonly Candidate[]): Promise<readonly Candidate[]> {
      const document = new Map<string, Json[]>()
      for (const { kind, id, value } of batch) {
        const list = document.get(kind) ?? []
        const named = kind === 'consumers' ? { username: id } : { id }
        document.set(kind, [...list, { ...Object(value), ...named }])
        if (kind === 'services' || kind === 'plugin_configs') {
          const member = kind === 'services' ? 'service_id' : 'plugin_config_id'
          const own = { uri: `/${id}/*`, upstream: { nodes: { [upstream.node]: 1 } } }
          const route = { ...own, id: `${id}-route`, [member]: id }
          document.set('routes', [...(document.get('routes') ?? []), route])
        }
      }
      const body = Object.fromEntries(document)
      const { status, body: answer } = await gateway().admin('PUT', '/configs', { body })
      if (status === 202) return batch
      if (status !== 400) failed.push(`${status} PUT /configs ${short(answer)}`)
      const faults = new Set(
        (answer.errors ?? []).map((one: Record<string, string>) => one['resource_id']),
      )
      const rest = batch.filter(({ id }) => !faults.has(id) && !faults.has(`${id}-route`))
      assert.ok(rest.length < batch.length, short(answer))
      return store(rest)
    }

    /** A request that meets what the route asks for, and one of a hostile client. */
    async function ask({ kind, id: name, value }: Candidate) {
      for (const [target, headers] of [
        [`/${name}/x?a=x`, { host: 'f.example.org', apikey: `fuzz-${name}` }],
        [`/${name}/__proto__/constructor?constructor=1&__proto__=2&a=%00%ff`, HOSTILE],
      ] as const) {
        const answer = await rawTarget(gateway().server().gatewayUrl, target, headers).catch(
          (error) => ({ status: 0, body: String(error) }),
        )
        if (answer.status !== 0 && answer.status !== 500) continue
        failed.push(`${answer.status} ${target} ${kind} ${short(value)} ${answer.body}`)
      }
    }

    test('gateway finding 2: hostile requests to the administration are never answered with 500', async (t) => {
      const { admin } = gateway()
      const dice = createDice(12)
      const kinds = [
        'routes',
        'upstreams',
        'services',
        'consumers',
        'plugin_configs',
        'global_rules',
      ]
      const words = [...kinds, 'ssls', 'configs', 'plugins', 'schema', 'explain', 'plugin_metadata']
      const calls = Array.from({ length: extent.requests }, () => {
        const segment = () =>
          dice.below(2) ? dice.pick(TEXTS) : dice.pick([...words, 'validate', 'credentials', '1'])
        const path = [dice.pick(words), ...Array.from({ length: dice.below(4) }, segment)]
        const query = `${encode(dice.pick([...TEXTS, 'page', 'filter', 'label', 'name', 'uri', 'force']))}=${encode(dice.pick(TEXTS))}`
        return {
          method: dice.pick(['GET', 'PUT', 'POST', 'PATCH', 'DELETE']),
          path: `/${path.map(encode).join('/')}${dice.below(3) ? '' : `?${query}`}`,
          text: hostileBody(dice),
        }
      })
      const statuses = new Map<number, number>()
      await each(calls, 16, async ({ method, path, text }) => {
        const sent = method === 'GET' || method === 'DELETE' ? {} : { text }
        const { status } = await admin(method, path, sent)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status >= 500) failed.push(`${status} ${method} ${path.slice(0, 300)} ${short(text)}`)
      })
      t.diagnostic(`${calls.length} requests: ${JSON.stringify(Object.fromEntries(statuses))}`)
      await assertUnhurt()
    })
  })
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed().slice(0, 2000))
}

/** JSON of hostile names and values, seldom not JSON at all. */
function hostileBody(dice: ReturnType<typeof createDice>): string {
  const names = [
    'uri',
    'upstream',
    'nodes',
    'plugins',
    'vars',
    'id',
    'hosts',
    'key-auth',
    'headers',
    'username',
    'routes',
    'checks',
  ]
  const value = (depth: number): Json => {
    switch (dice.below(depth > 4 ? 2 : 5)) {
      case 0:
        return dice.pick(TEXTS)
      case 1:
        return dice.pick(OTHERS) as Json
      case 2:
        return Array.from({ length: dice.below(4) }, () => value(depth + 1))
      default:
        return Object.fromEntries(
          Array.from({ length: dice.below(5) }, () => [
            dice.below(4) ? dice.pick(names) : dice.pick(TEXTS),
            value(depth + 1),
          ]),
        )
    }
  }
  switch (dice.below(20)) {
    case 0:
      return dice.pick(TEXTS).toWellFormed()
    case 1:
      return '['.repeat(20_000)
    case 2:
      return `{"a":${'{"a":'.repeat(200)}1${'}'.repeat(201)}`
    default:
      return JSON.stringify(value(0))
  }
}
