/** What is asked of the provider's token endpoint, with the checks of openid-client. */
import type { Configuration, ServerMetadata, TokenEndpointResponse } from 'openid-client'
import type { PluginDeps } from '../../plane/plugin.ts'
import type { Claims } from './bearer.ts'
import { type Provider, ProviderAway, RELOAD_KEYS_MS } from './provider.ts'
import type { Settings } from './settings.ts'

export interface Tokens {
  readonly response: TokenEndpointResponse
  /** Of the token that says who signed in; absent when the provider sent none. */
  readonly claims: Claims | undefined
}

export interface Login {
  readonly state: string
  readonly nonce: string | null
  readonly verifier: string | null
  readonly redirectUri: string
}

/** Requests of one browser come together, each with the same token that can be used once. */
const REFRESHES_JOINED_MS = 30_000

/** Every function throws `ProviderAway`, or the provider's refusal as another error. */
export function createGrants(
  conf: Settings,
  provider: Provider,
  { clock }: Pick<PluginDeps, 'clock'>,
) {
  return { exchange, refresh, userinfo, revoke }

  async function exchange(query: string, login: Login): Promise<Tokens> {
    const [client, config] = await open()
    const url = new URL(`${login.redirectUri}${query}`)
    const response = await client.authorizationCodeGrant(config, url, {
      expectedState: login.state,
      ...(login.nonce === null ? {} : { expectedNonce: login.nonce }),
      ...(login.verifier === null ? {} : { pkceCodeVerifier: login.verifier }),
      idTokenExpected: (conf.scope ?? 'openid').split(' ').includes('openid'),
    })
    return { response, claims: response.claims() }
  }

  async function refresh(token: string): Promise<Tokens> {
    const [client, config] = await open()
    const response = await client.refreshTokenGrant(config, token)
    return { response, claims: response.claims() }
  }

  /** Undefined when the provider has no such place. */
  async function userinfo(token: string, subject: string | undefined): Promise<Claims | undefined> {
    const [client, config] = await open()
    if (config.serverMetadata().userinfo_endpoint === undefined) return undefined
    return { ...(await client.fetchUserInfo(config, token, subject ?? client.skipSubjectCheck)) }
  }

  async function revoke(token: string): Promise<void> {
    const [client, config] = await open()
    if (config.serverMetadata().revocation_endpoint === undefined) return
    await client.tokenRevocation(config, token)
  }

  async function open(): Promise<[typeof import('openid-client'), Configuration]> {
    const [client, metadata] = await Promise.all([import('openid-client'), provider.metadata()])
    const isPosted = conf.token_endpoint_auth_method === 'client_secret_post'
    const config = new client.Configuration(
      metadata,
      conf.client_id,
      {
        client_secret: conf.client_secret,
        [client.clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
        ...(conf.token_signing_alg_values_expected
          ? { id_token_signed_response_alg: conf.token_signing_alg_values_expected }
          : {}),
      },
      (isPosted ? client.ClientSecretPost : client.ClientSecretBasic)(conf.client_secret),
    )
    // The operator names the provider; whether that is within a private network is known there.
    client.allowInsecureRequests(config)
    client.enableNonRepudiationChecks(config)
    config[client.customFetch] = (url, options) => fetchWith(metadata, url, options)
    return [client, config]
  }

  async function fetchWith(
    { jwks_uri: keys }: ServerMetadata,
    url: string,
    options: { readonly body: unknown; readonly headers: object; readonly method: string },
  ): Promise<Response> {
    const body = options.body === null || options.body === undefined ? null : String(options.body)
    const isRefresh = body?.includes('grant_type=refresh_token')
    const answer = await provider.send({
      url,
      method: options.method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers({ ...options.headers })),
      body,
      maxAgeMs: isRefresh ? REFRESHES_JOINED_MS : url === keys ? RELOAD_KEYS_MS : 0,
    })
    if (!answer.ok || answer.status >= 500) throw new ProviderAway(`no answer of ${url}`)
    const { status, contentType, challenge } = answer
    const headers = new Headers({ 'content-type': contentType })
    if (challenge !== '') headers.set('www-authenticate', challenge)
    return new Response(status === 204 ? null : answer.body, { status, headers })
  }
}

export type Grants = ReturnType<typeof createGrants>

/** Libraries wrap what their fetch has thrown. */
export function isAway(error: unknown): boolean {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; depth++) {
    if (each instanceof ProviderAway) return true
    each = each.cause
  }
  return false
}
