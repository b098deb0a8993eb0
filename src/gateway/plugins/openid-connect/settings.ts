import { createPublicKey } from 'node:crypto'
import Type, { type Static } from 'typebox'

const URL_TEXT = Type.String({ pattern: '^https?://[^\\s]+$', expects: 'must be an http(s) URL' })
const PLACE = Type.String({
  pattern: '^(https?://[^\\s/]+)?/[^\\s?#]*$',
  expects: 'must be a URL or a path, without a query',
})
const AUTH_METHOD = Type.Enum(['client_secret_basic', 'client_secret_post'])
const SECONDS = Type.Integer({ minimum: 0, maximum: 31_536_000 })
const FLAG = Type.Optional(Type.Boolean())
const NAMES = Type.Array(Type.String({ minLength: 1, maxLength: 256 }))

/** What tokens may be signed with: never something that the public key itself could sign. */
export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const

export const SCHEMA = Type.Object({
  discovery: URL_TEXT,
  client_id: Type.String({ minLength: 1, maxLength: 1024 }),
  client_secret: Type.String({ minLength: 1, maxLength: 4096 }),
  bearer_only: FLAG,
  realm: Type.Optional(
    Type.String({ pattern: '^[ !#-[\\]-~]{0,256}$', expects: 'must be a text without quotes' }),
  ),
  scope: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
  required_scopes: Type.Optional(NAMES),
  timeout: Type.Optional(Type.Number({ minimum: 0.1, maximum: 60 })),
  ssl_verify: FLAG,
  public_key: Type.Optional(Type.String({ minLength: 1 })),
  use_jwks: FLAG,
  token_signing_alg_values_expected: Type.Optional(Type.Enum([...ALGORITHMS])),
  jwk_expires_in: Type.Optional(Type.Integer({ minimum: 1, maximum: 31_536_000 })),
  jwt_verification_cache_ignore: FLAG,
  introspection_endpoint: Type.Optional(URL_TEXT),
  introspection_endpoint_auth_method: Type.Optional(AUTH_METHOD),
  introspection_interval: Type.Optional(SECONDS),
  introspection_expiry_claim: Type.Optional(Type.String({ minLength: 1 })),
  introspection_addon_headers: Type.Optional(
    Type.Array(
      Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$', expects: 'must be the name of a header' }),
      { maxItems: 20 },
    ),
  ),
  claim_validator: Type.Optional(
    Type.Object({
      issuer: Type.Optional(Type.Object({ valid_issuers: Type.Optional(NAMES) })),
      audience: Type.Optional(
        Type.Object({
          claim: Type.Optional(Type.String({ minLength: 1 })),
          required: FLAG,
          match_with_client_id: FLAG,
        }),
      ),
    }),
  ),
  set_access_token_header: FLAG,
  access_token_in_authorization_header: FLAG,
  set_id_token_header: FLAG,
  set_userinfo_header: FLAG,
  set_refresh_token_header: FLAG,
  unauth_action: Type.Optional(Type.Enum(['auth', 'deny', 'pass'])),
  redirect_uri: Type.Optional(PLACE),
  logout_path: Type.Optional(
    Type.String({ pattern: '^/[^\\s?#]*$', expects: 'must be a path that begins with /' }),
  ),
  post_logout_redirect_uri: Type.Optional(PLACE),
  revoke_tokens_on_logout: FLAG,
  token_endpoint_auth_method: Type.Optional(AUTH_METHOD),
  use_pkce: FLAG,
  use_nonce: FLAG,
  authorization_params: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
        expects: 'must be a text, a number or a flag',
      }),
    ),
  ),
  access_token_expires_in: Type.Optional(Type.Integer({ minimum: 1, maximum: 31_536_000 })),
  access_token_expires_leeway: Type.Optional(SECONDS),
  renew_access_token_on_expiry: FLAG,
  session: Type.Optional(
    Type.Object({
      secret: Type.Optional(
        Type.String({
          minLength: 16,
          maxLength: 1024,
          expects: 'must be a text of at least 16 characters',
        }),
      ),
      cookie: Type.Optional(
        Type.Object({
          lifetime: Type.Optional(Type.Integer({ minimum: 1, maximum: 31_536_000 })),
        }),
      ),
    }),
  ),
  session_contents: Type.Optional(
    Type.Object({ access_token: FLAG, id_token: FLAG, enc_id_token: FLAG, user: FLAG }),
  ),
})

export type Settings = Static<typeof SCHEMA>

/** What the plugin of this name has elsewhere, each with the value that changes nothing here. */
export const UNSUPPORTED: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['accept_none_alg', false],
  ['accept_unsupported_alg', false],
  ['cache_segment', undefined],
  ['claim_schema', undefined],
  ['client_jwt_assertion_expires_in', 60],
  ['client_rsa_private_key', undefined],
  ['client_rsa_private_key_id', undefined],
  ['force_reauthorize', false],
  ['iat_slack', 120],
  ['proxy_opts', undefined],
  ['refresh_session_interval', undefined],
])

/** Set by the flow itself. */
const OWN_PARAMETERS = new Set(
  (
    'client_id client_secret code_challenge code_challenge_method nonce redirect_uri response_type ' +
    'scope state'
  ).split(' '),
)

export function findFaults(conf: Settings): { path: string; message: string }[] {
  const faults: { path: string; message: string }[] = []
  if (conf.public_key !== undefined && !isPublicKey(conf.public_key)) {
    faults.push({ path: '/public_key', message: 'must be a public key in PEM form' })
  }
  for (const name of Object.keys(conf.authorization_params ?? {})) {
    if (!OWN_PARAMETERS.has(name)) continue
    faults.push({ path: `/authorization_params/${name}`, message: 'is set by the sign-in itself' })
  }
  const session: object = conf.session ?? {}
  for (const member of ['redis', 'idling_timeout', 'rolling_timeout', 'absolute_timeout']) {
    if (!Object.hasOwn(session, member)) continue
    faults.push({ path: `/session/${member}`, message: 'is not supported here' })
  }
  if ('storage' in session && session.storage !== 'cookie') {
    faults.push({ path: '/session/storage', message: 'only cookie is supported here' })
  }
  return faults
}

function isPublicKey(pem: string): boolean {
  try {
    const key = createPublicKey(pem)
    return key.type === 'public' && (key.asymmetricKeyDetails?.modulusLength ?? 2048) >= 2048
  } catch {
    return false
  }
}
