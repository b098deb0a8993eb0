import {
  ADDRESS,
  closed,
  FLAG,
  ID,
  implies,
  list,
  METHOD,
  needs,
  oneOf,
  open,
  SECONDS,
  several,
  TEXT,
  text,
  UPSTREAM,
  whole,
} from './apisix-values.ts'

// What the plugins of Apache APISIX 3 accept, of those that an export can hold: what their published definitions say, and
// what the checks beside them refuse. Where early and late versions differ it is the late ones, and what follows; a plugin is
// closed where one of them was.
const longText = { type: 'string', minLength: 1 }
const is = (member: string, value: unknown) => ({
  ...{ properties: { [member]: { const: value } } },
  ...needs(member),
})
const all = (...conditions: object[]) => ({ allOf: conditions })
const STATUS = whole(200, 599)
const EXPRESSION = { type: 'array' }

const NAMED = { realm: TEXT, hide_credentials: FLAG, anonymous_consumer: TEXT }
const LOG = {
  log_format: { type: 'object', additionalProperties: TEXT },
  ...{ include_req_body: FLAG, include_resp_body: FLAG },
  ...{ include_req_body_expr: list(EXPRESSION, 1), include_resp_body_expr: list(EXPRESSION, 1) },
}
const REJECTED = { rejected_code: STATUS, rejected_msg: longText }
const LIMIT = {
  ...{ ...REJECTED, key: TEXT, key_type: oneOf('var', 'var_combination') },
  allow_degradation: FLAG,
}
const REDIS = open(
  {
    ...{ redis_host: { type: 'string', minLength: 2 }, redis_port: whole(1) },
    ...{ redis_username: longText, redis_password: TEXT, redis_database: whole(0) },
    ...{ redis_timeout: whole(1), redis_ssl: FLAG, redis_ssl_verify: FLAG },
    ...{ redis_keepalive_timeout: whole(1000), redis_keepalive_pool: whole(1) },
    key_ttl: { type: 'integer' },
  },
  needs('redis_host'),
)
const withRedis = implies(is('policy', 'redis'), REDIS)
const POLICY = oneOf('local', 'redis', 'redis-cluster')

/** Until late 3 `*` was what is exposed when nothing was said, and so refused beside credentials. */
const ORIGINS = { type: 'string', pattern: '^(\\*|\\*\\*|null|\\w+://[^,]+(,\\w+://[^,]+)*)$' }
const PATTERNS = several(text(1, 4096))
const NO_STAR = { not: { const: '*' } }

const VALUE = { type: ['string', 'number'] }
const HEADER_NAME = { type: 'string', pattern: '^[^:]+$' }
const HEADER_MAP = {
  ...{ type: 'object', minProperties: 1, additionalProperties: false },
  patternProperties: { '^[^:]+$': VALUE },
}
const CACHE_ITEM = { type: 'string', pattern: '^([^$].+|\\$[0-9a-zA-Z_]+)$' }
const TOKEN_SCHEMAS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
const CURVES = ['ES256', 'ES384', 'ES512', 'EdDSA']
const SECRETS = ['HS256', 'HS384', 'HS512']

