import { once } from 'node:events'
import http from 'node:http'
import { after } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { type Configuration, Provider } from 'oidc-provider'
import { freePort } from '#test-kit'

export const CLIENT = { client_id: 'shop', client_secret: 'shop-secret-of-the-tests' }
const MACHINE = { client_id: 'machine', client_secret: 'machine-secret-of-the-tests' }

/** A hook of a test would end them with the hook; these live as long as the file. */
const started: (() => Promise<void>)[] = []
after(() => Promise.all(started.map((stop) => stop())))

/** A real OpenID provider; whoever signs in gives any name. */
export async function startProvider(redirectUris: readonly string[], afterLogout: string) {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const seen: string[] = []
  const bodies: string[] = []
  let key = await newKey('first')
  let handle = build()
  const server = http.createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    seen.push(path)
    request.on('data', (chunk) => bodies.push(`${path} ${chunk}`))
    handle(request, response)
  })
  await start()
  started.push(stop)
  return {
    issuer,
    discovery: `${issuer}/.well-known/openid-configuration`,
    bodies,
    count: (path: string) => seen.filter((each) => each === path).length,
    /** From now on another key signs, and only that one is published. */
    async rotate(kid: string) {
      key = await newKey(kid)
      handle = build()
    },
    sign,
    token,
    start,
    stop,
  }

  async function start() {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }

  async function stop() {
    server.closeAllConnections()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }

  function build() {
    const common = { token_endpoint_auth_method: 'client_secret_basic' } as const
    const configuration: Configuration = {
      clients: [
        {
          ...{ ...CLIENT, ...common },
          redirect_uris: [...redirectUris],
          post_logout_redirect_uris: [afterLogout],
          grant_types: ['authorization_code', 'refresh_token'],
        },
        {
          ...{ ...MACHINE, ...common },
          redirect_uris: [],
          response_types: [],
          grant_types: ['client_credentials'],
        },
      ],
      jwks: { keys: [key.jwk] },
      cookies: { keys: ['cookies of the test provider'] },
      scopes: ['openid', 'offline_access', 'read', 'write'],
      claims: { openid: ['sub'], profile: ['name'] },
      ttl: {
        AccessToken: 600,
        IdToken: 86_400,
        RefreshToken: 86_400,
        Session: 86_400,
        Grant: 86_400,
      },
      issueRefreshToken: async () => true,
      rotateRefreshToken: true,
      findAccount: (_ctx, id) => ({
        accountId: id,
        claims: async () => ({ sub: id, name: `N ${id}` }),
      }),
      features: {
        clientCredentials: { enabled: true },
        introspection: { enabled: true },
        revocation: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: (_ctx, client) => (client.clientId === 'machine' ? 'urn:shop' : []),
          getResourceServerInfo: () => ({
            scope: 'read write',
            audience: 'shop',
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
    }
    return new Provider(issuer, configuration).callback()
  }

  /** A token as the provider would issue it, with claims of the test's own. */
  function sign(claims: Record<string, unknown> = {}, header: object = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const all = {
      iss: issuer,
      aud: 'shop',
      sub: 'ann',
      scope: 'read write',
      exp: now + 600,
      ...claims,
    }
    return new SignJWT(all)
      .setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header })
      .sign(key.privateKey)
  }

  /** One that the provider has really issued. */
  async function token(scope: string): Promise<string> {
    const { client_id: id, client_secret: secret } = MACHINE
    const answer = await fetch(`${issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
    })
    const body = await answer.text()
    if (!answer.ok) throw new Error(body)
    return JSON.parse(body).access_token
  }
}

export type TestProvider = Awaited<ReturnType<typeof startProvider>>

async function newKey(kid: string) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }
  return { privateKey, kid, jwk }
}

/** A browser by hand: keeps cookies, sends forms, follows redirects when it is told to. */
export function createBrowser() {
  const jar = new Map<string, Map<string, string>>()
  return { open, follow, signIn, jar }

  async function open(url: string, init: RequestInit = {}) {
    const { origin } = new URL(url)
    const cookies = jar.get(origin) ?? new Map<string, string>()
    jar.set(origin, cookies)
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(cookie === '' ? {} : { cookie }), ...init.headers }
    const answer = await fetch(url, { redirect: 'manual', ...init, headers })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const name = pair.slice(0, pair.indexOf('='))
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) cookies.delete(name)
      else cookies.set(name, pair.slice(name.length + 1))
    }
    return answer
  }

  /** Until the answer is no redirect, or one to an address that `until` matches. */
  async function follow(url: string, until = /^$/) {
    let at = url
    for (let hops = 0; hops < 20; hops++) {
      const answer = await open(at)
      const location = answer.headers.get('location')
      if (location === null) return { url: at, answer }
      at = new URL(location, at).href
      if (until.test(at)) return { url: at, answer }
    }
    throw new Error(`too many redirects to ${at}`)
  }

  /** Opens a page, signs in where it is sent to and agrees; ends at an address that matches. */
  async function signIn(url: string, name: string, until = /^$/) {
    let { url: at, answer } = await follow(url, until)
    for (const prompt of ['login', 'consent']) {
      if (!new URL(at).pathname.startsWith('/interaction/')) break
      const form = new URLSearchParams({ prompt, login: name, password: 'x' })
      const sent = await open(at, { method: 'POST', body: form })
      at = new URL(sent.headers.get('location') ?? '', at).href
      ;({ url: at, answer } = await follow(at, until))
    }
    return { url: at, answer }
  }
}
