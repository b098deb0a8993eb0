import assert from 'node:assert/strict'
import { createRequire } from 'node:module'

/** Ajv as the HTTP server itself uses it. */
const fromCompiler = createRequire(createRequire(import.meta.url).resolve('@fastify/ajv-compiler'))
const { default: Ajv } = fromCompiler('ajv')

// What Apache APISIX 3 accepts: names of members, which of them are required, types and bounds. Resources and limit-count
// follow its published definitions; the other plugins were not compared with theirs. Kinds of values come first, then one schema for each list of
// a standalone file, then the plugins whose settings an export changes.
const text = (least = 0, most = 256) => ({ type: 'string', minLength: least, maxLength: most })
const whole = (minimum: number, maximum?: number) => ({ type: 'integer', minimum, maximum })
const list = (items: object, least = 0) => ({ type: 'array', items, minItems: least })
const several = (items: object) => ({ ...list(items, 1), uniqueItems: true })
const oneOf = (...values: (string | number)[]) => ({ enum: values })
const closed = (properties: object, more: object = {}) => ({
  ...{ type: 'object', additionalProperties: false, properties },
  ...more,
})
const open = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const needs = (...names: string[]) => ({ required: names })
const implies = (condition: object, result: object) => ({ anyOf: [{ not: condition }, result] })

