import type { Context } from '../plane/context.ts'
import { addAnswerHeader, setForwardHeader } from '../plane/headers.ts'
import { definePlugin, type PhaseResult, type PluginAnswer } from '../plane/plugin.ts'
import { after, toFailure } from '../plane/refusal.ts'
import { headersOf } from '../plane/server/headers-of.ts'
import { type Claims, createBearer, findLack, findMissingScopes } from './openid-connect/bearer.ts'
import { createCookies } from './openid-connect/cookies.ts'
import { createGrants, isAway } from './openid-connect/grants.ts'
import { createProvider } from './openid-connect/provider.ts'
import type { Session } from './openid-connect/session.ts'
import { findFaults, SCHEMA, type Settings, UNSUPPORTED } from './openid-connect/settings.ts'
import { createSignIn } from './openid-connect/sign-in.ts'

/** Lets in whoever an OpenID provider vouches for: by a token, or by signing in there. */
export default definePlugin({
  name: 'openid-connect',
  priority: 2599,
  authenticates: true,
  secrets: ['client_secret', 'session.secret'],
  schema: SCHEMA,
  unsupported: UNSUPPORTED,
  findFaults,
  setup(conf, deps) {
    const { clock } = deps
    const provider = createProvider(conf, deps)
    const bearer = createBearer(conf, provider, deps)
    const grants = createGrants(conf, provider, deps)
    const cookies = createCookies(conf, deps.sessionKey)
    const admit = (ctx: Context, session: Session) => admitSession(conf, ctx, session)
    const refuse = () => refusal(conf, '')
    const signIn = createSignIn(conf, { provider, cookies, grants, clock, admit, refuse })
    return {
      rewrite(ctx) {
        setForwardHeader(ctx, 'X-Refresh-Token', null)
        return whileAvailable(ctx, () => {
          const token = tokenOf(ctx)
          if (token !== undefined) {
            const found = bearer.verify(ctx, token)
            return after(found, (claims) => admitBearer(conf, ctx, token, claims))
          }
          return conf.bearer_only ? refuse() : signIn.handle(ctx)
        })
      },
      headerFilter(ctx) {
        for (const line of signIn.takeCookies(ctx)) addAnswerHeader(ctx, 'Set-Cookie', line)
      },
    }
  },
})

/** Without the provider nobody can be told from anybody else. */
function whileAvailable(ctx: Context, work: () => PhaseResult): PhaseResult {
  const refuse = (error: unknown): PluginAnswer => {
    if (!isAway(error)) throw error
    const message = 'the identity provider cannot be reached'
    const failure = toFailure(ctx, 503, 'provider_unavailable', message)
    return { ...failure, headers: { 'Retry-After': '1' } }
  }
  try {
    const result = work()
    return result instanceof Promise ? result.catch(refuse) : result
  } catch (error) {
    return refuse(error)
  }
}

function tokenOf(ctx: Context): string | undefined {
  const { authorization, 'x-access-token': own } = headersOf(ctx.request)
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  return token ?? (own === '' ? undefined : own)
}

function refusal({ realm = 'entrepot' }: Settings, error: string): PluginAnswer {
  const challenge = `Bearer realm="${realm}"${error === '' ? '' : `, error="${error}"`}`
  const message = error === '' ? 'Bearer token missing' : 'Bearer token not accepted'
  return { status: 401, headers: { 'WWW-Authenticate': challenge }, body: { message } }
}

function admitBearer(
  conf: Settings,
  ctx: Context,
  token: string,
  claims: Claims | null,
): PluginAnswer | undefined {
  if (!claims) return refusal(conf, 'invalid_token')
  const lack = findLack(conf, claims)
  if (lack) return lack
  setAccessToken(conf, ctx, token)
  if (conf.set_userinfo_header ?? true) setForwardHeader(ctx, 'X-Userinfo', encode(claims))
  return undefined
}

function admitSession(
  conf: Settings,
  ctx: Context,
  { accessToken, refreshToken, claims, user, scope }: Session,
): PluginAnswer | undefined {
  const lack = findMissingScopes(conf, scope)
  if (lack) return lack
  if (accessToken !== null) setAccessToken(conf, ctx, accessToken)
  if (user && (conf.set_userinfo_header ?? true)) setForwardHeader(ctx, 'X-Userinfo', encode(user))
  if (claims && (conf.set_id_token_header ?? true)) {
    setForwardHeader(ctx, 'X-ID-Token', encode(claims))
  }
  if (refreshToken !== null && conf.set_refresh_token_header) {
    setForwardHeader(ctx, 'X-Refresh-Token', refreshToken)
  }
  return undefined
}

function setAccessToken(conf: Settings, ctx: Context, token: string): void {
  if (!(conf.set_access_token_header ?? true)) return
  if (conf.access_token_in_authorization_header) {
    setForwardHeader(ctx, 'Authorization', `Bearer ${token}`)
  } else setForwardHeader(ctx, 'X-Access-Token', token)
}

function encode(claims: Claims): string {
  return Buffer.from(JSON.stringify(claims)).toString('base64')
}