export const PLUGINS: Record<string, object> = {
  'api-breaker': open(
    {
      ...{ break_response_code: STATUS, break_response_body: TEXT, max_breaker_sec: whole(3) },
      break_response_headers: list(open({ key: longText, value: longText }, needs('key', 'value'))),
      unhealthy: open({ http_statuses: several(whole(500, 599)), failures: whole(1) }),
      healthy: open({ http_statuses: several(whole(200, 499)), successes: whole(1) }),
    },
    needs('break_response_code'),
  ),
  'basic-auth': open(NAMED),
  'consumer-restriction': open(
    {
      type: oneOf('consumer_name', 'consumer_group_id', 'service_id', 'route_id'),
      ...{ whitelist: list(TEXT, 1), blacklist: list(TEXT, 1) },
      allowed_by_methods: list(open({ user: TEXT, methods: list(METHOD, 1) })),
      ...{ rejected_code: whole(200), rejected_msg: TEXT },
    },
    { anyOf: [needs('whitelist'), needs('blacklist'), needs('allowed_by_methods')] },
  ),
  cors: open(
    {
      ...{ allow_origins: ORIGINS, allow_methods: TEXT, allow_headers: TEXT, expose_headers: TEXT },
      ...{ max_age: { type: 'integer' }, allow_credential: FLAG, timing_allow_origins: ORIGINS },
      ...{ allow_origins_by_regex: PATTERNS, timing_allow_origins_by_regex: PATTERNS },
    },
    implies(is('allow_credential', true), {
      properties: {
        ...{ allow_origins: NO_STAR, allow_methods: NO_STAR, allow_headers: NO_STAR },
        ...{ expose_headers: NO_STAR, timing_allow_origins: NO_STAR },
      },
      ...needs('allow_origins', 'allow_methods', 'allow_headers'),
    }),
  ),
  'file-logger': open({ ...LOG, path: TEXT, match: list(EXPRESSION) }, needs('path')),
  'http-logger': open(
    {
      ...{ ...LOG, auth_header: TEXT, timeout: whole(1), ssl_verify: FLAG, name: TEXT },
      uri: { type: 'string', pattern: '^[^/]+://([\\da-zA-Z.-]+|\\[[\\da-fA-F:]+\\])(:\\d+)?' },
      ...{ concat_method: oneOf('json', 'new_line'), batch_max_size: whole(1) },
      ...{ max_retry_count: whole(0), retry_delay: whole(0), buffer_duration: whole(1) },
      inactive_timeout: whole(1),
    },
    needs('uri'),
  ),
  'ip-restriction': open(
    {
      ...{ whitelist: list(ADDRESS, 1), blacklist: list(ADDRESS, 1) },
      ...{ message: text(1, 1024), response_code: whole(403, 404) },
    },
    { oneOf: [needs('whitelist'), needs('blacklist')] },
  ),
  'jwt-auth': open({
    ...{ ...NAMED, header: TEXT, query: TEXT, cookie: TEXT, store_in_ctx: FLAG },
    key_claim_name: longText,
    claims_to_verify: { ...list(oneOf('exp', 'nbf')), uniqueItems: true },
  }),
  'key-auth': open({ ...NAMED, header: TEXT, query: TEXT }),
  'limit-conn': open(
    {
      ...{ ...LIMIT, conn: whole(1), burst: whole(0), default_conn_delay: SECONDS },
      ...{ only_use_default_delay: FLAG, policy: POLICY },
    },
    all(needs('conn', 'burst', 'default_conn_delay', 'key'), withRedis),
  ),
  'limit-count': open(
    {
      ...{ ...LIMIT, count: whole(1), time_window: whole(1), show_limit_quota_header: FLAG },
      ...{ window_type: oneOf('fixed', 'sliding'), group: TEXT },
      rules: list(
        open(
          { count: whole(1), time_window: whole(1), key: TEXT, header_prefix: TEXT },
          needs('count', 'time_window', 'key'),
        ),
      ),
      key_type: oneOf('var', 'var_combination', 'constant'),
      policy: oneOf('local', 'redis', 'redis-cluster', 'redis-sentinel'),
    },
    all({ oneOf: [needs('count', 'time_window'), needs('rules')] }, withRedis),
  ),
  'limit-req': open(
    {
      ...{ ...LIMIT, rate: SECONDS, burst: { type: 'number', minimum: 0 } },
      ...{ nodelay: FLAG, policy: POLICY },
    },
    all(needs('rate', 'burst', 'key'), withRedis),
  ),
  'openid-connect': open(
    {
      ...{ discovery: TEXT, client_id: TEXT, client_secret: TEXT, scope: TEXT, realm: TEXT },
      ...{ bearer_only: FLAG, ssl_verify: FLAG, timeout: whole(1), public_key: TEXT },
      ...{ use_jwks: FLAG, use_pkce: FLAG, use_nonce: FLAG, logout_path: TEXT },
      ...{ introspection_endpoint: TEXT, introspection_endpoint_auth_method: TEXT },
      ...{ token_endpoint_auth_method: TEXT, token_signing_alg_values_expected: TEXT },
      introspection_addon_headers: list(HEADER_NAME, 1),
      introspection_interval: { type: 'integer' },
      introspection_expiry_claim: TEXT,
      ...{ redirect_uri: TEXT, post_logout_redirect_uri: TEXT, required_scopes: list(TEXT) },
      ...{ unauth_action: oneOf('auth', 'deny', 'pass'), authorization_params: open({}) },
      ...{ set_access_token_header: FLAG, access_token_in_authorization_header: FLAG },
      ...{ set_id_token_header: FLAG, set_userinfo_header: FLAG, set_refresh_token_header: FLAG },
      ...{ accept_none_alg: FLAG, accept_unsupported_alg: FLAG, revoke_tokens_on_logout: FLAG },
      ...{ renew_access_token_on_expiry: FLAG, jwt_verification_cache_ignore: FLAG },
      ...{ access_token_expires_in: { type: 'integer' }, jwk_expires_in: { type: 'integer' } },
      access_token_expires_leeway: { type: 'integer' },
      claim_validator: open({
        issuer: open({ valid_issuers: list(TEXT) }),
        audience: open({ claim: TEXT, required: FLAG, match_with_client_id: FLAG }),
      }),
      session: closed(
        {
          secret: { type: 'string', minLength: 16 },
          cookie: open({ lifetime: { type: 'integer' } }),
          ...{ storage: oneOf('cookie', 'redis'), redis: open({}) },
          ...{ cookie_name: TEXT, cookie_path: TEXT, cookie_domain: TEXT, cookie_secure: FLAG },
          ...{ cookie_http_only: FLAG, cookie_same_site: TEXT },
          idling_timeout: { type: 'integer' },
          ...{ rolling_timeout: { type: 'integer' }, absolute_timeout: { type: 'integer' } },
        },
        needs('secret'),
      ),
    },
    all(needs('client_id', 'client_secret', 'discovery'), {
      anyOf: [is('bearer_only', true), needs('session')],
    }),
  ),
  prometheus: open({ prefer_name: FLAG }),
  'proxy-cache': open(
    {
      ...{ cache_zone: text(1, 100), cache_strategy: oneOf('disk', 'memory') },
      cache_key: list({ ...CACHE_ITEM, not: { const: '$request_method' } }, 1),
      ...{ cache_bypass: list(CACHE_ITEM, 1), no_cache: list(CACHE_ITEM, 1) },
      ...{
        cache_method: several(oneOf('GET', 'POST', 'HEAD')),
        cache_http_status: several(STATUS),
      },
      ...{ hide_cache_headers: FLAG, cache_control: FLAG, cache_ttl: whole(1) },
      ...{ consumer_isolation: FLAG, cache_set_cookie: FLAG },
    },
    // The zone that is meant when none is named is on disk.
    implies(is('cache_strategy', 'memory'), {
      properties: { cache_zone: { not: { const: 'disk_cache_one' } } },
      ...needs('cache_zone'),
    }),
  ),
  'proxy-rewrite': open(
    {
      uri: { ...text(1, 4096), pattern: '^/' },
      regex_uri: list(TEXT, 2),
      method: oneOf(
        ...['GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'OPTIONS', 'MKCOL', 'COPY', 'MOVE'],
        ...['PROPFIND', 'LOCK', 'UNLOCK', 'PATCH', 'TRACE'],
      ),
      host: { type: 'string', pattern: '^[0-9a-zA-Z-.]+(:\\d{1,5})?$' },
      headers: {
        oneOf: [
          closed(
            { add: HEADER_MAP, set: HEADER_MAP, remove: list(HEADER_NAME, 1) },
            { minProperties: 1 },
          ),
          HEADER_MAP,
        ],
      },
      use_real_request_uri_unsafe: FLAG,
    },
    { minProperties: 1 },
  ),
  'real-ip': open(
    { source: longText, trusted_addresses: list(ADDRESS, 1), recursive: FLAG },
    needs('source'),
  ),
  redirect: open(
    {
      ...{ uri: { type: 'string', minLength: 2 }, ret_code: whole(200), http_to_https: FLAG },
      regex_uri: { ...list(TEXT, 2), maxItems: 2 },
      ...{ encode_uri: FLAG, append_query_string: FLAG },
    },
    {
      oneOf: [needs('uri'), needs('regex_uri'), needs('http_to_https')],
      not: all(is('http_to_https', true), is('append_query_string', true)),
    },
  ),
  'request-id': open({
    ...{ header_name: TEXT, include_in_response: FLAG },
    algorithm: oneOf('uuid', 'nanoid', 'range_id', 'ksuid'),
    range_id: open({ length: whole(6), char_set: { type: 'string', minLength: 6 } }),
  }),
  'request-validation': open(
    {
      ...{ header_schema: open({}), body_schema: open({}) },
      ...{ rejected_code: STATUS, rejected_msg: text(1, 256) },
    },
    { anyOf: [needs('header_schema'), needs('body_schema')] },
  ),
  'response-rewrite': open(
    {
      ...{ body: TEXT, body_base64: FLAG, status_code: whole(200, 598), vars: EXPRESSION },
      headers: {
        anyOf: [
          HEADER_MAP,
          open({
            add: list({ type: 'string', pattern: '^[^:]+:[^:]+[^/]$' }, 1),
            ...{ set: HEADER_MAP, remove: list(HEADER_NAME, 1) },
          }),
        ],
      },
      filters: list(
        open(
          { regex: longText, replace: TEXT, scope: oneOf('once', 'global'), options: TEXT },
          needs('regex', 'replace'),
        ),
        1,
      ),
    },
    {
      not: needs('body', 'filters'),
      ...implies(is('body_base64', true), { properties: { body: longText }, ...needs('body') }),
    },
  ),
  'traffic-split': closed({
    _meta: {},
    rules: list(
      closed({
        match: list(open({ vars: EXPRESSION }, needs('vars'))),
        weighted_upstreams: {
          ...list(open({ upstream_id: ID, upstream: UPSTREAM, weight: whole(0) }), 1),
          maxItems: 20,
        },
      }),
    ),
  }),
  'uri-blocker': open(
    {
      block_rules: { ...list(text(1, 4096)), uniqueItems: true },
      ...{ rejected_code: whole(200), rejected_msg: longText, case_insensitive: FLAG },
    },
    needs('block_rules'),
  ),
}

export const CONSUMER_PLUGINS: Record<string, object> = {
  ...PLUGINS,
  'key-auth': open({ key: TEXT }, needs('key')),
  'basic-auth': open({ username: TEXT, password: TEXT }, needs('username', 'password')),
  'jwt-auth': open(
    {
      ...{ key: longText, secret: longText, public_key: TEXT, base64_secret: FLAG },
      ...{ algorithm: oneOf(...SECRETS, ...TOKEN_SCHEMAS, ...CURVES), exp: whole(1) },
      lifetime_grace_period: whole(0),
    },
    all(
      needs('key'),
      // Without an algorithm it is HS256.
      implies(
        { not: { ...needs('algorithm'), properties: { algorithm: { not: oneOf(...SECRETS) } } } },
        needs('secret'),
      ),
      implies(
        { ...needs('algorithm'), properties: { algorithm: { not: oneOf(...SECRETS) } } },
        needs('public_key'),
      ),
    ),
  ),
}

/** Of plugins that are told something for all routes at once. */
export const METADATA: Record<string, object> = {
  cors: open({ allow_origins: { type: 'object', additionalProperties: ORIGINS } }),
  'file-logger': open({ path: TEXT, log_format: LOG.log_format }),
  'http-logger': open({ log_format: LOG.log_format }),
  'limit-count': open({ limit_header: TEXT, remaining_header: TEXT, reset_header: TEXT }),
  prometheus: open({ disabled_labels: open({}) }),
}