const ID = {
  anyOf: [
    { ...text(1, 64), pattern: '^[a-zA-Z0-9_.-]+$' },
    { type: 'integer', minimum: 1 },
  ],
}
const HOST = { type: 'string', pattern: '^\\*$|^\\*?[0-9a-zA-Z._\\[\\]:-]+$' }
const ADDRESS = { type: 'string', pattern: '^[0-9a-fA-F.:]+(/[0-9]{1,3})?$' }
const LABELS = {
  type: 'object',
  additionalProperties: { ...text(1), pattern: '^\\S+$' },
}
const ABOUT = { id: ID, name: text(1), desc: text(), labels: LABELS }
const TIMES = { create_time: { type: 'integer' }, update_time: { type: 'integer' } }
const SECONDS = { type: 'number', exclusiveMinimum: 0 }
const TIMEOUT = open(
  { connect: SECONDS, send: SECONDS, read: SECONDS },
  needs('connect', 'send', 'read'),
)
const METHOD = oneOf(
  ...['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'PURGE'],
)
const CERTIFICATE = text(128, 65_536)
const PRIVATE_KEY = text(64, 65_536)
const STATUSES = several(whole(200, 599))
const counts = (least: number) => ({
  ...{ http_statuses: STATUSES, successes: whole(least, 254), http_failures: whole(least, 254) },
  ...{ tcp_failures: whole(least, 254), timeouts: whole(least, 254) },
})
const HASHED =
  'uri|server_name|server_addr|request_uri|remote_port|remote_addr|query_string|host|hostname'
const ACTIVE_SIDE = open({ ...counts(1), interval: whole(1) })
const CHECKS = open(
  {
    active: open({
      ...{ type: oneOf('http', 'https', 'tcp'), timeout: { type: 'number' } },
      ...{ concurrency: { type: 'integer' }, host: HOST, port: whole(1, 65_535) },
      ...{ http_method: METHOD, http_path: { type: 'string' } },
      ...{
        https_verify_certificate: { type: 'boolean' },
        req_headers: list({ type: 'string' }, 1),
      },
      ...{ healthy: ACTIVE_SIDE, unhealthy: ACTIVE_SIDE },
    }),
    passive: open({ healthy: open(counts(0)), unhealthy: open(counts(0)) }),
  },
  needs('active'),
)
const NODE = open(
  { host: HOST, port: whole(1, 65_535), weight: whole(0), priority: { type: 'integer' } },
  needs('host', 'weight'),
)
const UPSTREAM = closed(
  {
    ...{ ...ABOUT, ...TIMES, retries: whole(0), retry_timeout: { type: 'number', minimum: 0 } },
    nodes: { anyOf: [{ type: 'object', additionalProperties: whole(0) }, list(NODE)] },
    ...{ timeout: TIMEOUT, checks: CHECKS, type: { type: 'string' }, key: { type: 'string' } },
    tls: open({
      ...{ client_cert_id: ID, client_cert: CERTIFICATE, client_key: PRIVATE_KEY },
      verify: { type: 'boolean' },
    }),
    keepalive_pool: open({
      ...{ size: whole(1), idle_timeout: { type: 'number', minimum: 0 }, requests: whole(1) },
    }),
    hash_on: oneOf('vars', 'header', 'cookie', 'consumer', 'vars_combinations'),
    scheme: oneOf('grpc', 'grpcs', 'http', 'https', 'tcp', 'tls', 'udp', 'kafka'),
    ...{ discovery_type: { type: 'string' }, discovery_args: { type: 'object' } },
    ...{ pass_host: oneOf('pass', 'node', 'rewrite'), upstream_host: HOST, service_name: text(1) },
  },
  {
    oneOf: [needs('nodes'), needs('service_name', 'discovery_type')],
    // Variables are hashed by name only when they are among these.
    ...implies(
      {
        properties: { type: { const: 'chash' }, hash_on: { const: 'vars' } },
        ...needs('type'),
      },
      { properties: { key: { pattern: `^(${HASHED}|arg_[0-9a-zA-Z_-]+)$` } } },
    ),
  },
)

const META = closed({
  ...{ disable: { type: 'boolean' }, priority: { type: 'integer' }, filter: { type: 'array' } },
  ...{ error_response: { type: ['string', 'object'] }, pre_function: { type: 'string' } },
})
const REDIS = {
  ...{
    redis_host: text(2),
    redis_port: whole(1),
    redis_username: text(1),
    redis_database: whole(0),
  },
  ...{ redis_password: { type: 'string' }, redis_timeout: whole(1) },
}
const needsRedis = implies(
  { properties: { policy: { const: 'redis' } }, ...needs('policy') },
  needs('redis_host'),
)
const KEY_TYPE = oneOf('var', 'var_combination')
const PLUGINS: Record<string, object> = {
  'limit-count': open(
    {
      ...{ ...REDIS, count: whole(1), time_window: whole(1), key: { type: 'string' } },
      ...{ window_type: oneOf('fixed', 'sliding'), group: { type: 'string' } },
      rules: list(
        open(
          { count: whole(1), time_window: whole(1), key: { type: 'string' } },
          needs('count', 'time_window', 'key'),
        ),
      ),
      key_type: oneOf('var', 'var_combination', 'constant'),
      ...{ rejected_code: whole(200, 599), rejected_msg: text(1, 65_536) },
      policy: oneOf('local', 'redis', 'redis-cluster', 'redis-sentinel'),
    },
    { oneOf: [needs('count', 'time_window'), needs('rules')], ...needsRedis },
  ),
  'limit-conn': open(
    {
      ...{ ...REDIS, conn: whole(1), burst: whole(0), default_conn_delay: SECONDS },
      ...{ key: { type: 'string' }, key_type: KEY_TYPE },
    },
    needs('conn', 'burst', 'default_conn_delay', 'key'),
  ),
  'limit-req': open(
    {
      ...{ ...REDIS, rate: SECONDS, burst: { type: 'number', minimum: 0 } },
      ...{ key: { type: 'string' }, key_type: KEY_TYPE },
    },
    needs('rate', 'burst', 'key'),
  ),
  'proxy-cache': open({
    ...{ cache_zone: text(1, 100), cache_strategy: oneOf('disk', 'memory') },
    ...{ cache_key: list({ type: 'string' }, 1), cache_ttl: whole(1) },
  }),
  'traffic-split': open({
    rules: list(
      open({
        match: list(open({ vars: { type: 'array' } })),
        weighted_upstreams: {
          ...list(open({ upstream_id: ID, upstream: UPSTREAM, weight: whole(0) }), 1),
          maxItems: 20,
        },
      }),
    ),
  }),
  'serverless-pre-function': { not: {} },
  'serverless-post-function': { not: {} },
  'plan-access': { not: {} },
  'rate-limiting': { not: {} },
}
const CONSUMER_PLUGINS: Record<string, object> = {
  ...PLUGINS,
  'key-auth': open({ key: { type: 'string' } }, needs('key')),
  'basic-auth': open({ username: { type: 'string' } }, needs('username', 'password')),
  'jwt-auth': open({ key: text(1, 65_536), secret: { type: 'string' } }, needs('key')),
}
const plugins = (known: Record<string, object>) => ({
  ...{ type: 'object', properties: known },
  additionalProperties: { type: 'object' },
  // Of every plugin, whatever else it takes.
  patternProperties: { '': { properties: { _meta: META } } },
})

const CREDENTIAL = closed({
  ...{ ...ABOUT, ...TIMES },
  id: { ...text(15, 128), pattern: '^[a-zA-Z0-9_-]+/credentials/[a-zA-Z0-9_.-]+$' },
  plugins: { ...plugins(CONSUMER_PLUGINS), maxProperties: 1 },
})
const CONSUMER = closed(
  {
    ...{ id: ID, desc: text(), labels: LABELS, ...TIMES, group_id: ID },
    username: { ...text(1), pattern: '^[a-zA-Z0-9_-]+$' },
    plugins: plugins(CONSUMER_PLUGINS),
  },
  needs('username'),
)
const OWNER = { ...ABOUT, ...TIMES, plugins: plugins(PLUGINS) }

const DOCUMENT = closed({
  routes: list(
    closed(
      {
        ...{ ...OWNER, uri: text(1, 4096), uris: several({ type: 'string' }), host: HOST },
        ...{ hosts: several(HOST), remote_addr: ADDRESS, remote_addrs: several(ADDRESS) },
        ...{ methods: { ...list(METHOD), uniqueItems: true }, priority: { type: 'integer' } },
        ...{ timeout: TIMEOUT, vars: { type: 'array' }, plugin_config_id: ID, upstream: UPSTREAM },
        ...{ service_id: ID, upstream_id: ID, enable_websocket: { type: 'boolean' } },
        status: oneOf(0, 1),
      },
      {
        oneOf: [needs('uri'), needs('uris')],
        anyOf: ['plugins', 'upstream', 'upstream_id', 'service_id'].map((name) => needs(name)),
        not: { anyOf: [needs('host', 'hosts'), needs('remote_addr', 'remote_addrs')] },
      },
    ),
  ),
  services: list(
    closed({
      ...{ ...OWNER, upstream: UPSTREAM, upstream_id: ID, hosts: several(HOST) },
      enable_websocket: { type: 'boolean' },
    }),
  ),
  upstreams: list(UPSTREAM),
  consumers: list({ anyOf: [CONSUMER, CREDENTIAL] }),
  consumer_groups: list(closed(OWNER, needs('id', 'plugins'))),
  plugin_configs: list(closed(OWNER, needs('id', 'plugins'))),
  global_rules: list(
    closed({ id: ID, ...TIMES, plugins: plugins(PLUGINS) }, needs('id', 'plugins')),
  ),
  plugin_metadata: list(open({ id: { not: oneOf('plan-access', 'rate-limiting') } }, needs('id'))),
  ssls: list(
    closed(
      {
        ...{ id: ID, desc: text(), labels: LABELS, ...TIMES, type: oneOf('server', 'client') },
        ...{ cert: CERTIFICATE, key: PRIVATE_KEY, sni: HOST, snis: list(HOST, 1) },
        ...{ certs: list(CERTIFICATE), keys: list(PRIVATE_KEY), status: oneOf(0, 1) },
        client: open({ ca: CERTIFICATE, depth: whole(0) }, needs('ca')),
        ssl_protocols: { ...list(oneOf('TLSv1.1', 'TLSv1.2', 'TLSv1.3')), uniqueItems: true },
      },
      {
        ...needs('cert', 'key'),
        ...implies(
          { not: { properties: { type: { const: 'client' } }, ...needs('type') } },
          { oneOf: [needs('sni'), needs('snis')] },
        ),
      },
    ),
  ),
})

const isValid = new Ajv({ allErrors: true, strict: false }).compile(DOCUMENT)

/** Every fault that Apache APISIX 3 would find in the lists of a standalone file. */
export function assertApisix(document: unknown): void {
  if (isValid(document)) return
  assert.fail(JSON.stringify(isValid.errors, null, 1))
}
