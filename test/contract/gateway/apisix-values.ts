// Kinds of values of Apache APISIX 3, as its resources and plugins share them.
export const text = (least = 0, most = 256) => ({
  type: 'string',
  minLength: least,
  maxLength: most,
})
export const whole = (minimum: number, maximum?: number) => ({ type: 'integer', minimum, maximum })
export const list = (items: object, least = 0) => ({ type: 'array', items, minItems: least })
export const several = (items: object) => ({ ...list(items, 1), uniqueItems: true })
export const oneOf = (...values: (string | number)[]) => ({ enum: values })
export const closed = (properties: object, more: object = {}) => ({
  ...{ type: 'object', additionalProperties: false, properties },
  ...more,
})
export const open = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  ...more,
})
export const needs = (...names: string[]) => ({ required: names })
export const implies = (condition: object, result: object) => ({
  anyOf: [{ not: condition }, result],
})

export const ID = {
  anyOf: [
    { ...text(1, 64), pattern: '^[a-zA-Z0-9_.-]+$' },
    { type: 'integer', minimum: 1 },
  ],
}
export const HOST = { type: 'string', pattern: '^\\*$|^\\*?[0-9a-zA-Z._\\[\\]:-]+$' }
const V4 = '(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(?:\\.(?!/|$)|(?=/|$))){4}'
const V6 = '(?:[a-fA-F0-9]{0,4}:){1,8}(?::[a-fA-F0-9]{0,4}){0,8}(?:[a-fA-F0-9]{0,4})?'
/** An address or a network; of version 6 without dots, since its networks are matched by such a pattern. */
export const ADDRESS = {
  type: 'string',
  pattern: `^(?:${V4}(?:/(?:[12]?\\d|3[0-2]))?|${V6}(?:/\\d{1,3})?)$`,
}
export const LABELS = {
  type: 'object',
  additionalProperties: { ...text(1), pattern: '^\\S+$' },
}
export const ABOUT = { id: ID, name: text(1), desc: text(), labels: LABELS }
export const TIMES = { create_time: { type: 'integer' }, update_time: { type: 'integer' } }
export const SECONDS = { type: 'number', exclusiveMinimum: 0 }
export const TIMEOUT = open(
  { connect: SECONDS, send: SECONDS, read: SECONDS },
  needs('connect', 'send', 'read'),
)
export const METHOD = oneOf(
  ...['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'PURGE'],
)
export const CERTIFICATE = text(128, 65_536)
export const PRIVATE_KEY = text(64, 65_536)
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
export const UPSTREAM = closed(
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
export const FLAG = { type: 'boolean' }
export const TEXT = { type: 'string' }
