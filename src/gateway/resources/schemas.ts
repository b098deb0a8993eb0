// The shape of every resource (contract §3); what a schema cannot say is in `faults.ts`.
import Type from 'typebox'
import { balancers } from '../balancers/index.ts'
import { METHODS } from './methods.ts'

const optional = Type.Optional
const host = {
  minLength: 1,
  maxLength: 253,
  pattern: '^(?!.*\\.\\.)(\\*\\.)?[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$',
  expects: 'must be a host name such as a.example.org or *.example.org',
}
const HOST = Type.String(host)
const PLAIN_HOST = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[A-Za-z0-9_.:[\\]-]+$',
  expects: 'must be a host name or an address',
})
const ID = Type.Union(
  [Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }), Type.Integer({ minimum: 1 })],
  {
    expects: 'must be 1 to 64 of A-Z a-z 0-9 - _ . or a positive integer',
  },
)
const NAME = Type.String({ minLength: 1, maxLength: 256 })
const DESC = Type.String({ maxLength: 256 })
const LABELS = Type.Record(
  Type.String(),
  Type.String({
    minLength: 1,
    maxLength: 256,
    pattern: '^\\S+$',
    expects: 'must be a text of 1 to 256 characters without spaces',
  }),
)
const PEM = Type.String({ minLength: 1, maxLength: 65_536 })
const PLUGINS = Type.Record(Type.String(), Type.Object({}, { additionalProperties: true }))
const CLOSED = { additionalProperties: false }
const STATUSES = Type.Array(Type.Integer({ minimum: 200, maximum: 599 }), {
  minItems: 1,
  uniqueItems: true,
})
/** Timers go no further. */
const MAX_SECONDS = 2_000_000
const SECONDS = Type.Number({ minimum: 0.1, maximum: MAX_SECONDS })
const SOME_SECONDS = Type.Number({ exclusiveMinimum: 0, maximum: MAX_SECONDS })
const COUNT = Type.Integer({ minimum: 0, maximum: 254 })

const ABOUT = { name: optional(NAME), desc: optional(DESC), labels: optional(LABELS) }

const NODE = Type.Object(
  {
    host: PLAIN_HOST,
    port: optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    weight: Type.Integer({ minimum: 0 }),
    priority: optional(Type.Integer()),
  },
  CLOSED,
)

const TIMEOUT = Type.Object(
  {
    connect: SOME_SECONDS,
    send: SOME_SECONDS,
    read: SOME_SECONDS,
  },
  CLOSED,
)

const CHECKS = Type.Object({
  active: optional(
    Type.Object({
      type: optional(Type.Enum(['http', 'https', 'tcp'])),
      http_path: optional(
        Type.String({ maxLength: 4096, pattern: '^/[!-~]*$', expects: 'must be a path' }),
      ),
      http_method: optional(Type.Enum(['GET', 'HEAD', 'POST', 'OPTIONS'])),
      interval: optional(SECONDS),
      timeout: optional(SOME_SECONDS),
      concurrency: optional(Type.Integer({ minimum: 1 })),
      host: optional(PLAIN_HOST),
      port: optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
      req_headers: optional(
        Type.Array(
          Type.String({
            maxLength: 8192,
            pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\\t\\x20-\\x7e\\x80-\\xff]*$",
            expects: 'must be "Name: value", of characters that a header can have',
          }),
          { maxItems: 100 },
        ),
      ),
      https_verify_certificate: optional(Type.Boolean()),
      healthy: optional(
        Type.Object({
          interval: optional(SECONDS),
          http_statuses: optional(STATUSES),
          successes: optional(Type.Integer({ minimum: 1, maximum: 254 })),
        }),
      ),
      unhealthy: optional(
        Type.Object({
          interval: optional(SECONDS),
          http_statuses: optional(STATUSES),
          http_failures: optional(COUNT),
          tcp_failures: optional(COUNT),
          timeouts: optional(COUNT),
        }),
      ),
    }),
  ),
  passive: optional(
    Type.Object({
      healthy: optional(
        Type.Object({ http_statuses: optional(STATUSES), successes: optional(COUNT) }),
      ),
      unhealthy: optional(
        Type.Object({
          http_statuses: optional(STATUSES),
          http_failures: optional(COUNT),
          tcp_failures: optional(COUNT),
          timeouts: optional(COUNT),
        }),
      ),
    }),
  ),
  when_all_unhealthy: optional(Type.Enum(['fail', 'use_all'])),
})

