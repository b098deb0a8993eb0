import type { FastifyRequest } from 'fastify'
import type { HttpPlugin } from '#http'
import { ServerMetadata } from './schemas.ts'
import { SCOPES } from './scopes.ts'

interface Deps {
  /** Our URL as clients see it, without a slash at its end. */
  baseUrl(request: FastifyRequest): string
}

/** `/.well-known/oauth-authorization-server` (RFC 8414), for the mount `/.well-known`. */
export function discoveryRoute({ baseUrl }: Deps): HttpPlugin {
  return (app) => {
    const config = { access: 'none', counted: false } as const
    const schema = {
      tags: ['OAuth'],
      summary: 'Where the OAuth endpoints are',
      description:
        'The metadata of RFC 8414: endpoints, grants and methods of authentication. Client libraries configure themselves by it.',
      security: [],
      response: { 200: ServerMetadata },
    }
    app.get('/oauth-authorization-server', { config, schema }, (request, reply) => {
      reply.send(describe(baseUrl(request)))
    })
  }
}

function describe(issuer: string) {
  return {
    issuer,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    scopes_supported: [...SCOPES],
    response_types_supported: [],
  }
}
