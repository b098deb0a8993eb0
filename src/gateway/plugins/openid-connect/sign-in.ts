/** People in browsers: they are sent to the provider and come back with a code (RFC 6749 §4.1, RFC 7636). */
import { createHash } from 'node:crypto'
import { random } from '#kernel'
import type { Context } from '../../plane/context.ts'
import { forwardedValues } from '../../plane/forwarded.ts'
import type { PhaseResult, PluginAnswer, PluginDeps } from '../../plane/plugin.ts'
import type { Claims } from './bearer.ts'
import type { Cookies, Lines } from './cookies.ts'
import { type Grants, isAway, type Login, type Tokens } from './grants.ts'
import type { Provider } from './provider.ts'
import {
  isOpen,
  isSession,
  lifetimeOf,
  needsRenewal,
  prolong,
  type Session,
  toSession,
} from './session.ts'
import type { Settings } from './settings.ts'

interface Deps extends Pick<PluginDeps, 'clock'> {
  readonly provider: Provider
  readonly cookies: Cookies
  readonly grants: Grants
  /** Tells the upstream who it is; an answer when the session does not permit the request. */
  admit(ctx: Context, session: Session): PluginAnswer | undefined
  /** Nobody has signed in, and nobody is sent to. */
  refuse(): PluginAnswer
}

/** A sign-in that was begun, as the browser keeps it. */
interface Begun extends Login {
  readonly target: string
  readonly endsAtMs: number
}

const CALLBACK = '/.gateway/redirect'
const LOGIN_SECONDS = 600
/** Of sign-ins begun side by side; the cookies of older ones are ended. */
const MAX_BEGUN = 5
const UNKNOWN_STATE =
  'this sign-in is unknown, was used already or took too long: open the page again'
const TOO_LARGE = 'the session is too large for cookies: session_contents can leave parts of it out'

