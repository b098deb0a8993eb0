import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpPlugin } from '#http'
import { hasAccess } from '#kernel'
import { isBasic } from '../credentials/basic.ts'
import { levelTooLow } from '../refusals.ts'
import type { ClientAuthentication } from './authenticate-client.ts'
import { parseClientCredentials } from './client-credentials.ts'
import { invalidClient, invalidRequest, NEVER_STORED, unsupportedGrantType } from './errors.ts'
import { type Form, formOf, required } from './form.ts'
import { AboutToken, TokenAnswer, TokenForm, TokenState } from './schemas.ts'
import { renderScopes } from './scopes.ts'
import type { IssuedToken, TokenInfo, TokenOwner, Tokens } from './tokens.ts'

interface Deps {
  readonly clientAuthentication: ClientAuthentication
  readonly tokens: Tokens
}

const FORM_BYTES = 16 * 1024
const OPTIONS = {
  bodyLimit: FORM_BYTES,
  config: { access: 'none', counted: false, clientLogin: true },
  // The forms are checked in their own words (RFC 6749 §5.2); schemas only describe them.
  validatorCompiler: () => () => true,
} as const
const DESCRIBED = {
  tags: ['OAuth'],
  consumes: ['application/x-www-form-urlencoded'],
  security: [{ basic: [] }, {}],
}
const TOKEN = {
  ...DESCRIBED,
  summary: 'A token for a client',
  description:
    'Issues an access token for the client credentials grant (RFC 6749). The client authenticates by Basic or in the form.',
  body: TokenForm,
  response: { 200: TokenAnswer },
}
const REVOKE = {
  ...DESCRIBED,
  summary: 'End a token',
  description:
    'Ends an access token before its time (RFC 7009). Unknown tokens are answered in the same way.',
  body: AboutToken,
}
const INTROSPECT = {
  ...DESCRIBED,
  summary: 'What a token is worth; for its client or an admin',
  description:
    'Tells whether a token is active, its scope and until when (RFC 7662). Of tokens of others only admins are told.',
  body: AboutToken,
  response: { 200: TokenState },
}

/** The endpoints below `/oauth` (RFC 6749, RFC 7009, RFC 7662; access contract §5). */
export function tokenRoutes({ clientAuthentication, tokens }: Deps): HttpPlugin {
  return (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser<string>(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => done(null, body),
    )
    app.addHook('onSend', finishAnswer)

    app.post('/token', { ...OPTIONS, schema: TOKEN }, async (request, reply) => {
      const form = formOf(request)
      const grantType = required(form, 'grant_type')
      const credentials = parseClientCredentials(request.headers.authorization, form)
      if (!credentials) throw invalidRequest('client_id is missing')
      if (grantType !== 'client_credentials') throw unsupportedGrantType()
      const client = await clientAuthentication.authenticate(credentials, request.ip)
      const issued = await tokens.issue(client, form.get('scope'))
      return reply.headers(NEVER_STORED).send(renderToken(issued))
    })

    app.post('/revoke', { ...OPTIONS, schema: REVOKE }, async (request, reply) => {
      const form = formOf(request)
      const token = required(form, 'token')
      await tokens.revoke(await ownerOf(request, form), token)
      return reply.headers(NEVER_STORED).send()
    })

    app.post('/introspect', { ...OPTIONS, schema: INTROSPECT }, async (request, reply) => {
      const form = formOf(request)
      const token = required(form, 'token')
      const info = await tokens.introspect(await ownerOf(request, form), token)
      return reply.headers(NEVER_STORED).send(renderInfo(info))
    })
  }

  /** A client has to do with its own tokens, an admin with all of them. */
  async function ownerOf(request: FastifyRequest, form: Form): Promise<TokenOwner> {
    const credentials = parseClientCredentials(request.headers.authorization, form)
    if (credentials) {
      return (await clientAuthentication.authenticate(credentials, request.ip)).client
    }
    if (!request.actor) throw invalidClient('basic')
    if (!hasAccess(request.actor, 'admin')) throw levelTooLow('admin')
    return 'anyone'
  }
}

/**
 * Exactly `application/json`, without the charset that the framework adds. Who did not use Basic
 * is not asked for it: client libraries take any challenge for the answer and hide `invalid_client`.
 */
function finishAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload?: unknown) => void,
) {
  if (payload) reply.header('content-type', 'application/json')
  const challenge = String(reply.getHeader('www-authenticate') ?? '')
  if (request.refusal === 'invalid_client' && !isBasic(challenge)) {
    reply.removeHeader('www-authenticate')
  }
  done(null, payload)
}

function renderToken({ rawToken, expiresInSeconds, scopes }: IssuedToken) {
  return {
    access_token: rawToken,
    token_type: 'Bearer' as const,
    expires_in: expiresInSeconds,
    scope: renderScopes(scopes),
  }
}

function renderInfo(info: TokenInfo | null) {
  if (!info) return { active: false }
  return {
    active: true,
    scope: renderScopes(info.scopes),
    client_id: info.clientId,
    exp: Math.floor(info.expiresAtMs / 1000),
    token_type: 'Bearer',
  }
}