export const UPSTREAM = Type.Object(
  {
    ...ABOUT,
    type: optional(Type.Enum([...balancers.keys()])),
    nodes: optional(
      Type.Union([Type.Record(Type.String(), Type.Integer({ minimum: 0 })), Type.Array(NODE)], {
        expects: 'must be a map of host:port to weight or a list of nodes',
      }),
    ),
    hash_on: optional(Type.Enum(['vars', 'header', 'cookie', 'consumer', 'vars_combinations'])),
    key: optional(Type.String({ minLength: 1, maxLength: 256 })),
    checks: optional(CHECKS),
    retries: optional(Type.Integer({ minimum: 0 })),
    retry_timeout: optional(Type.Number({ minimum: 0 })),
    timeout: optional(TIMEOUT),
    pass_host: optional(Type.Enum(['pass', 'node', 'rewrite'])),
    upstream_host: optional(PLAIN_HOST),
    scheme: optional(Type.Enum(['http', 'https'])),
    keepalive_pool: optional(
      Type.Object(
        {
          size: optional(Type.Integer({ minimum: 1 })),
          idle_timeout: optional(Type.Number({ minimum: 0, maximum: MAX_SECONDS })),
          requests: optional(Type.Integer({ minimum: 1 })),
        },
        CLOSED,
      ),
    ),
    tls: optional(
      Type.Object(
        {
          verify: optional(Type.Boolean()),
          client_cert: optional(PEM),
          client_key: optional(PEM),
          client_cert_id: optional(ID),
        },
        CLOSED,
      ),
    ),
    service_name: optional(
      Type.String({
        maxLength: 260,
        pattern: '^[A-Za-z0-9_.-]+(:[0-9]{1,5})?$',
        expects: 'must be a name, a port after it allowed',
      }),
    ),
    discovery_type: optional(Type.Enum(['dns'])),
  },
  CLOSED,
)

const URI = Type.String({
  minLength: 1,
  maxLength: 4096,
  pattern: '^/[^\\s?#]*$',
  expects: 'must be a path that begins with / and has neither query nor spaces',
})
const NETWORK = Type.String({ minLength: 1, maxLength: 64 })

export const ROUTE = Type.Object(
  {
    ...ABOUT,
    uri: optional(URI),
    uris: optional(Type.Array(URI, { minItems: 1, uniqueItems: true })),
    methods: optional(Type.Array(Type.Enum([...METHODS]), { uniqueItems: true })),
    host: optional(HOST),
    hosts: optional(Type.Array(HOST, { minItems: 1, uniqueItems: true })),
    remote_addr: optional(NETWORK),
    remote_addrs: optional(Type.Array(NETWORK, { minItems: 1, uniqueItems: true })),
    vars: optional(Type.Array(Type.Unknown())),
    priority: optional(Type.Integer()),
    status: optional(Type.Enum([0, 1])),
    plugins: optional(PLUGINS),
    upstream_id: optional(ID),
    upstream: optional(UPSTREAM),
    service_id: optional(ID),
    plugin_config_id: optional(ID),
    timeout: optional(TIMEOUT),
    enable_websocket: optional(Type.Boolean()),
  },
  CLOSED,
)

export const SERVICE = Type.Object(
  {
    ...ABOUT,
    plugins: optional(PLUGINS),
    upstream: optional(UPSTREAM),
    upstream_id: optional(ID),
    hosts: optional(Type.Array(HOST, { minItems: 1, uniqueItems: true })),
    enable_websocket: optional(Type.Boolean()),
  },
  CLOSED,
)

export const CONSUMER = Type.Object(
  {
    username: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,256}$',
      expects: 'must be 1 to 256 of A-Z a-z 0-9 - _',
    }),
    desc: optional(DESC),
    labels: optional(LABELS),
    plugins: optional(PLUGINS),
    group_id: optional(ID),
  },
  CLOSED,
)

export const CREDENTIAL = Type.Object({ ...ABOUT, plugins: optional(PLUGINS) }, CLOSED)
export const PLUGINS_OWNER = Type.Object({ ...ABOUT, plugins: PLUGINS }, CLOSED)
export const METADATA = Type.Object({}, { additionalProperties: true })

const SNI = Type.String(host)

export const SSL = Type.Object(
  {
    ...ABOUT,
    type: optional(Type.Enum(['server', 'client'])),
    sni: optional(SNI),
    snis: optional(Type.Array(SNI, { minItems: 1, uniqueItems: true })),
    cert: PEM,
    key: PEM,
    certs: optional(Type.Array(PEM)),
    keys: optional(Type.Array(PEM)),
    status: optional(Type.Enum([0, 1])),
    ssl_protocols: optional(
      Type.Array(Type.Enum(['TLSv1.2', 'TLSv1.3']), { minItems: 1, uniqueItems: true }),
    ),
    client: optional(
      Type.Object(
        {
          ca: PEM,
          depth: optional(Type.Integer({ minimum: 0, maximum: 100 })),
          skip_mtls_uri_regex: optional(Type.Array(Type.String())),
        },
        CLOSED,
      ),
    ),
  },
  CLOSED,
)