export function createSignIn(conf: Settings, deps: Deps) {
  const { provider, cookies, grants, clock, admit, refuse } = deps
  const callback = conf.redirect_uri === undefined ? null : pathOf(conf.redirect_uri)
  const logout = conf.logout_path ?? '/logout'
  /** Cookies that leave with the upstream's answer. */
  const pending = new WeakMap<Context, Lines>()
  return { handle, takeCookies }

  function handle(ctx: Context): PhaseResult {
    if (isCallback(ctx.path)) return finish(ctx)
    const sent = cookies.sent(ctx)
    const found = cookies.read(sent, cookies.session, 'session')
    const session = isSession(found) && isOpen(found, clock.now()) ? found : null
    if (ctx.path === logout) return signOut(ctx, session)
    if (!session) return unauthenticated(ctx)
    cookies.hide(ctx)
    if (needsRenewal(conf, session, clock.now())) return renew(ctx, session)
    const longer = prolong(conf, session, clock.now())
    if (longer) keep(ctx, longer)
    return admit(ctx, session)
  }

  function takeCookies(ctx: Context): Lines {
    return pending.get(ctx) ?? []
  }

  function isCallback(path: string): boolean {
    return callback === null ? path.endsWith(CALLBACK) : path === callback
  }

  function unauthenticated(ctx: Context): PhaseResult {
    cookies.hide(ctx)
    switch (conf.unauth_action ?? 'auth') {
      case 'pass':
        return undefined
      case 'deny':
        return refuse()
      default:
        return begin(ctx)
    }
  }

  async function begin(ctx: Context): Promise<PluginAnswer> {
    const { authorization_endpoint: endpoint } = await provider.metadata()
    if (endpoint === undefined) return failed(502, 'the provider names no place to sign in')
    const login: Begun = {
      state: random.text(32),
      nonce: (conf.use_nonce ?? true) ? random.text(32) : null,
      verifier: (conf.use_pkce ?? true) ? random.text(64) : null,
      redirectUri: absolute(ctx, conf.redirect_uri ?? defaultCallback(ctx.path)),
      target: `${originOf(ctx)}${ctx.path}${ctx.query}`,
      endsAtMs: clock.now() + LOGIN_SECONDS * 1000,
    }
    const sent = cookies.sent(ctx)
    const older = [...sent.keys()].filter((name) => name.startsWith(cookies.login))
    const about = { purpose: 'login', seconds: LOGIN_SECONDS, isSecure: isSecure(ctx) } as const
    const kept = cookies.write(nameOf(login.state), login, about)
    if (!kept) return failed(414, 'the address is too long to come back to after signing in')
    const ended = older.length < MAX_BEGUN ? [] : older.flatMap((name) => cookies.clear(sent, name))
    return redirect(authorizationUrl(endpoint, login), [...ended, ...kept])
  }

  function authorizationUrl(endpoint: string, login: Begun): string {
    const url = new URL(endpoint)
    const parameters = {
      ...conf.authorization_params,
      response_type: 'code',
      client_id: conf.client_id,
      redirect_uri: login.redirectUri,
      scope: conf.scope ?? 'openid',
      state: login.state,
      ...(login.nonce === null ? {} : { nonce: login.nonce }),
      ...(login.verifier === null
        ? {}
        : { code_challenge: challengeOf(login.verifier), code_challenge_method: 'S256' }),
    }
    for (const [name, value] of Object.entries(parameters)) {
      url.searchParams.set(name, String(value))
    }
    return url.href
  }

  async function finish(ctx: Context): Promise<PluginAnswer> {
    ctx.hidesQuery = true
    const given = new URLSearchParams(ctx.query)
    const sent = cookies.sent(ctx)
    const name = nameOf(given.get('state') ?? '')
    const login = cookies.read(sent, name, 'login')
    const isKnown = isBegun(login) && login.state === given.get('state')
    if (!isKnown || login.endsAtMs <= clock.now()) return failed(400, UNKNOWN_STATE)
    const ended = cookies.clear(sent, name)
    const error = given.get('error')
    if (error !== null) {
      const text = `the provider refused the sign-in: ${error}`
      return failed(error === 'access_denied' ? 403 : 400, text, ended)
    }
    try {
      const tokens = await grants.exchange(ctx.query, login)
      const user = await findUser(tokens)
      const session = toSession(conf, tokens, { user, nowMs: clock.now(), before: null })
      const lines = linesOf(ctx, session)
      if (!lines) return failed(502, TOO_LARGE, ended)
      return redirect(login.target, [...ended, ...lines])
    } catch (error) {
      if (isAway(error)) throw error
      return failed(400, 'the provider did not accept this sign-in: open the page again', ended)
    }
  }

  async function findUser({ response, claims }: Tokens): Promise<Claims | null> {
    if (conf.set_userinfo_header === false) return null
    const subject = typeof claims?.['sub'] === 'string' ? claims['sub'] : undefined
    // A token for another resource opens no page about the person; the claims say who it is.
    const found = await grants.userinfo(response.access_token, subject).catch((error: unknown) => {
      if (isAway(error)) throw error
      return undefined
    })
    return found ?? claims ?? null
  }

  async function renew(ctx: Context, session: Session): Promise<PluginAnswer | undefined> {
    const { refreshToken: token } = session
    const mayRenew = conf.renew_access_token_on_expiry ?? true
    if (!mayRenew || token === null) return unauthenticated(ctx)
    try {
      const tokens = await grants.refresh(token)
      const nowMs = clock.now()
      const renewed = toSession(conf, tokens, { user: null, nowMs, before: session })
      return keep(ctx, renewed) ? admit(ctx, renewed) : failed(502, TOO_LARGE)
    } catch (error) {
      // With the leeway the token is still good, so the request need not fail.
      const isAlive = clock.now() < session.accessEndsAtMs
      if (isAway(error) && isAlive) return admit(ctx, session)
      if (isAway(error)) throw error
      return unauthenticated(ctx)
    }
  }

  function keep(ctx: Context, session: Session): boolean {
    const lines = linesOf(ctx, session)
    if (lines) pending.set(ctx, lines)
    return lines !== null
  }

  /** Pieces of an earlier, larger session are ended. */
  function linesOf(ctx: Context, session: Session): Lines | null {
    const about = {
      purpose: 'session',
      seconds: lifetimeOf(conf),
      isSecure: isSecure(ctx),
    } as const
    const lines = cookies.write(cookies.session, session, about)
    if (!lines) return null
    const written = new Set(lines.map((line) => line.slice(0, line.indexOf('='))))
    const ended = cookies
      .clear(cookies.sent(ctx), cookies.session)
      .filter((line) => !written.has(line.slice(0, line.indexOf('='))))
    return [...ended, ...lines]
  }

  async function signOut(ctx: Context, session: Session | null): Promise<PluginAnswer> {
    const ended = cookies.clear(cookies.sent(ctx), cookies.session)
    const back = conf.post_logout_redirect_uri
    const to = back === undefined ? undefined : absolute(ctx, back)
    if (session && conf.revoke_tokens_on_logout) await revoke(session)
    const { end_session_endpoint: endpoint } = await provider.metadata()
    if (endpoint === undefined) {
      if (to !== undefined) return redirect(to, ended)
      return { status: 200, rawHeaders: cookieHeaders(ended), body: 'Signed out' }
    }
    const url = new URL(endpoint)
    url.searchParams.set('client_id', conf.client_id)
    if (session?.idToken) url.searchParams.set('id_token_hint', session.idToken)
    if (to !== undefined) url.searchParams.set('post_logout_redirect_uri', to)
    return redirect(url.href, ended)
  }

  /** Whoever signs out is signed out here, whatever the provider says. */
  async function revoke({ accessToken, refreshToken }: Session): Promise<void> {
    const tokens = [refreshToken, accessToken].filter((token) => token !== null)
    await Promise.allSettled(tokens.map((token) => grants.revoke(token)))
  }

  function nameOf(state: string): string {
    return `${cookies.login}${state.slice(0, 8)}`
  }
}

function isBegun(value: unknown): value is Begun {
  return typeof value === 'object' && value !== null && 'state' in value && 'target' in value
}

function redirect(location: string, lines: Lines): PluginAnswer {
  return {
    status: 302,
    rawHeaders: ['Location', location, 'Cache-Control', 'no-store', ...cookieHeaders(lines)],
  }
}

function failed(status: number, message: string, lines: Lines = []): PluginAnswer {
  const rawHeaders = ['Cache-Control', 'no-store', ...cookieHeaders(lines)]
  return { status, rawHeaders, body: { message } }
}

function cookieHeaders(lines: Lines): string[] {
  return lines.flatMap((line) => ['Set-Cookie', line])
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

function defaultCallback(path: string): string {
  return `${path.replace(/\/+$/, '')}${CALLBACK}`
}

function pathOf(place: string): string {
  return place.startsWith('/') ? place : new URL(place).pathname
}

function absolute(ctx: Context, place: string): string {
  return place.startsWith('/') ? `${originOf(ctx)}${place}` : place
}

/** As the browser sees the gateway, behind trusted proxies too. */
function originOf(ctx: Context): string {
  const [scheme = 'http'] = forwardedValues(ctx, 'x-forwarded-proto')
  const [host = ''] = forwardedValues(ctx, 'x-forwarded-host')
  return `${firstOf(scheme)}://${firstOf(host)}`
}

function isSecure(ctx: Context): boolean {
  return originOf(ctx).startsWith('https:')
}

function firstOf(list: string): string {
  return list.split(',', 1)[0]?.trim() ?? ''
}
