import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { HttpApp, HttpPlugin } from '#http'
import { DomainError, renderTime } from '#kernel'
import { crossSite, findToken, renderCookie } from '../credentials/cookie.ts'
import type { PasswordResets } from '../password-resets.ts'
import { renderUser } from '../render.ts'
import { isCrossSite } from '../same-origin.ts'
import { Login, NewPassword, ResetRequest, SignIn } from '../schemas.ts'
import type { SignIn as FoundSignIn, SignIns } from '../sign-ins.ts'
import type { RouteDeps } from './index.ts'
import { actorOf, dataOf, noStore } from './shared.ts'

interface Deps extends RouteDeps {
  readonly signIns: SignIns
  readonly passwordResets: Pick<PasswordResets, 'request' | 'confirm'>
  readonly publicUrl: string | undefined
}

const tags = ['Sign-in']

export function signInRoutes({ signIns, passwordResets, clock, publicUrl }: Deps): HttpPlugin {
  return (app) => {
    resetRoutes(app)
    app.post(
      '/sign-in',
      {
        config: { access: 'none', counted: false },
        schema: {
          tags,
          summary: 'Sign in',
          description:
            'Takes e-mail and password and sets the cookie of a session. Ten failures in a quarter of an hour are followed by 429 with `Retry-After`.',
          security: [],
          body: Login,
          response: { 200: dataOf(SignIn) },
        },
      },
      async (request, reply) => {
        if (isCrossSite(request, publicUrl)) throw crossSite()
        const { token, ...signIn } = await signIns.signIn(request.body, request.ip)
        const seconds = Math.round((signIn.expiresAtMs - clock.now()) / 1000)
        setCookie(request, reply, token, seconds)
        noStore(reply)
        return { data: render(signIn) }
      },
    )

    app.get(
      '/sign-in',
      {
        config: { access: 'any', counted: false },
        schema: {
          tags,
          summary: 'Read the session',
          description: 'Tells who is signed in and until when. Without a session it answers 401.',
          response: { 200: dataOf(SignIn) },
        },
      },
      async (request, reply) => {
        const signIn = await signIns.find(tokenOf(request))
        if (!signIn) throw notSignedIn()
        noStore(reply)
        return { data: render(signIn) }
      },
    )

    app.delete(
      '/sign-in',
      {
        config: { access: 'any', counted: false },
        schema: {
          tags,
          summary: 'Sign out',
          description: 'Ends the session that sent the request. Other sessions of the user go on.',
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await signIns.end(tokenOf(request))
        setCookie(request, reply, '', 0)
        reply.code(204)
      },
    )
  }

  function resetRoutes(app: HttpApp) {
    const config = { access: 'none', counted: false } as const
    const shared = { tags, security: [] }
    app.post(
      '/sign-in/reset',
      {
        config,
        schema: {
          ...shared,
          summary: 'Ask for a link by e-mail that sets a new password',
          description:
            'Sends a message when the address belongs to a user, and answers the same when it does not. It needs the setting `smtp.url`.',
          body: ResetRequest,
          response: { 202: Type.Object({ data: Type.Object({ accepted: Type.Boolean() }) }) },
        },
      },
      async (request, reply) => {
        if (isCrossSite(request, publicUrl)) throw crossSite()
        passwordResets.request(request.body.email, request.ip)
        noStore(reply)
        return reply.code(202).send({ data: { accepted: true } })
      },
    )

    app.post(
      '/sign-in/password',
      {
        config,
        schema: {
          ...shared,
          summary: 'Set a new password with the token of such a link',
          description:
            'Sets the password and ends all sessions of the user. A token works once and for a limited time.',
          body: NewPassword,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        if (isCrossSite(request, publicUrl)) throw crossSite()
        await passwordResets.confirm(request.body.token, request.body.password)
        noStore(reply)
        reply.code(204)
      },
    )
  }

  function setCookie(request: FastifyRequest, reply: FastifyReply, token: string, seconds: number) {
    const isSecure = request.protocol === 'https' || publicUrl?.startsWith('https:')
    reply.header('set-cookie', renderCookie(token, seconds, isSecure === true))
  }
}

/** A key says nothing about a sign-in that happens to be sent along. */
function tokenOf(request: FastifyRequest): string {
  const token = actorOf(request).kind === 'cookie' ? findToken(request) : undefined
  if (token === undefined) throw notSignedIn()
  return token
}

function notSignedIn(): DomainError {
  return new DomainError('forbidden', 'sign_in_required', 'This operation needs a sign-in')
}

function render({ user, expiresAtMs }: FoundSignIn) {
  return { user: renderUser(user), expires_at: renderTime(expiresAtMs) }
}
