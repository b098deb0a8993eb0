import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { CONSUMER_PLUGINS, METADATA, PLUGINS } from './apisix-plugin-schemas.ts'
import {
  ABOUT,
  ADDRESS,
  CERTIFICATE,
  closed,
  HOST,
  ID,
  implies,
  LABELS,
  list,
  METHOD,
  needs,
  oneOf,
  open,
  PRIVATE_KEY,
  several,
  TIMEOUT,
  TIMES,
  text,
  UPSTREAM,
  whole,
} from './apisix-values.ts'

/** Ajv as the HTTP server itself uses it. */
const fromCompiler = createRequire(createRequire(import.meta.url).resolve('@fastify/ajv-compiler'))
const { default: Ajv } = fromCompiler('ajv')

// What Apache APISIX 3 accepts in the lists of a standalone file, by its published definitions: names of members, which of
// them are required, types and bounds. `apisix-values.ts` has the kinds of values, `apisix-plugin-schemas.ts` the plugins.
const META = closed({
  ...{ disable: { type: 'boolean' }, priority: { type: 'integer' }, filter: { type: 'array' } },
  ...{ error_response: { type: ['string', 'object'] }, pre_function: { type: 'string' } },
})
const plugins = (known: Record<string, object>) => ({
  // No plugin but those that are known there.
  ...{ type: 'object', properties: known, additionalProperties: false },
  // Of every plugin, whatever else it takes.
  allOf: [{ additionalProperties: { properties: { _meta: META } } }],
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
  plugin_metadata: list(
    open(
      { id: oneOf(...Object.keys(PLUGINS)) },
      {
        ...needs('id'),
        allOf: Object.entries(METADATA).map(([id, schema]) =>
          implies({ properties: { id: { const: id } } }, schema),
        ),
      },
    ),
  ),
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
